//! What comes back of a provider's answer.

use serde_json::{Value, json};
use tool_core::{
    Arguments, FinishReason, Model, ModelError, ModelErrorKind, ModelReply, ModelRequest, ToolCall, Usage,
};

use crate::{
    tools::turn,
    user,
    wire::{Answer, Protocol, Provider, anthropic, openai, responses},
};

async fn ask(protocol: Protocol, answer: Answer) -> Result<ModelReply, ModelError> {
    let provider = Provider::start(protocol, [answer]);
    let reply = provider.model().respond(ModelRequest::new(&[user("hello")], &turn().await)).await;
    provider.finish();
    reply
}

async fn openai(answer: Answer) -> Result<ModelReply, ModelError> {
    ask(Protocol::OpenAi, answer).await
}

#[tokio::test]
async fn a_text_comes_with_usage_and_reason() {
    let reply = openai(openai::says("hi")).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("hi", FinishReason::Stop));
    assert_eq!(reply.usage, Usage::new(100, 20));
    assert!(reply.calls.is_empty());
}

#[tokio::test]
async fn parallel_calls_come_in_order() {
    let reply = openai(openai::calls(&[
        ("a", "echo", "{\"msg\": \"1\"}"),
        ("b", "tool_search", "{\"query\": \"pay\", \"top_k\": 2}"),
        ("c", "echo", "{}"),
    ]))
    .await
    .unwrap();
    assert_eq!(reply.finish, FinishReason::ToolCalls);
    assert_eq!(
        reply.calls,
        [
            ToolCall::new("a", "echo", json!({"msg": "1"})),
            ToolCall::new("b", "tool_search", json!({"query": "pay", "top_k": 2})),
            ToolCall::new("c", "echo", json!({})),
        ]
    );
}

#[tokio::test]
async fn anthropic_calls_come_with_their_text() {
    let answer = anthropic::uses(
        "Let me look.",
        &[("toolu_1", "echo", json!({"msg": "1"})), ("toolu_2", "echo", json!({}))],
    );
    let reply = ask(Protocol::Anthropic, answer).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("Let me look.", FinishReason::ToolCalls));
    assert_eq!(
        reply.calls,
        [ToolCall::new("toolu_1", "echo", json!({"msg": "1"})), ToolCall::new("toolu_2", "echo", json!({})),]
    );
    assert_eq!(reply.usage, Usage::new(100, 20));
}

#[tokio::test]
async fn malformed_arguments_stay_the_text_that_the_model_wrote() {
    let calls = [("a", "echo", "{\"msg\": "), ("b", "echo", "{\"msg\": \"fine\"}"), ("c", "echo", "")];
    let reply = openai(openai::calls(&calls)).await.unwrap();
    assert_eq!(reply.finish, FinishReason::ToolCalls);
    assert_eq!(reply.usage, Usage::new(100, 20));
    let came: Vec<(&str, &str, &Arguments)> =
        reply.calls.iter().map(|call| (call.id.as_str(), call.name.as_str(), &call.arguments)).collect();
    let wanted = calls.map(|(id, name, text)| (id, name, Arguments::from(text)));
    assert_eq!(came, wanted.iter().map(|(id, name, text)| (*id, *name, text)).collect::<Vec<_>>());
}

#[tokio::test]
async fn responses_come_as_completions_do() {
    let ask = |answer| ask(Protocol::Responses, answer);
    let reply =
        ask(responses::answer("So:", &[("a", "echo", "{\"msg\": \"1\"}")], "completed")).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("So:", FinishReason::ToolCalls));
    assert_eq!(reply.calls, [ToolCall::new("a", "echo", json!({"msg": "1"}))]);

    let broken = [("a", "echo", "{\"msg\": \"hal"), ("b", "echo", "{}")];
    let reply = ask(responses::answer("So:", &broken, "incomplete")).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("So:", FinishReason::Length));
    assert_eq!(reply.usage, Usage::new(100, 20));
    assert_eq!(reply.calls, broken.map(|(id, name, arguments)| ToolCall::new(id, name, arguments)));
}

#[tokio::test]
async fn a_call_cut_by_the_token_limit_says_so() {
    let reply = openai(openai::calls_cut_by(&[("a", "echo", "{\"msg\": \"hal")], "length")).await.unwrap();
    assert_eq!(reply.finish, FinishReason::Length);
    assert_eq!(reply.calls[0].arguments, Arguments::Text("{\"msg\": \"hal".to_owned()));

    let text =
        openai(openai::message(&json!({"role": "assistant", "content": "<tool_"}), "length")).await.unwrap();
    assert_eq!((text.text.as_str(), text.finish), ("<tool_", FinishReason::Length));

    let content = json!([{"type": "tool_use", "id": "toolu_1", "name": "echo", "input": {}}]);
    let cut = ask(Protocol::Anthropic, anthropic::message(&content, "max_tokens")).await;
    assert_eq!(cut.unwrap().finish, FinishReason::Length);
}

#[tokio::test]
async fn calls_without_an_id_get_one_each() {
    let call = json!({"type": "function", "function": {"name": "echo", "arguments": "{\"msg\": \"1\"}"}});
    let message = json!({"role": "assistant", "content": "So:", "tool_calls": [call, call]});
    let reply = openai(openai::message(&message, "tool_calls")).await.unwrap();
    assert_eq!(reply.text, "So:");
    assert_eq!(reply.calls.len(), 2);
    assert!(!reply.calls[0].id.is_empty());
    assert_ne!(reply.calls[0].id, reply.calls[1].id);
}

#[tokio::test]
async fn calls_are_what_a_model_stopped_for_even_if_it_says_stop() {
    let reply = openai(openai::calls_cut_by(&[("a", "echo", "{}")], "stop")).await.unwrap();
    assert_eq!(reply.finish, FinishReason::ToolCalls);
}

#[tokio::test]
async fn an_answer_withheld_is_marked() {
    let filtered =
        openai(openai::message(&json!({"role": "assistant", "content": ""}), "content_filter")).await;
    assert_eq!(filtered.unwrap().finish, FinishReason::Filtered);

    let refusal = json!({"role": "assistant", "content": null, "refusal": "I cannot help with that."});
    let refused = openai(openai::message(&refusal, "stop")).await.unwrap();
    assert_eq!((refused.text.as_str(), refused.finish), ("I cannot help with that.", FinishReason::Filtered));
}

#[tokio::test]
async fn an_empty_answer_is_a_reply() {
    let empty = openai(openai::says("")).await.unwrap();
    assert_eq!((empty.text.as_str(), empty.calls.len(), empty.finish), ("", 0, FinishReason::Stop));
    let empty = ask(Protocol::Anthropic, anthropic::message(&json!([]), "end_turn")).await;
    assert_eq!(empty.unwrap().finish, FinishReason::Stop);
}

#[tokio::test]
async fn an_answer_that_is_none_is_an_error() {
    let cases: [(Value, ModelErrorKind, &str); 4] = [
        (json!({"hello": 1}), ModelErrorKind::InvalidReply, "neither text nor calls"),
        (json!({"choices": []}), ModelErrorKind::InvalidReply, "neither text nor calls"),
        (
            json!({"error": {"code": 429, "message": "upstream is busy"}}),
            ModelErrorKind::RateLimited,
            "upstream is busy",
        ),
        (json!({"error": {"message": "no such model"}}), ModelErrorKind::InvalidReply, "no such model"),
    ];
    for (body, kind, words) in cases {
        let error = openai(Answer::json(200, &body)).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{body}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let nameless =
        json!({"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": {}}]});
    let error = openai(openai::message(&nameless, "tool_calls")).await.unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::InvalidReply);
    assert!(!error.to_string().contains("hello"), "the request is in the text: {error}");
}
