//! Whole runs of an agent over each wire: the provider judges every request of them.

use serde_json::Value;
use tool_core::{Agent, Message, ModelErrorKind, ResultStatus, RunLimits, StopReason};

use crate::{
    tools::registry,
    wire::{Answer, Protocol, Provider, Received, openai},
};

const PROTOCOLS: [Protocol; 3] = [Protocol::OpenAi, Protocol::Responses, Protocol::Anthropic];
const SEARCH: (&str, &str, &str) = ("call_1", "tool_search", "{\"query\": \"charge a credit card\"}");
const CHARGE: (&str, &str, &str) = ("call_2", "payment_processor", "{\"amount_cents\": 1250}");

fn agent(provider: &Provider) -> Agent {
    Agent::builder(provider.model())
        .registry(registry())
        .instructions("Charge what is asked.")
        .build()
        .unwrap()
}

/// Name, status and text of each result.
pub(crate) fn results(messages: &[Message]) -> Vec<(&str, ResultStatus, String)> {
    let results = messages.iter().filter_map(|message| match message {
        Message::Tool { name, output, status, .. } => {
            Some((name.as_str(), *status, output.to_text().into_owned()))
        }
        _ => None,
    });
    results.collect()
}

fn tools(request: &Received) -> &[Value] {
    request.body["tools"].as_array().unwrap()
}

#[tokio::test]
async fn a_hidden_tool_is_found_revealed_and_called() {
    for protocol in PROTOCOLS {
        let script = [protocol.calls(&[SEARCH]), protocol.calls(&[CHARGE]), protocol.says("Charged 12.50.")];
        let provider = Provider::start(protocol, script);
        let result = agent(&provider).run("Charge 12.50").await.unwrap();

        assert!(matches!(result.stop_reason, StopReason::Answered), "{protocol:?}: {}", result.stop_reason);
        assert_eq!(result.text, "Charged 12.50.");
        assert_eq!(result.usage.input_tokens, 300);
        let results = results(&result.messages);
        assert_eq!(results[1], ("payment_processor", ResultStatus::Succeeded, "charged 1250".to_owned()));

        let requests = provider.finish();
        assert!(!requests[0].body.to_string().contains("payment_processor"), "{protocol:?}");
        assert_eq!(tools(&requests[1])[..2], *tools(&requests[0]), "{protocol:?}");
        assert!(tools(&requests[1])[2].to_string().contains("payment_processor"), "{protocol:?}");
        assert_eq!(tools(&requests[2]), tools(&requests[1]), "{protocol:?}");
    }
}

#[tokio::test]
async fn a_call_beside_the_search_that_reveals_it_is_refused_once() {
    for protocol in PROTOCOLS {
        let script = [
            protocol.calls(&[SEARCH, CHARGE]),
            protocol.calls(&[("call_3", CHARGE.1, CHARGE.2)]),
            protocol.says("ok"),
        ];
        let provider = Provider::start(protocol, script);
        let result = agent(&provider).run("Charge 12.50").await.unwrap();
        let statuses: Vec<ResultStatus> = results(&result.messages).iter().map(|result| result.1).collect();
        assert_eq!(
            statuses,
            [ResultStatus::Succeeded, ResultStatus::Refused, ResultStatus::Succeeded],
            "{protocol:?}"
        );
        assert_eq!(provider.finish().len(), 3);
    }
}

#[tokio::test]
async fn malformed_arguments_are_answered_and_not_sent_back() {
    for protocol in [Protocol::OpenAi, Protocol::Responses] {
        let broken = ("call_1", "echo", "{\"msg\": \"hel");
        let script =
            [protocol.calls(&[broken, ("call_2", "echo", "{\"msg\": \"fine\"}")]), protocol.says("ok")];
        let provider = Provider::start(protocol, script);
        let result = agent(&provider).run("Say hello").await.unwrap();
        let results = results(&result.messages);
        assert_eq!(results[0].1, ResultStatus::Failed, "{protocol:?}");
        assert_eq!(results[1], ("echo", ResultStatus::Succeeded, "fine".to_owned()));
        assert!(!provider.finish()[1].body.to_string().contains("hel\""), "{protocol:?}");
    }
}

#[tokio::test]
async fn a_call_cut_by_the_token_limit_does_not_poison_the_history() {
    let cut = openai::calls_cut_by(&[("call_1", "echo", "{\"msg\": \"hel")], "length");
    let provider = Provider::start(Protocol::OpenAi, [cut, openai::says("a"), openai::says("b")]);
    let agent = agent(&provider);
    let mut conversation = agent.conversation(agent.registry().session()).unwrap();
    agent.continue_run(&mut conversation, "Say hello").await.unwrap();
    agent.continue_run(&mut conversation, "Again").await.unwrap();
    assert_eq!(results(conversation.messages())[0].1, ResultStatus::Failed);
    assert_eq!(provider.finish().len(), 3);
}

#[tokio::test]
async fn names_and_ids_that_no_provider_takes_back_are_answered() {
    for protocol in PROTOCOLS {
        let calls = [
            ("x", "functions.echo", "{}"),
            ("x", "echo", "{\"msg\": \"1\"}"),
            ("x", "echo", "{\"msg\": \"2\"}"),
        ];
        let provider = Provider::start(protocol, [protocol.calls(&calls), protocol.says("ok")]);
        let result = agent(&provider).run("Say hello").await.unwrap();
        assert_eq!(results(&result.messages).len(), 3, "{protocol:?}");
        assert_eq!(provider.finish().len(), 2);
    }
}

#[tokio::test]
async fn after_a_turn_limit_the_conversation_goes_on() {
    for protocol in PROTOCOLS {
        let provider = Provider::start(
            protocol,
            [protocol.calls(&[SEARCH]), protocol.calls(&[CHARGE]), protocol.says("ok")],
        );
        let agent = Agent::builder(provider.model())
            .registry(registry())
            .limits(RunLimits::DEFAULT.turns(2))
            .build()
            .unwrap();
        let mut conversation = agent.conversation(agent.registry().session()).unwrap();
        let stopped = agent.continue_run(&mut conversation, "Charge 12.50").await.unwrap();
        assert!(
            matches!(stopped.stop_reason, StopReason::TurnLimit),
            "{protocol:?}: {}",
            stopped.stop_reason
        );
        let done = agent.continue_run(&mut conversation, "Done?").await.unwrap();
        assert_eq!(done.text, "ok");
        assert_eq!(provider.finish().len(), 3);
    }
}

#[tokio::test]
async fn a_failed_request_ends_the_run_and_the_next_one_goes_on() {
    for protocol in PROTOCOLS {
        let busy = Answer::json(429, &serde_json::json!({"error": {"message": "slow down"}}));
        let script = [protocol.calls(&[SEARCH]), busy, Answer::Hangup, protocol.says("ok")];
        let provider = Provider::start(protocol, script);
        let agent = agent(&provider);
        let mut conversation = agent.conversation(agent.registry().session()).unwrap();
        for kind in [ModelErrorKind::RateLimited, ModelErrorKind::Connection] {
            let failed = agent.continue_run(&mut conversation, "Charge 12.50").await.unwrap();
            let StopReason::ModelError(error) = failed.stop_reason else { panic!("{}", failed.stop_reason) };
            assert_eq!(error.kind(), kind, "{protocol:?}");
        }
        let done = agent.continue_run(&mut conversation, "And now?").await.unwrap();
        assert_eq!(done.text, "ok", "{protocol:?}");
        assert_eq!(provider.finish().len(), 4);
    }
}

#[tokio::test]
async fn an_empty_answer_is_no_part_of_the_history() {
    for protocol in PROTOCOLS {
        let provider = Provider::start(protocol, [protocol.says(""), protocol.says("ok")]);
        let agent = agent(&provider);
        let mut conversation = agent.conversation(agent.registry().session()).unwrap();
        let empty = agent.continue_run(&mut conversation, "Charge 12.50").await.unwrap();
        assert!(matches!(empty.stop_reason, StopReason::EmptyAnswer), "{protocol:?}: {}", empty.stop_reason);
        agent.continue_run(&mut conversation, "Please").await.unwrap();
        assert_eq!(provider.finish().len(), 2);
    }
}
