//! The end of a suspended batch, where a `finish` is dropped midway or runs beside another one.

use tool_core::{ApprovalDecision, Batch, CallProgress, Registry, ToolOutput};

use super::{asking, gated, read, suspend, suspended};
use crate::support::{Gates, Runs, call, ends, poll_once};

#[tokio::test]
async fn a_finish_that_is_dropped_midway_keeps_the_results_of_the_calls_that_had_ended() {
    let (runs, gates) = (Runs::default(), Gates::default());
    let tools = [runs.eager("pay_now"), gated(&runs, &gates, "pay_slowly")];
    let session = asking(Registry::builder().tools(tools)).build().unwrap().session();
    suspend(&session, &["pay_slowly", "pay_now"]).await;
    for id in ["pay_slowly", "pay_now"] {
        session.decide(id, ApprovalDecision::AllowOnce).await.unwrap();
    }
    let mut finishing = Box::pin(session.finish());
    assert!(poll_once(&mut finishing).await.is_none());
    drop(finishing);
    let undecided = session.undecided();
    assert_eq!(undecided.len(), 1, "{undecided:?}");
    assert_eq!((&*undecided[0].call_id, undecided[0].progress), ("pay_slowly", CallProgress::Interrupted));
    session.decide("pay_slowly", ApprovalDecision::Answer(ToolOutput::text("looked it up"))).await.unwrap();
    assert_eq!(read(session.finish().await.unwrap()), ["looked it up", "pay_now ran"]);
    assert_eq!(runs.all(), ["pay_slowly", "pay_now"]);
    assert!(session.turn().await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_second_finish_waits_for_the_calls_that_the_first_one_runs() {
    let (runs, gates) = (Runs::default(), Gates::default());
    let registry = asking(Registry::builder().tool(gated(&runs, &gates, "pay_slowly"))).build().unwrap();
    let session = registry.session();
    suspend(&session, &["pay_slowly"]).await;
    session.decide("pay_slowly", ApprovalDecision::AllowOnce).await.unwrap();
    let (mut first, mut second) = (Box::pin(session.finish()), Box::pin(session.finish()));
    assert!(poll_once(&mut first).await.is_none());
    assert!(poll_once(&mut second).await.is_none(), "nothing is left to decide, and nothing is done yet");
    gates.open("pay_slowly");
    let (first, second) = ends(async { tokio::join!(first, second) }).await;
    let mut both = read(first.unwrap());
    both.extend(read(second.unwrap()));
    assert_eq!(both, ["pay_slowly ran"], "the batch is given once");
    assert_eq!(runs.all(), ["pay_slowly"]);
}

#[tokio::test(start_paused = true)]
async fn a_finish_that_waits_for_another_one_gives_the_calls_back_when_that_is_dropped() {
    let (runs, gates) = (Runs::default(), Gates::default());
    let registry = asking(Registry::builder().tool(gated(&runs, &gates, "pay_slowly"))).build().unwrap();
    let session = registry.session();
    suspend(&session, &["pay_slowly"]).await;
    session.decide("pay_slowly", ApprovalDecision::AllowOnce).await.unwrap();
    let (mut first, mut second) = (Box::pin(session.finish()), Box::pin(session.finish()));
    assert!(poll_once(&mut first).await.is_none());
    assert!(poll_once(&mut second).await.is_none());
    drop(first);
    assert_eq!(suspended(ends(second).await.unwrap()), ["pay_slowly"]);
    assert_eq!(runs.all(), ["pay_slowly"]);
}

#[tokio::test]
async fn what_is_decided_while_a_finish_runs_is_run_by_it_too() {
    let (runs, gates) = (Runs::default(), Gates::default());
    let tools = [runs.eager("pay_now"), gated(&runs, &gates, "pay_slowly")];
    let session = asking(Registry::builder().tools(tools)).build().unwrap().session();
    suspend(&session, &["pay_slowly", "pay_now"]).await;
    session.decide("pay_slowly", ApprovalDecision::AllowOnce).await.unwrap();
    let mut finishing = Box::pin(session.finish());
    assert!(poll_once(&mut finishing).await.is_none());
    session.decide("pay_now", ApprovalDecision::AllowOnce).await.unwrap();
    gates.open("pay_slowly");
    assert_eq!(read(finishing.await.unwrap()), ["pay_slowly ran", "pay_now ran"]);
}

#[tokio::test]
async fn a_batch_in_the_old_turn_leaves_the_one_that_waits_alone() {
    let runs = Runs::default();
    let session = asking(Registry::builder().tool(runs.eager("pay_now"))).build().unwrap().session();
    let turn = session.turn().await.unwrap();
    assert_eq!(suspended(turn.call_all([call("1", "pay_now")]).await), ["1"]);
    let second = read(turn.call_all([call("2", "pay_now")]).await);
    assert_eq!(second, ["Tool 'pay_now' was not approved: other calls wait for a decision"]);
    session.decide("1", ApprovalDecision::AllowOnce).await.unwrap();
    assert_eq!(read(session.finish().await.unwrap()), ["pay_now ran"]);
}

#[tokio::test]
async fn calls_without_ids_are_decided_one_by_one() {
    let (runs, gates) = (Runs::default(), Gates::default());
    let tools = ["pay_one", "pay_two"].map(|name| gated(&runs, &gates, name));
    let session = asking(Registry::builder().tools(tools)).build().unwrap().session();
    let turn = session.turn().await.unwrap();
    let ids = suspended(turn.call_all([call("", "pay_one"), call("", "pay_two")]).await);
    assert_ne!(ids[0], ids[1]);
    session.decide(&ids[0], ApprovalDecision::deny("no")).await.unwrap();
    session.decide(&ids[1], ApprovalDecision::AllowOnce).await.unwrap();
    gates.open("pay_two");
    let Batch::Done(results) = session.finish().await.unwrap() else { panic!("all are decided") };
    assert_eq!(results[0].text(), "Tool 'pay_one' was not approved: no");
    assert_eq!((results[1].call_id.as_str(), results[1].text().as_ref()), ("", "pay_two ran"));
    assert_eq!(runs.all(), ["pay_two"]);
}
