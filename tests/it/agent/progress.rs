//! Runs that go in circles end with a reason, and new input gives them a new start.

use tool_core::{AgentEvent, RunLimits, StopReason, TurnStop};

use super::*;

/// A reply without end: a search for other words each time, or a call of a hidden tool.
fn endless(stop: TurnStop) -> ScriptedModel {
    ScriptedModel::answering(move |request| {
        let turn = request.messages.len();
        Ok(ModelReply::calls([match stop {
            TurnStop::Searching => search("", &format!("word{turn}")),
            _ => charge("", 1),
        }]))
    })
}

#[tokio::test]
async fn a_run_that_only_searches_or_is_only_refused_ends_with_the_sixth_turn() {
    for stop in [TurnStop::Searching, TurnStop::Refused] {
        for entry in ENTRIES {
            let model = endless(stop);
            let result = entry.run(&agent(&model), "Go").await;
            assert!(
                matches!(result.stop_reason, StopReason::NoProgress(told) if told == stop),
                "{entry:?}: {:?}",
                result.stop_reason
            );
            assert_eq!((result.turns, model.requests().len()), (6, 6), "{entry:?}");
            let answers = results(&result.messages);
            assert_eq!(answers.len(), 6, "the last call is answered too");
            let told: Vec<_> = answers.iter().map(|text| text.contains("our last turns")).collect();
            assert_eq!(told, [false, false, false, false, true, true], "{entry:?}: {answers:?}");
            assert_acceptable(&result.messages);
        }
    }
}

#[tokio::test]
async fn the_same_search_again_is_told_once_and_then_ends_the_run() {
    let model = ScriptedModel::answering(|_| Ok(ModelReply::calls([search("", "credit card")])));
    let result = agent(&model).run("Go").await.unwrap();
    assert!(matches!(result.stop_reason, StopReason::NoProgress(TurnStop::Searching)));
    let repeated: Vec<_> =
        results(&result.messages).iter().map(|text| text.contains("made before")).collect();
    assert_eq!(repeated, [false, true, true]);
}

#[tokio::test]
async fn new_input_starts_the_counts_again_whatever_ended_the_run_before() {
    for stop in [TurnStop::Searching, TurnStop::Refused] {
        for turns in [4, 20] {
            let model = endless(stop);
            let agent = Agent::builder(model.clone())
                .registry(registry())
                .limits(RunLimits::DEFAULT.turns(turns))
                .build()
                .unwrap();
            let mut conversation = agent.conversation(agent.registry().session()).unwrap();
            for _ in 0..3 {
                let result = agent.continue_run(&mut conversation, "Go").await.unwrap();
                assert_eq!(result.turns, turns.min(6), "{stop:?}");
            }
            assert_acceptable(conversation.messages());
        }
    }
}

#[tokio::test]
async fn resuming_without_input_counts_on() {
    let model = endless(TurnStop::Refused);
    let agent = Agent::builder(model.clone())
        .registry(registry())
        .limits(RunLimits::DEFAULT.turns(4))
        .build()
        .unwrap();
    let mut conversation = agent.run("Go").await.unwrap().conversation.unwrap();
    let result = agent.resume(&mut conversation).await.unwrap();
    assert!(matches!(result.stop_reason, StopReason::NoProgress(TurnStop::Refused)));
    assert_eq!(result.turns, 2);
}

#[tokio::test]
async fn a_turn_that_does_something_else_starts_the_counts_again() {
    let model = ScriptedModel::answering(|request| {
        let turn = request.messages.len() / 2;
        Ok(ModelReply::calls([if turn % 5 == 4 { say("", "hi") } else { charge("", 1) }]))
    });
    let result = agent(&model).run("Go").await.unwrap();
    assert!(matches!(result.stop_reason, StopReason::TurnLimit), "{:?}", result.stop_reason);
}

#[tokio::test]
async fn the_results_of_the_last_turn_are_streamed_before_the_end() {
    let agent = agent(&endless(TurnStop::Refused));
    let mut stream = agent.stream("Go");
    let mut ended = Vec::new();
    while let Some(event) = stream.next().await {
        if let AgentEvent::CallEnded { turn, .. } = event.unwrap() {
            ended.push(turn);
        }
    }
    assert_eq!(ended, [1, 2, 3, 4, 5, 6]);
}
