//! Reasoning goes back to the provider that wrote it, with the calls it led to, and to nobody else.

use serde_json::{Value, json};
use tool_core::{Agent, Message, RunLimits, StopReason};
use tool_genai::{GenaiModel, genai::adapter::AdapterKind};

use crate::{
    tools::registry,
    wire::{Answer, Protocol, Provider, anthropic, openai},
};

const DEEPSEEK: AdapterKind = AdapterKind::DeepSeek;

fn thinks() -> Answer {
    anthropic::message(
        &json!([
            {"type": "thinking", "thinking": "They want an echo.", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "b3BhcXVl"},
            {"type": "tool_use", "id": "toolu_1", "name": "echo", "input": {"msg": "1"}},
        ]),
        "tool_use",
    )
}

fn reasons(arguments: &str) -> Answer {
    let call = json!({"id": "a", "type": "function", "function": {"name": "echo", "arguments": arguments}});
    let message = json!({
        "role": "assistant", "content": "", "reasoning_content": "They want an echo.", "tool_calls": [call],
    });
    openai::message(&message, "tool_calls")
}

/// Runs one turn with the first model and, after a way through JSON, the next with the second: what the assistant's
/// message is there.
async fn sent_back(
    first: &Provider,
    first_model: GenaiModel,
    second: Provider,
    second_model: GenaiModel,
) -> Value {
    let agent = |model| {
        Agent::builder(model).registry(registry()).limits(RunLimits::DEFAULT.turns(1)).build().unwrap()
    };
    let (asking, going_on) = (agent(first_model), agent(second_model));
    let mut conversation = asking.conversation(asking.registry().session()).unwrap();
    let stopped = asking.continue_run(&mut conversation, "Say 1").await.unwrap();
    assert!(matches!(stopped.stop_reason, StopReason::TurnLimit), "{}", stopped.stop_reason);
    assert_eq!(first.requests(), 1);

    let stored = serde_json::to_string(conversation.messages()).unwrap();
    let messages: Vec<Message> = serde_json::from_str(&stored).unwrap();
    let mut conversation =
        going_on.conversation(going_on.registry().session()).unwrap().with_messages(messages);
    let done = going_on.resume(&mut conversation).await.unwrap();
    assert!(matches!(done.stop_reason, StopReason::Answered), "{}", done.stop_reason);
    second.finish()[0].body["messages"][1].clone()
}

async fn sent_back_by_itself(protocol: Protocol, answer: Answer, adapter: Option<AdapterKind>) -> Value {
    let (first, second) =
        (Provider::start(protocol, [answer]), Provider::start(protocol, [protocol.says("ok")]));
    let model = |provider: &Provider| match adapter {
        Some(adapter) => provider.model().with_adapter(adapter),
        None => provider.model(),
    };
    let (first_model, second_model) = (model(&first), model(&second));
    sent_back(&first, first_model, second, second_model).await
}

#[tokio::test]
async fn signed_thinking_stands_before_the_calls_again() {
    let message = sent_back_by_itself(Protocol::Anthropic, thinks(), None).await;
    assert_eq!(
        message["content"],
        json!([
            {"type": "thinking", "thinking": "They want an echo.", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "b3BhcXVl"},
            {"type": "tool_use", "id": "toolu_1", "name": "echo", "input": {"msg": "1"}},
        ])
    );
}

#[tokio::test]
async fn plain_reasoning_goes_back_where_it_is_asked_for() {
    for arguments in ["{\"msg\": \"1\"}", "{\"msg\": \"cut"] {
        let message = sent_back_by_itself(Protocol::OpenAi, reasons(arguments), Some(DEEPSEEK)).await;
        assert_eq!(message["reasoning_content"], "They want an echo.", "{arguments}");
        let message = sent_back_by_itself(Protocol::OpenAi, reasons(arguments), None).await;
        assert_eq!(message.get("reasoning_content"), None, "{arguments}");
    }
}

#[tokio::test]
async fn another_provider_does_not_get_it() {
    let first = Provider::start(Protocol::Anthropic, [thinks()]);
    let second = Provider::start(Protocol::OpenAi, [openai::says("ok")]);
    let (first_model, second_model) = (first.model(), second.model().with_adapter(DEEPSEEK));
    let message = sent_back(&first, first_model, second, second_model).await;
    assert_eq!(message["tool_calls"][0]["id"], "toolu_1");
    assert!(!message.to_string().contains("They want an echo."), "{message}");
}
