//! Suspended batches in a store: of all processes that may end one, one runs a call, and no result is lost.

use std::sync::Arc;

use tool_core::{
    ApprovalDecision, CallProgress, DecideError, Registry, SaveError, Session, SessionEvent, TurnError,
};

use super::{Fault, Flaky, asking, gated, open, read, suspend, suspended};
use crate::support::{Gates, Log, Runs, hidden, poll_once, revealed, search};

const ALLOW: ApprovalDecision = ApprovalDecision::AllowOnce;

/// What the processes of a test share, and what their tools did.
struct Shared {
    runs: Runs,
    gates: Gates,
    log: Log,
    store: Arc<Flaky>,
    registry: Registry,
}

fn shared() -> Shared {
    let (runs, gates, log) = (Runs::default(), Gates::default(), Log::default());
    let tools = [gated(&runs, &gates, "pay_one"), gated(&runs, &gates, "pay_two"), hidden("later", "Later.")];
    let registry = asking(Registry::builder().tools(tools).events(log.clone())).build().unwrap();
    Shared { runs, gates, log, store: Arc::default(), registry }
}

/// A session that is saved while the calls of these tools wait.
async fn saved_waiting(registry: &Registry, store: &Arc<Flaky>, tools: &[&str]) -> Session {
    let session = open(registry, store).await;
    suspend(&session, tools).await;
    session.save().await.unwrap();
    session
}

#[tokio::test]
async fn two_processes_that_take_one_approval_make_one_call() {
    let Shared { runs, gates, store, registry, .. } = shared();
    let a = saved_waiting(&registry, &store, &["pay_one"]).await;
    a.decide("pay_one", ALLOW).await.unwrap();
    let b = open(&registry, &store).await;
    let (mut first, mut second) = (Box::pin(a.finish()), Box::pin(b.finish()));
    assert!(poll_once(&mut first).await.is_none(), "it runs");
    // The other one cannot know whether the first one still runs it.
    assert_eq!(suspended(poll_once(&mut second).await.unwrap().unwrap()), ["pay_one"]);
    assert_eq!(b.undecided()[0].progress, CallProgress::Interrupted);
    gates.open("pay_one");
    assert_eq!(read(first.await.unwrap()), ["pay_one ran"]);
    b.save().await.unwrap();
    assert_eq!(read(b.finish().await.unwrap()), ["pay_one ran"], "the result is everybody's");
    assert_eq!(runs.all(), ["pay_one"]);
}

#[tokio::test]
async fn a_decision_about_a_call_that_was_begun_elsewhere_is_not_taken() {
    let Shared { gates, store, registry, .. } = shared();
    let a = saved_waiting(&registry, &store, &["pay_one"]).await;
    let b = open(&registry, &store).await;
    a.decide("pay_one", ALLOW).await.unwrap();
    let mut running = Box::pin(a.finish());
    assert!(poll_once(&mut running).await.is_none());
    let taken = b.decide("pay_one", ApprovalDecision::deny("no")).await;
    assert!(matches!(taken, Err(DecideError::BegunElsewhere { .. })), "{taken:?}");
    gates.open("pay_one");
    assert_eq!(read(running.await.unwrap()), ["pay_one ran"]);
}

#[tokio::test]
async fn a_call_whose_process_is_gone_is_interrupted_and_the_host_decides() {
    let Shared { runs, gates, store, registry, .. } = shared();
    let a = saved_waiting(&registry, &store, &["pay_one", "pay_two"]).await;
    a.decide("pay_one", ALLOW).await.unwrap();
    a.decide("pay_two", ALLOW).await.unwrap();
    let mut running = Box::pin(a.finish());
    assert!(poll_once(&mut running).await.is_none());
    assert_eq!(runs.all(), ["pay_one", "pay_two"]);
    // The process dies here: nothing of it is saved any more.
    std::mem::forget(running);
    let b = open(&registry, &store).await;
    let progress: Vec<CallProgress> = b.undecided().iter().map(|request| request.progress).collect();
    assert_eq!(progress, [CallProgress::Interrupted; 2]);
    assert_eq!(suspended(b.finish().await.unwrap()), ["pay_one", "pay_two"], "nothing runs unasked");
    b.decide("pay_one", ALLOW).await.unwrap();
    b.decide("pay_two", ApprovalDecision::deny("it was paid")).await.unwrap();
    gates.open("pay_one");
    gates.open("pay_one");
    let results = read(b.finish().await.unwrap());
    assert_eq!(results, ["pay_one ran", "Tool 'pay_two' was not approved: it was paid"]);
    assert_eq!(runs.all(), ["pay_one", "pay_two", "pay_one"], "once more, because the host said so");
}

#[tokio::test]
async fn a_failed_save_runs_nothing_and_leaves_the_calls_decided() {
    for fault in [Fault::NotWritten, Fault::AnswerLost] {
        let Shared { runs, gates, store, registry, .. } = shared();
        let a = saved_waiting(&registry, &store, &["pay_one"]).await;
        store.fail([fault]);
        assert!(matches!(a.decide("pay_one", ALLOW).await, Err(DecideError::NotSaved(_))));
        store.fail([fault]);
        assert!(matches!(a.finish().await, Err(SaveError::Store { .. })), "{fault:?}");
        assert!(runs.all().is_empty(), "{fault:?}");
        assert!(a.undecided().is_empty(), "{fault:?}");
        gates.open("pay_one");
        assert_eq!(read(a.finish().await.unwrap()), ["pay_one ran"], "{fault:?}");
        assert_eq!(runs.all(), ["pay_one"]);
    }
}

#[tokio::test]
async fn a_finish_that_is_dropped_before_it_is_saved_has_begun_nothing() {
    let Shared { runs, gates, store, registry, .. } = shared();
    let a = open(&registry, &store).await;
    suspend(&a, &["pay_one"]).await;
    a.decide("pay_one", ALLOW).await.unwrap();
    store.hold(true);
    let mut finishing = Box::pin(a.finish());
    assert!(poll_once(&mut finishing).await.is_none());
    drop(finishing);
    store.hold(false);
    assert!(runs.all().is_empty() && a.undecided().is_empty());
    gates.open("pay_one");
    assert_eq!(read(a.finish().await.unwrap()), ["pay_one ran"]);
}

#[tokio::test]
async fn results_that_the_host_has_not_kept_are_given_again_after_a_crash() {
    let Shared { runs, gates, store, registry, .. } = shared();
    let a = open(&registry, &store).await;
    let turn = a.turn().await.unwrap();
    suspended(turn.call_all([crate::support::call("pay_one", "pay_one"), search("2", "later")]).await);
    a.save().await.unwrap();
    a.decide("pay_one", ALLOW).await.unwrap();
    gates.open("pay_one");
    let results = read(a.finish().await.unwrap());
    // The process dies before it has saved its messages, and the session with them.
    drop(a);
    let b = open(&registry, &store).await;
    let open_calls = TurnError::OpenCalls { call_ids: vec!["pay_one".into(), "2".into()] };
    assert_eq!(b.turn().await.unwrap_err(), open_calls);
    assert!(b.undecided().is_empty());
    assert_eq!(read(b.finish().await.unwrap()), results);
    assert_eq!(revealed(&b), ["later"]);
    b.save().await.unwrap();
    let c = open(&registry, &store).await;
    assert!(c.turn().await.is_ok());
    assert!(read(c.finish().await.unwrap()).is_empty());
    assert_eq!(runs.all(), ["pay_one"]);
}

#[tokio::test]
async fn results_that_could_not_be_saved_are_given_and_saved_by_the_next_save() {
    let Shared { gates, log, store, registry, .. } = shared();
    let a = saved_waiting(&registry, &store, &["pay_one"]).await;
    a.decide("pay_one", ALLOW).await.unwrap();
    let mut finishing = Box::pin(a.finish());
    assert!(poll_once(&mut finishing).await.is_none());
    store.fail([Fault::NotWritten]);
    gates.open("pay_one");
    assert_eq!(read(finishing.await.unwrap()), ["pay_one ran"]);
    assert!(log.all().iter().any(|event| matches!(event, SessionEvent::NotSaved { .. })));
    a.save().await.unwrap();
    assert!(open(&registry, &store).await.turn().await.is_ok());
}

#[tokio::test]
async fn approval_for_the_session_holds_in_every_process() {
    let Shared { gates, store, registry, .. } = shared();
    let a = open(&registry, &store).await;
    suspend(&a, &["pay_one"]).await;
    a.decide("pay_one", ApprovalDecision::AllowForSession).await.unwrap();
    gates.open("pay_one");
    a.finish().await.unwrap();
    a.save().await.unwrap();
    let b = open(&registry, &store).await;
    gates.open("pay_one");
    let turn = b.turn().await.unwrap();
    assert_eq!(read(turn.call_all([crate::support::call("2", "pay_one")]).await), ["pay_one ran"]);
}

#[tokio::test]
async fn a_person_who_takes_an_approval_back_is_heard_in_every_process() {
    for last in [ApprovalDecision::deny("not after all"), ApprovalDecision::Suspend] {
        let Shared { runs, store, registry, .. } = shared();
        let a = open(&registry, &store).await;
        suspend(&a, &["pay_one"]).await;
        a.decide("pay_one", ALLOW).await.unwrap();
        let b = open(&registry, &store).await;
        b.decide("pay_one", last.clone()).await.unwrap();
        // This one knows of the first decision only, until it saves.
        let mut finishing = Box::pin(a.finish());
        let batch = poll_once(&mut finishing).await.expect("nothing runs").unwrap();
        assert!(runs.all().is_empty(), "{last:?}");
        if last == ApprovalDecision::Suspend {
            assert_eq!(suspended(batch), ["pay_one"]);
        } else {
            assert_eq!(read(batch), ["Tool 'pay_one' was not approved: not after all"]);
        }
    }
}

#[tokio::test]
async fn a_decision_that_was_given_back_does_not_take_the_place_of_a_later_one() {
    let Shared { runs, store, registry, .. } = shared();
    let a = open(&registry, &store).await;
    suspend(&a, &["pay_one"]).await;
    a.decide("pay_one", ALLOW).await.unwrap();
    store.fail([Fault::AnswerLost]);
    assert!(a.finish().await.is_err(), "it is stored as begun, and nothing has run");
    let b = open(&registry, &store).await;
    assert_eq!(b.undecided()[0].progress, CallProgress::Interrupted);
    b.decide("pay_one", ApprovalDecision::deny("it may have been paid")).await.unwrap();
    let mut finishing = Box::pin(a.finish());
    let batch = poll_once(&mut finishing).await.expect("nothing runs").unwrap();
    assert_eq!(read(batch), ["Tool 'pay_one' was not approved: it may have been paid"]);
    assert!(runs.all().is_empty());
}

#[tokio::test]
async fn a_decision_about_a_call_that_has_ended_elsewhere_is_not_taken() {
    for is_closed in [false, true] {
        let Shared { gates, store, registry, .. } = shared();
        let a = saved_waiting(&registry, &store, &["pay_one"]).await;
        let b = open(&registry, &store).await;
        a.decide("pay_one", ALLOW).await.unwrap();
        gates.open("pay_one");
        assert_eq!(read(a.finish().await.unwrap()), ["pay_one ran"]);
        if is_closed {
            a.save().await.unwrap();
        }
        let taken = b.decide("pay_one", ApprovalDecision::deny("no")).await;
        assert!(matches!(taken, Err(DecideError::BegunElsewhere { .. })), "{is_closed}: {taken:?}");
    }
}

#[tokio::test]
async fn a_decision_that_this_process_runs_at_once_was_taken() {
    let Shared { gates, store, registry, .. } = shared();
    let a = saved_waiting(&registry, &store, &["pay_one", "pay_two"]).await;
    // Somebody else saves in between, so that the decision is merged.
    let b = open(&registry, &store).await;
    b.decide("pay_two", ApprovalDecision::deny("no")).await.unwrap();
    gates.open("pay_one");
    store.hold(true);
    let mut deciding = Box::pin(a.decide("pay_one", ALLOW));
    assert!(poll_once(&mut deciding).await.is_none());
    let mut finishing = Box::pin(a.finish());
    assert!(poll_once(&mut finishing).await.is_none());
    store.hold(false);
    store.gates.open("save");
    deciding.await.unwrap();
    let results = read(finishing.await.unwrap());
    assert_eq!(results, ["pay_one ran", "Tool 'pay_two' was not approved: no"]);
}

#[tokio::test]
async fn a_batch_that_may_have_been_stored_is_not_stored_again_when_nobody_remembers() {
    let Shared { gates, store, registry, .. } = shared();
    let a = open(&registry, &store).await;
    suspend(&a, &["pay_one"]).await;
    store.fail([Fault::AnswerLost]);
    assert!(a.save().await.is_err());
    let b = open(&registry, &store).await;
    b.decide("pay_one", ALLOW).await.unwrap();
    gates.open("pay_one");
    assert_eq!(read(b.finish().await.unwrap()), ["pay_one ran"]);
    b.save().await.unwrap();
    many_others_save(&registry, &store).await;
    assert_eq!(a.save().await.unwrap().dropped_calls, ["pay_one"]);
    assert!(a.undecided().is_empty() && a.turn().await.is_ok());
    // One that was never tried is stored, however many have saved since.
    suspend(&a, &["pay_two"]).await;
    many_others_save(&registry, &store).await;
    assert!(a.save().await.unwrap().is_complete());
    assert_eq!(a.undecided()[0].call_id, "pay_two");
}

/// Sessions that live for one save each.
async fn many_others_save(registry: &Registry, store: &Arc<Flaky>) {
    for round in 0..40 {
        let other = open(registry, store).await;
        if round % 2 == 0 {
            other.reveal("later");
        } else {
            other.unload("later");
        }
        other.save().await.unwrap();
    }
}
