//! A cancelled or dropped run stops at once and leaves a conversation that goes on.

use std::{
    future::{IntoFuture, pending},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::FutureExt;
use tool_core::{CancellationToken, RunOptions, StopReason};

use super::*;

/// A tool that never ends and counts its futures that were dropped.
#[derive(Default)]
struct Stuck {
    dropped: Arc<AtomicUsize>,
}

struct CountDrop(Arc<AtomicUsize>);

impl Drop for CountDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Stuck {
    fn agent(&self, model: &ScriptedModel) -> Agent {
        let dropped = Arc::clone(&self.dropped);
        let stuck = FunctionTool::builder("stuck", "Never ends.").handler(move |(), _: ToolContext| {
            let guard = CountDrop(Arc::clone(&dropped));
            async move {
                let _guard = guard;
                pending::<()>().await;
            }
        });
        let registry = Registry::builder().tool(echo()).tool(stuck).build().unwrap();
        Agent::builder(model.clone()).registry(registry).build().unwrap()
    }
}

fn stuck_beside_echo() -> ScriptedModel {
    ScriptedModel::new([ModelReply::calls([say("e", "hi"), call("s", "stuck", json!({}))])])
}

#[tokio::test]
async fn a_run_that_is_cancelled_before_it_starts_asks_nothing() {
    let model = always_ok();
    let token = CancellationToken::new();
    token.cancel();
    let result = agent(&model).run("Hi").options(RunOptions::new().cancellation(token)).await.unwrap();

    assert!(matches!(result.stop_reason, StopReason::Cancelled));
    assert_eq!((result.turns, model.requests().len()), (0, 0));
}

#[tokio::test]
async fn cancelling_drops_the_model_request() {
    let model = ScriptedModel::new([ModelReply::calls([say("e", "hi")])])
        .then_never()
        .then(ModelReply::text("Back."));
    let agent = agent(&model);
    let mut conversation = agent.conversation(agent.registry().session()).unwrap();
    let token = CancellationToken::new();
    let run =
        agent.continue_run(&mut conversation, "Hi").options(RunOptions::new().cancellation(token.clone()));
    let mut run = run.into_future();
    assert!((&mut run).now_or_never().is_none(), "it waits for the model");
    token.cancel();

    let result = run.now_or_never().expect("it ends at once").unwrap();
    assert!(matches!(result.stop_reason, StopReason::Cancelled));
    assert_eq!((result.turns, results(&result.messages)), (2, vec!["e: hi".to_owned()]));

    let result = agent.continue_run(&mut conversation, "Still there?").await.unwrap();
    assert_eq!(result.text, "Back.");
    assert_acceptable(conversation.messages());
}

#[tokio::test]
async fn cancelling_drops_the_batch_and_answers_its_calls() {
    let (stuck, model) = (Stuck::default(), stuck_beside_echo());
    let agent = stuck.agent(&model);
    let token = CancellationToken::new();
    let mut run = agent.run("Hi").options(RunOptions::new().cancellation(token.clone())).into_future();
    assert!((&mut run).now_or_never().is_none(), "it waits for the tool");
    assert_eq!(stuck.dropped.load(Ordering::SeqCst), 0);
    token.cancel();

    let result = run.now_or_never().expect("it ends at once").unwrap();
    assert!(matches!(result.stop_reason, StopReason::Cancelled));
    assert_eq!(results(&result.messages), ["e: cancelled", "s: cancelled"]);
    assert_eq!(statuses(&result.messages), [ResultStatus::Cancelled; 2]);
    assert_eq!(stuck.dropped.load(Ordering::SeqCst), 1, "the tool's future is gone");
    assert_acceptable(&result.messages);
}

#[tokio::test]
async fn calls_that_a_dropped_run_left_open_are_answered_at_the_next_use() {
    let (stuck, model) = (Stuck::default(), stuck_beside_echo().then(ModelReply::text("Back.")));
    let agent = stuck.agent(&model);
    let mut conversation = agent.conversation(agent.registry().session()).unwrap();
    assert!(agent.continue_run(&mut conversation, "Hi").into_future().now_or_never().is_none());
    assert_eq!(stuck.dropped.load(Ordering::SeqCst), 1, "the tool's future is gone");

    let result = agent.continue_run(&mut conversation, "Still there?").await.unwrap();
    assert_eq!(result.text, "Back.");
    assert_acceptable(conversation.messages());
    assert_eq!(results(conversation.messages()), ["e: cancelled", "s: cancelled"]);
    let sent = &model.requests()[1].messages;
    assert!(matches!(&sent[3], Message::Tool { call_id, .. } if call_id == "s"), "before the new input");
    assert_eq!(sent[4], Message::User { text: "Still there?".to_owned() });
}

#[tokio::test]
async fn a_dropped_batch_reveals_nothing() {
    let model =
        ScriptedModel::new([ModelReply::calls([search("q", "credit card"), call("s", "stuck", json!({}))])])
            .then(ModelReply::text("Back."));
    let stuck = FunctionTool::builder("stuck", "Never ends.")
        .handler(|(), _: ToolContext| async { pending::<()>().await });
    let registry = Registry::builder().tool(stuck).tool(payment_processor()).build().unwrap();
    let agent = Agent::builder(model.clone()).registry(registry.clone()).build().unwrap();
    let mut conversation = agent.conversation(registry.session()).unwrap();
    assert!(agent.continue_run(&mut conversation, "Hi").into_future().now_or_never().is_none());

    agent.continue_run(&mut conversation, "Still there?").await.unwrap();
    assert_eq!(tool_names(&model.requests()[1]), ["stuck", "tool_search"]);
}

#[tokio::test]
async fn tools_see_the_cancellation_of_their_run() {
    let seen: Arc<OnceLock<CancellationToken>> = Arc::default();
    let keep = Arc::clone(&seen);
    let watching =
        FunctionTool::builder("watching", "Never ends.").handler(move |(), context: ToolContext| {
            keep.set(context.cancellation().clone()).unwrap();
            pending::<String>()
        });
    let model = ScriptedModel::new([ModelReply::calls([call("w", "watching", json!({}))])]);
    let registry = Registry::builder().tool(watching).build().unwrap();
    let agent = Agent::builder(model).registry(registry).build().unwrap();
    let token = CancellationToken::new();
    let mut run = agent.run("Hi").options(RunOptions::new().cancellation(token.clone())).into_future();
    assert!((&mut run).now_or_never().is_none(), "it waits for the tool");
    assert!(!seen.get().unwrap().is_cancelled());
    token.cancel();

    run.now_or_never().expect("it ends at once").unwrap();
    assert!(seen.get().unwrap().is_cancelled());
}
