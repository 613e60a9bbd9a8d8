//! The event stream: what it tells, in which order, and that it is pulled.

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use tool_core::{AgentEvent, CallOutcome, RunOptions, StopReason};

use super::*;

/// One line per event.
fn line(event: &AgentEvent) -> String {
    match event {
        AgentEvent::TurnStarted { turn, tools } => {
            let tools: Vec<_> = tools.iter().map(tool_core::ToolName::as_str).collect();
            format!("{turn} sees {}", tools.join(" "))
        }
        AgentEvent::ModelReplied { turn, reply } => {
            let calls: Vec<_> = reply.calls.iter().map(|call| call.id.as_str()).collect();
            format!("{turn} replies {:?} [{}]", reply.text, calls.join(" "))
        }
        AgentEvent::CallEnded { turn, result } => {
            format!("{turn} ends {} {:?}", result.call_id, result.status())
        }
        AgentEvent::Finished(result) => format!("{} after {}", result.stop_reason, result.turns),
        _ => "?".to_owned(),
    }
}

fn script() -> ScriptedModel {
    ScriptedModel::new([
        ModelReply::calls([charge("c", 1), search("s", "credit card")]),
        ModelReply::calls([charge("d", 2)]),
        ModelReply::text("Charged."),
    ])
}

const EXPECTED: [&str; 10] = [
    "1 sees echo tool_search",
    "1 replies \"\" [c s]",
    "1 ends c Refused",
    "1 ends s Succeeded",
    "2 sees echo tool_search payment_processor",
    "2 replies \"\" [d]",
    "2 ends d Succeeded",
    "3 sees echo tool_search payment_processor",
    "3 replies \"Charged.\" []",
    "answered after 3",
];

#[tokio::test]
async fn a_stream_tells_turns_replies_results_and_the_end_in_order() {
    let stream = agent(&script()).stream("Charge");
    let lines: Vec<_> = stream.map(|event| line(&event.unwrap())).collect().await;
    assert_eq!(lines, EXPECTED);
}

#[tokio::test]
async fn a_sink_sees_the_same_events_whether_awaited_or_streamed() {
    for streamed in [false, true] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let options = RunOptions::new().on_event({
            let seen = Arc::clone(&seen);
            move |event| seen.lock().unwrap().push(line(event))
        });
        let run = agent(&script()).run("Charge").options(options);
        let result = if streamed { last(run.stream()).await } else { run.await.unwrap() };
        assert!(matches!(result.stop_reason, StopReason::Answered));
        assert_eq!(*seen.lock().unwrap(), EXPECTED, "streamed: {streamed}");
    }
}

#[tokio::test]
async fn a_panicking_sink_does_not_touch_the_run() {
    let options = RunOptions::new().on_event(|_| panic!("a broken sink"));
    let result = agent(&script()).run("Charge").options(options).await.unwrap();
    assert_eq!(result.text, "Charged.");
}

#[tokio::test]
async fn a_result_event_has_the_typed_outcome() {
    let model = ScriptedModel::new([ModelReply::calls([say("e", "hi")]), ModelReply::text("done")]);
    let mut stream = agent(&model).stream("Hi");
    while let Some(event) = stream.next().await {
        if let AgentEvent::CallEnded { result, .. } = event.unwrap() {
            let CallOutcome::Succeeded(output) = &result.outcome else { panic!("{result:?}") };
            assert_eq!(output.to_text(), "hi");
            return;
        }
    }
    panic!("no result event");
}

#[tokio::test]
async fn nothing_happens_unless_the_stream_is_polled() {
    let model = script();
    let mut stream = agent(&model).stream("Charge");
    assert_eq!(model.requests().len(), 0);
    stream.next().await.unwrap().unwrap();
    assert_eq!(model.requests().len(), 0, "the turn started, the model is not asked yet");
    stream.next().await.unwrap().unwrap();
    assert_eq!(model.requests().len(), 1);
    tokio::task::yield_now().await;
    assert_eq!(model.requests().len(), 1);
}

/// Dropped after each number of events, a conversation goes on as if nothing was wrong.
#[tokio::test]
async fn a_stream_may_be_dropped_anywhere() {
    for pulled in 0..=EXPECTED.len() {
        let model = ScriptedModel::answering(|request| {
            let last = request.messages.last();
            Ok(match last {
                Some(Message::User { text }) if text == "Charge" => {
                    ModelReply::calls([charge("c", 1), search("s", "credit card")])
                }
                Some(Message::Tool { call_id, .. }) if call_id == "s" => ModelReply::calls([charge("d", 2)]),
                _ => ModelReply::text("Charged."),
            })
        });
        let agent = agent(&model);
        let mut conversation = agent.conversation(agent.registry().session()).unwrap();
        let mut stream = agent.continue_run(&mut conversation, "Charge").stream();
        for expected in &EXPECTED[..pulled] {
            assert_eq!(line(&stream.next().await.unwrap().unwrap()), *expected);
        }
        drop(stream);

        let result = agent.continue_run(&mut conversation, "Still there?").await.unwrap();
        assert_eq!(result.text, "Charged.", "after {pulled} events");
        assert_acceptable(conversation.messages());
        let sent = model.requests();
        let sent = sent.last().unwrap();
        assert_acceptable(&sent.messages);
        let revealed = tool_names(sent).contains(&"payment_processor");
        // The batch has run once the first of its results was pulled.
        assert_eq!(revealed, pulled >= 3, "after {pulled} events");
        let open = statuses(conversation.messages()).contains(&ResultStatus::Cancelled);
        assert_eq!(open, pulled == 2 || pulled == 6, "after {pulled} events");
    }
}

#[tokio::test]
async fn runs_and_streams_can_be_sent_to_other_threads() {
    fn assert_send<T: Send>(value: T) -> T {
        value
    }
    let agent = agent(&always_ok());
    let run = assert_send(std::future::IntoFuture::into_future(agent.run("Hi")));
    assert_eq!(tokio::spawn(run).await.unwrap().unwrap().text, "ok");
    let stream = assert_send(agent.stream("Hi"));
    assert_eq!(tokio::spawn(last(stream)).await.unwrap().text, "ok");
    let mut conversation = assert_send(agent.conversation(agent.registry().session()).unwrap());
    let run = assert_send(std::future::IntoFuture::into_future(agent.continue_run(&mut conversation, "Hi")));
    assert_eq!(run.await.unwrap().text, "ok");
}
