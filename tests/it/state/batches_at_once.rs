//! Two batches of one session at once: what each is told of budgets is true when it ends.

use serde_json::json;
use tool_core::{ApprovalDecision, Budget, Registry, RevealOutcome, Session, ToolCall, ToolSearch};

use super::{asking, gated, read, suspended};
use crate::support::{Gates, Log, Runs, call, call_with, poll_once, revealed, text};

fn load(name: &str) -> ToolCall {
    call_with(name, "load_tool", json!({ "tool_name": name }))
}

const LOADED: &str = r#"{"status":"loaded","tool_name":"one"}"#;
const FULL: &str = r#"{"status":"limit_reached","tool_name":"two","max_loaded_tools":1}"#;

/// A session with room for one of two hidden tools, and a tool that holds its batch up.
fn session(gates: &Gates, log: &Log) -> Session {
    let runs = Runs::default();
    let tools = [runs.hidden("one", "One."), runs.hidden("two", "Two."), gated(&runs, gates, "wait")];
    let search = ToolSearch::search_then_load().budget(Budget::tools(1));
    let registry = Registry::builder().tools(tools).tool(runs.eager("pay_now")).search(search);
    asking(registry).events(log.clone()).build().unwrap().session()
}

#[tokio::test]
async fn what_one_batch_loads_leaves_no_room_for_the_other() {
    let (gates, log) = (Gates::default(), Log::default());
    let session = session(&gates, &log);
    let turn = session.turn().await.unwrap();
    let mut first = Box::pin(turn.call_all([load("one"), call("2", "wait")]));
    assert!(poll_once(&mut first).await.is_none());
    assert_eq!(text(&turn, load("two")).await, FULL);
    assert!(matches!(session.reveal("two"), RevealOutcome::LimitReached { .. }));
    gates.open("wait");
    assert_eq!(read(first.await), [LOADED, "wait ran"]);
    assert_eq!(revealed(&session), ["one"]);
    assert_eq!(log.revealed(), ["one"]);
}

#[tokio::test]
async fn what_a_dropped_batch_had_loaded_leaves_its_room() {
    let (gates, log) = (Gates::default(), Log::default());
    let session = session(&gates, &log);
    let turn = session.turn().await.unwrap();
    let mut first = Box::pin(turn.call_all([load("one"), call("2", "wait")]));
    assert!(poll_once(&mut first).await.is_none());
    drop(first);
    assert!(matches!(session.reveal("two"), RevealOutcome::Revealed(_)));
}

#[tokio::test]
async fn what_a_suspended_batch_has_loaded_keeps_its_room() {
    let (gates, log) = (Gates::default(), Log::default());
    let session = session(&gates, &log);
    let turn = session.turn().await.unwrap();
    assert_eq!(suspended(turn.call_all([load("one"), call("2", "pay_now")]).await), ["2"]);
    assert!(matches!(session.reveal("two"), RevealOutcome::LimitReached { .. }));
    session.decide("2", ApprovalDecision::AllowOnce).await.unwrap();
    assert_eq!(read(session.finish().await.unwrap()), [LOADED, "pay_now ran"]);
    assert_eq!(revealed(&session), ["one"]);
}
