//! What a provider gets of the messages before.

use serde_json::{Value, json};
use tool_core::{Arguments, Message, Model, ModelRequest, ResultStatus, ToolCall, ToolOutput};

use crate::{
    tools::turn,
    user,
    wire::{Protocol, Provider},
};

/// The `messages` that the provider gets, which has judged them too.
async fn sent(protocol: Protocol, messages: &[Message]) -> Vec<Value> {
    let provider = Provider::start(protocol, [protocol.says("ok")]);
    let model = provider.model();
    let reply = model.respond(ModelRequest::new(messages, &turn().await)).await;
    let requests = provider.finish();
    reply.unwrap();
    let member = if matches!(protocol, Protocol::Responses) { "input" } else { "messages" };
    requests[0].body[member].as_array().unwrap().clone()
}

fn asks(text: &str, calls: &[(&str, &str, Arguments)]) -> Message {
    let calls =
        calls.iter().map(|(id, name, arguments)| ToolCall::new(*id, *name, arguments.clone())).collect();
    Message::Assistant { text: text.to_owned(), calls, continuation: None }
}

fn result(id: &str, name: &str, output: ToolOutput, status: ResultStatus) -> Message {
    Message::Tool { call_id: id.to_owned(), name: name.to_owned(), output, status }
}

fn fine(id: &str, text: &str) -> Message {
    result(id, "echo", ToolOutput::text(text), ResultStatus::Succeeded)
}

fn two_calls() -> [Message; 5] {
    [
        user("both"),
        asks(
            "I try.",
            &[("a", "echo", json!({"msg": "1"}).into()), ("b", "echo", "{\"msg\": \"2\"}".into())],
        ),
        fine("a", "1"),
        result("b", "echo", ToolOutput::text("no"), ResultStatus::Failed),
        user("and now?"),
    ]
}

#[tokio::test]
async fn openai_gets_calls_with_their_results() {
    let messages = sent(Protocol::OpenAi, &two_calls()).await;
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool", "user"]);
    assert_eq!(messages[1]["content"], "I try.");
    assert_eq!(messages[1]["tool_calls"][1]["function"]["arguments"], "{\"msg\":\"2\"}");
    assert_eq!(messages[2], json!({"role": "tool", "tool_call_id": "a", "content": "1"}));
    assert_eq!(messages[3]["content"], "no");
}

#[tokio::test]
async fn anthropic_gets_the_results_of_a_turn_in_one_message_and_which_failed() {
    let messages = sent(Protocol::Anthropic, &two_calls()).await;
    assert_eq!(messages[1]["content"][0], json!({"type": "text", "text": "I try."}));
    assert_eq!(messages[1]["content"][2]["input"], json!({"msg": "2"}));
    let results = messages[2]["content"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    assert_eq!(results[0], json!({"type": "tool_result", "tool_use_id": "a", "content": "1"}));
    assert_eq!(results[1]["is_error"], true);
    assert_eq!(results[1]["content"], json!([{"type": "text", "text": "no"}]));
}

#[tokio::test]
async fn what_a_model_broke_is_not_sent_back_as_it_came() {
    let history = [
        user("go"),
        asks(
            "",
            &[
                ("a", "echo", "{\"msg\": \"cut".into()),
                ("b", "echo", "".into()),
                ("c", "echo", json!("{\"msg\": \"twice\"}").into()),
                ("d", "functions.echo", json!([1]).into()),
            ],
        ),
        fine("a", "x"),
        fine("b", "x"),
        fine("c", "x"),
        result("d", "functions.echo", ToolOutput::text("x"), ResultStatus::Refused),
    ];
    let messages = sent(Protocol::OpenAi, &history).await;
    let functions: Vec<(&Value, &Value)> = messages[1]["tool_calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| (&call["function"]["name"], &call["function"]["arguments"]))
        .collect();
    assert_eq!(functions[0].1, "{}");
    assert_eq!(functions[1].1, "{}");
    assert_eq!(functions[2].1, "{\"msg\":\"twice\"}");
    assert_eq!(functions[3].1, "{}");
    assert!(functions[3].0.as_str().unwrap().starts_with("functions_echo_"));

    let messages = sent(Protocol::Anthropic, &history).await;
    assert_eq!(messages[1]["content"][0]["input"], json!({}));
    let items = sent(Protocol::Responses, &history).await;
    assert_eq!(items[1]["arguments"], "{}");
}

#[tokio::test]
async fn no_empty_message_is_sent() {
    for protocol in [Protocol::OpenAi, Protocol::Anthropic] {
        let history = [
            user("are you there?"),
            asks("  ", &[]),
            user("hello?"),
            asks("\n", &[("a", "echo", "{}".into())]),
            fine("a", ""),
        ];
        let messages = sent(protocol, &history).await;
        assert_eq!(messages.len(), 3, "{messages:?}");
        let question = messages[0]["content"].to_string();
        assert!(question.contains("are you there?") && question.contains("hello?"), "{question}");
    }
}

#[tokio::test]
async fn a_picture_is_sent_where_a_result_can_hold_one() {
    let output = ToolOutput::text("the chart").with_image("image/png", "iVBORw0KGgo=");
    let history = [
        user("draw"),
        asks("", &[("a", "echo", "{}".into())]),
        result("a", "echo", output, ResultStatus::Succeeded),
    ];
    let messages = sent(Protocol::Anthropic, &history).await;
    let block = &messages[2]["content"][0];
    assert_eq!(block["is_error"], false);
    assert_eq!(block["content"][0]["text"], "the chart");
    assert_eq!(
        block["content"][1]["source"],
        json!({"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="})
    );
    let messages = sent(Protocol::OpenAi, &history).await;
    assert_eq!(messages[2]["content"], "the chart\n[image: image/png]");
}
