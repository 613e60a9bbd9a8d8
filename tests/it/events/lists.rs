//! What a turn's list is beside the one before, and tools that are left out of it.

use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{FunctionTool, Registry, Session, ToolContext, ToolSearch, Toolset};

use super::told;
use crate::support::{Log, builder, call_with, eager, hidden, search, texts};

async fn turn(session: &Session, log: &Log) -> Vec<String> {
    session.turn().await.unwrap();
    told(log)
}

#[tokio::test]
async fn each_turn_says_whether_the_beginning_of_the_list_is_as_before_and_why_not() {
    let log = Log::default();
    let tools =
        [eager("echo"), hidden("alpha", "First."), hidden("beta", "Second."), hidden("gamma", "Third.")];
    let session = Registry::builder().tools(tools).events(log.clone()).build().unwrap().session();
    assert_eq!(turn(&session, &log).await, ["turn 1: 2 tools, first"]);
    assert_eq!(turn(&session, &log).await, ["turn 2: 2 tools, unchanged"]);
    for name in ["alpha", "beta", "gamma"] {
        session.reveal(name);
    }
    assert_eq!(turn(&session, &log).await.pop().unwrap(), "turn 3: 5 tools, appended alpha, beta, gamma");
    session.unload("beta");
    assert_eq!(turn(&session, &log).await, ["unloaded beta", "turn 4: 4 tools, kept 3, removed beta"]);
    session.unload("alpha");
    session.reveal("alpha");
    assert_eq!(
        turn(&session, &log).await,
        ["unloaded alpha", "revealed alpha", "turn 5: 4 tools, kept 2, moved alpha"]
    );
    session.add(Toolset::new("user").tool(eager("late")));
    assert_eq!(turn(&session, &log).await, ["revealed late", "turn 6: 5 tools, appended late"]);
}

#[tokio::test]
async fn a_turn_is_told_when_it_is_made_and_once() {
    let log = Log::default();
    let registry = Registry::builder().tool(eager("echo")).events(log.clone()).build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    assert_eq!(turn.tools().len(), 1);
    assert_eq!(turn.deferred().count(), 0);
    assert!(turn.stop_reason().is_none());
    assert_eq!(told(&log), ["turn 1: 1 tools, first"]);
}

#[tokio::test]
async fn in_bridge_mode_the_list_stays_unchanged_whatever_is_revealed() {
    let log = Log::default();
    let registry = Registry::builder()
        .tool(hidden("alpha", "First."))
        .search(ToolSearch::bridge())
        .events(log.clone())
        .build()
        .unwrap();
    let session = registry.session();
    texts(&session.turn().await.unwrap(), [search("1", "alpha")]).await;
    told(&log);
    assert_eq!(turn(&session, &log).await, ["turn 2: 2 tools, unchanged"]);
}

#[tokio::test]
async fn a_disabled_tool_is_told_when_it_leaves_the_list_and_again_only_after_it_was_back() {
    static ON: AtomicBool = AtomicBool::new(true);
    fn on(_: &ToolContext) -> bool {
        ON.load(Ordering::SeqCst)
    }
    let log = Log::default();
    let gate = builder("gate", "Opens.").enabled(on).handler(async |(): (), _: ToolContext| "open");
    let session =
        Registry::builder().tools([gate, eager("zeta")]).events(log.clone()).build().unwrap().session();
    assert_eq!(turn(&session, &log).await, ["turn 1: 2 tools, first"]);
    ON.store(false, Ordering::SeqCst);
    assert_eq!(turn(&session, &log).await, ["turn 2: 1 tools, kept 0, removed gate", "disabled gate"]);
    assert_eq!(turn(&session, &log).await, ["turn 3: 1 tools, unchanged"]);
    ON.store(true, Ordering::SeqCst);
    assert_eq!(turn(&session, &log).await, ["turn 4: 2 tools, kept 0, inserted gate"]);
    ON.store(false, Ordering::SeqCst);
    assert_eq!(turn(&session, &log).await, ["turn 5: 1 tools, kept 0, removed gate", "disabled gate"]);
}

/// Arguments whose schema is no object.
#[derive(Deserialize, Serialize, JsonSchema)]
struct Numeric(u32);

fn numeric() -> FunctionTool {
    builder("numeric", "Cannot be offered.").handler(async |_: Numeric, _: ToolContext| "ran")
}

#[tokio::test]
async fn a_tool_without_a_schema_is_told_once_a_session_whatever_else_is_asked_each_turn() {
    fn yes(_: &ToolContext) -> bool {
        true
    }
    for search in [ToolSearch::new(), ToolSearch::bridge()] {
        let log = Log::default();
        let asked = builder("asked", "Asked.").enabled(yes).handler(async |(): (), _: ToolContext| "ran");
        let tools = [numeric(), asked, hidden("alpha", "First.")];
        let registry = Registry::builder().tools(tools).search(search).events(log.clone()).build().unwrap();
        let session = registry.session();
        let first = turn(&session, &log).await;
        assert_eq!(first.len(), 2, "{first:?}");
        assert!(first[1].starts_with("left out numeric: "), "{first:?}");
        assert_eq!(turn(&session, &log).await.len(), 1);
        assert_eq!(turn(&registry.session(), &log).await.len(), 2);
    }
}

#[tokio::test]
async fn turns_of_a_retried_request_are_unchanged() {
    let log = Log::default();
    let registry = Registry::builder().tool(hidden("alpha", "First.")).events(log.clone()).build().unwrap();
    let session = registry.session();
    let first = session.turn().await.unwrap();
    texts(&first, [call_with("1", "tool_search", serde_json::json!({"query": "nothing like it"}))]).await;
    told(&log);
    assert_eq!(turn(&session, &log).await, ["turn 2: 1 tools, unchanged"]);
}
