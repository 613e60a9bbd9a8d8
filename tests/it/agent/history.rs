//! What stays in the messages: never what would make a provider refuse the next request.

use proptest::prelude::*;
use tool_core::{AgentEvent, Arguments, FinishReason, StopReason, TurnStop};

use super::*;

#[tokio::test]
async fn malformed_arguments_are_answered_and_never_sent_back() {
    for entry in ENTRIES {
        let broken = "{\"msg\": \"hi";
        let model = ScriptedModel::new([
            ModelReply::calls([ToolCall::new("b", "echo", broken), say("e", "fine")]),
            ModelReply::text("Sorry."),
        ]);
        let result = entry.run(&agent(&model), "Hi").await;

        let answers = results(&result.messages);
        assert!(answers[0].starts_with("b: Invalid JSON input: "), "{entry:?}: {answers:?}");
        assert_eq!(answers[1], "e: fine", "{entry:?}");
        assert_eq!(statuses(&result.messages), [ResultStatus::Failed, ResultStatus::Succeeded]);
        let sent = &model.requests()[1].messages;
        assert_acceptable(sent);
        let Message::Assistant { calls, .. } = &sent[1] else { panic!("{sent:?}") };
        assert_eq!(calls[0].arguments, Arguments::Text("{}".to_owned()));
        assert!(!serde_json::to_string(sent).unwrap().contains("\\\"hi"), "{sent:?}");
    }
}

#[tokio::test]
async fn the_gate_and_the_host_see_what_the_model_sent() {
    let model = ScriptedModel::new([
        ModelReply::calls([ToolCall::new("b", "payment_processor", "{\"amount")]),
        ModelReply::text("Sorry."),
    ]);
    let mut stream = agent(&model).stream("Hi");
    let mut replies = Vec::new();
    while let Some(event) = stream.next().await {
        match event.unwrap() {
            AgentEvent::ModelReplied { reply, .. } => replies.extend(reply.calls),
            AgentEvent::CallEnded { result, .. } => {
                assert!(result.refused(), "the gate comes first: {result}");
            }
            _ => {}
        }
    }
    assert_eq!(replies[0].arguments, Arguments::Text("{\"amount".to_owned()));
}

#[tokio::test]
async fn a_call_cut_by_the_token_limit_does_not_poison_the_conversation() {
    let cut = ModelReply::calls([say("e", "fine"), ToolCall::new("c", "echo", "{\"msg\":\"a long te")]);
    let model = ScriptedModel::new([cut.with_finish(FinishReason::Length), ModelReply::text("Shorter.")]);
    let result = agent(&model).run("Hi").await.unwrap();

    assert!(matches!(result.stop_reason, StopReason::Answered));
    assert_eq!(statuses(&result.messages), [ResultStatus::Succeeded, ResultStatus::Failed]);
    assert_acceptable(&model.requests()[1].messages);
}

#[tokio::test]
async fn calls_without_an_id_get_one_and_duplicates_run_once() {
    let model = ScriptedModel::new([
        ModelReply::calls([say("", "a"), say("x", "b"), say("", "c"), say("x", "d")]),
        ModelReply::calls([say("x", "e")]),
        ModelReply::text("done"),
    ]);
    let result = agent(&model).run("Hi").await.unwrap();

    let texts: Vec<_> = results(&result.messages)
        .into_iter()
        .map(|line| line.split_once(": ").unwrap().1.to_owned())
        .collect();
    assert_eq!(texts, ["a", "b", "c", "duplicate call id", "e"]);
    assert_acceptable(&result.messages);
}

#[tokio::test]
async fn illegal_names_are_refused_and_stay_out_of_the_history() {
    let model = ScriptedModel::new([
        ModelReply::calls([call("1", "größe; drop", json!({})), call("2", "", json!({}))]),
        ModelReply::text("Sorry."),
    ]);
    let result = agent(&model).run("Hi").await.unwrap();
    assert_eq!(statuses(&result.messages), [ResultStatus::Refused; 2]);
    assert_acceptable(&model.requests()[1].messages);
}

#[tokio::test]
async fn messages_round_trip_and_a_conversation_goes_on_from_them() {
    let model = search_and_charge().then(ModelReply::text("Still here."));
    let agent = Agent::builder(model.clone()).registry(registry()).instructions("Be brief.").build().unwrap();
    let mut conversation = agent.conversation(agent.registry().session()).unwrap();
    agent.continue_run(&mut conversation, "Charge").await.unwrap();

    let stored = serde_json::to_string(conversation.messages()).unwrap();
    let messages: Vec<Message> = serde_json::from_str(&stored).unwrap();
    assert_eq!(messages, conversation.messages());
    assert_eq!(serde_json::to_string(&messages).unwrap(), stored, "same bytes");

    let mut restored = agent.conversation(agent.registry().session()).unwrap().with_messages(messages);
    let result = agent.continue_run(&mut restored, "And?").await.unwrap();
    assert_eq!((result.text.as_str(), result.messages.len()), ("Still here.", 2));
    let requests = model.requests();
    let sent = requests.last().unwrap();
    assert_eq!(sent.messages[..conversation.messages().len()], *conversation.messages());
    assert!(!tool_names(sent).contains(&"payment_processor"), "messages carry no reveals, the session does");
}

#[tokio::test]
async fn restored_messages_are_repaired() {
    let broken = vec![
        Message::User { text: "Hi".to_owned() },
        Message::Assistant {
            text: String::new(),
            calls: vec![ToolCall::new("b", "ech o", "{\"msg\": ")],
            continuation: None,
        },
    ];
    let model = always_ok();
    let agent = agent(&model);
    let mut conversation = agent.conversation(agent.registry().session()).unwrap().with_messages(broken);
    agent.continue_run(&mut conversation, "Still there?").await.unwrap();
    assert_acceptable(&model.requests()[0].messages);
    assert_eq!(results(conversation.messages()), ["b: cancelled"]);
}

/// A call as bad as models send them.
fn any_call() -> impl Strategy<Value = ToolCall> {
    let id = prop_oneof![Just(""), Just(" "), Just("a"), Just("b"), Just("call_1"), Just("call_2")];
    let name =
        prop_oneof![Just("echo"), Just("tool_search"), Just("payment_processor"), Just("no such"), Just("")];
    let text = prop_oneof![
        Just(r#"{"msg":"hi"}"#.to_owned()),
        Just(r#"{"query":"credit card"}"#.to_owned()),
        Just(r#"{"msg":"h"#.to_owned()),
        Just(r#""{\"msg\":\"hi\"}""#.to_owned()),
        "\\PC{0,12}",
    ];
    (id, name, text).prop_map(|(id, name, text)| ToolCall::new(id, name, text))
}

fn searches(reply: &[ToolCall]) -> bool {
    reply.iter().any(|call| call.name == "tool_search")
}

proptest! {
    #[test]
    fn whatever_a_model_sends_each_call_has_exactly_one_result(
        replies in prop::collection::vec(prop::collection::vec(any_call(), 1..5), 1..8),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let script = replies.iter().cloned().map(ModelReply::calls);
        let model = ScriptedModel::new(script).then(ModelReply::text("done"));
        let result = runtime.block_on(agent(&model).run("Hi").into_future()).unwrap();

        let requests = model.requests();
        let made = replies.get(..requests.len()).unwrap_or(&replies);
        match result.stop_reason {
            StopReason::Answered => prop_assert!(model.finish().is_ok()),
            // Random replies go in circles too, and the rest of the script is not asked for.
            StopReason::NoProgress(TurnStop::Searching) => {
                prop_assert!(made.len() >= 3 && made.iter().rev().take(2).all(|reply| searches(reply)));
            }
            StopReason::NoProgress(TurnStop::Refused) => prop_assert!(made.len() >= 6),
            other => prop_assert!(false, "{other:?}"),
        }
        prop_assert_eq!(results(&result.messages).len(), made.iter().map(Vec::len).sum::<usize>());
        assert_acceptable(&result.messages);
        for request in requests {
            assert_acceptable(&request.messages);
        }
    }
}
