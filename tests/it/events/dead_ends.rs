//! Dead ends: tools are hidden, and the discovery tool that would reveal them is disabled or not approved at run time.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tool_core::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, Batch, FunctionTool, Registry,
    RegistryBuilder, Session, ToolContext, ToolError, ToolGroup, ToolKind, ToolPattern, ToolSearch, Toolset,
};

use super::told;
use crate::support::{Log, builder, call, call_with, eager, hidden, names, search, text, texts};

/// What came of dead ends.
fn dead_ends(log: &Log) -> Vec<String> {
    told(log).into_iter().filter(|line| line.starts_with("dead end")).collect()
}

/// A discovery tool of the host that `enabled` turns on and off.
fn catalogue(enabled: tool_core::EnabledFn) -> FunctionTool {
    builder("catalogue", "Shows what there is.").kind(ToolKind::Discovery).enabled(enabled).handler(
        async |(): (), context: ToolContext| {
            let operations = context.operations().unwrap();
            operations.reveal("alpha");
            "alpha"
        },
    )
}

fn never(_: &ToolContext) -> bool {
    false
}

async fn turn_names(session: &Session) -> Vec<String> {
    names(&session.turn().await.unwrap())
}

/// Always answers this.
struct Always(ApprovalDecision);

impl ApprovalPolicy for Always {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(async { self.0.clone() })
    }
}

fn judged(decision: ApprovalDecision, builder: RegistryBuilder, tool: &str, log: &Log) -> Session {
    let tool = ToolPattern::new(tool).unwrap();
    let builder = builder.approval(Always(decision)).require_approval([tool]);
    builder.events(log.clone()).build().unwrap().session()
}

fn denying(builder: RegistryBuilder, tool: &str, log: &Log) -> Session {
    judged(ApprovalDecision::deny("not today"), builder, tool, log)
}

/// All calls of the tool wait for the host.
fn waiting(builder: RegistryBuilder, tool: &str, log: &Log) -> Session {
    judged(ApprovalDecision::Suspend, builder, tool, log)
}

#[tokio::test]
async fn a_disabled_way_is_told_once_until_it_was_back_and_hidden_tools_stay_hidden() {
    static ON: AtomicBool = AtomicBool::new(false);
    fn on(_: &ToolContext) -> bool {
        ON.load(Ordering::SeqCst)
    }
    let log = Log::default();
    let registry = Registry::builder()
        .tools([catalogue(on), hidden("alpha", "First."), hidden("beta", "Second.")])
        .without_search()
        .events(log.clone())
        .build()
        .unwrap();
    let session = registry.session();
    assert_eq!(turn_names(&session).await, [""; 0]);
    assert_eq!(dead_ends(&log), ["dead end catalogue: Disabled"]);
    assert_eq!(turn_names(&session).await, [""; 0]);
    assert_eq!(dead_ends(&log), [""; 0]);
    let refused = text(&session.turn().await.unwrap(), call("1", "alpha")).await;
    assert_eq!(refused, "Tool 'alpha' is not in your current tool list.");
    ON.store(true, Ordering::SeqCst);
    assert_eq!(turn_names(&session).await, ["catalogue"]);
    assert_eq!(dead_ends(&log), [""; 0]);
    ON.store(false, Ordering::SeqCst);
    turn_names(&session).await;
    assert_eq!(dead_ends(&log), ["dead end catalogue: Disabled"]);
}

#[tokio::test]
async fn a_way_without_a_schema_is_told() {
    #[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
    struct Numeric(u32);
    let log = Log::default();
    let broken = builder("broken", "Shows what there is.")
        .kind(ToolKind::Discovery)
        .handler(async |_: Numeric, _: ToolContext| "nothing");
    let registry = Registry::builder()
        .tools([broken, hidden("alpha", "First.")])
        .without_search()
        .events(log.clone())
        .build()
        .unwrap();
    turn_names(&registry.session()).await;
    assert_eq!(dead_ends(&log), ["dead end broken: LeftOut"]);
}

#[tokio::test]
async fn it_is_none_where_another_way_is_listed_or_nothing_is_hidden() {
    let log = Log::default();
    let beside_search = Registry::builder()
        .tools([catalogue(never), hidden("alpha", "First.")])
        .events(log.clone())
        .build()
        .unwrap();
    turn_names(&beside_search.session()).await;
    let nothing_hidden =
        Registry::builder().tools([catalogue(never), eager("echo")]).events(log.clone()).build().unwrap();
    turn_names(&nothing_hidden.session()).await;
    let revealed = Registry::builder()
        .tools([catalogue(never), hidden("alpha", "First.")])
        .without_search()
        .events(log.clone())
        .build()
        .unwrap()
        .session();
    revealed.reveal("alpha");
    turn_names(&revealed).await;
    assert_eq!(dead_ends(&log), [""; 0]);
}

#[tokio::test]
async fn tools_of_the_session_alone_count() {
    let log = Log::default();
    let registry =
        Registry::builder().tool(catalogue(never)).without_search().events(log.clone()).build().unwrap();
    let session = registry.session();
    turn_names(&session).await;
    assert_eq!(dead_ends(&log), [""; 0]);
    session.add(Toolset::new("user").tool(hidden("plan", "A plan.")));
    turn_names(&session).await;
    assert_eq!(dead_ends(&log), ["dead end catalogue: Disabled"]);
}

#[tokio::test]
async fn a_search_that_was_not_approved_is_told_once_and_the_tools_stay_hidden() {
    let log = Log::default();
    let session = denying(Registry::builder().tool(hidden("alpha", "First.")), "tool_search", &log);
    for _ in 0..2 {
        let answer = text(&session.turn().await.unwrap(), search("1", "alpha")).await;
        assert!(answer.starts_with("Tool 'tool_search' was not approved: not today"), "{answer}");
    }
    assert_eq!(dead_ends(&log), ["dead end tool_search: NotApproved"]);
    assert_eq!(turn_names(&session).await, ["tool_search"]);
}

#[tokio::test]
async fn a_load_that_was_not_approved_is_told_and_an_unload_is_not() {
    let log = Log::default();
    let registry =
        || Registry::builder().tool(hidden("alpha", "First.")).search(ToolSearch::search_then_load());
    let load = |name: &'static str| call_with("1", name, json!({"tool_name": "alpha"}));
    let session = denying(registry(), "load_tool", &log);
    texts(&session.turn().await.unwrap(), [load("load_tool")]).await;
    assert_eq!(dead_ends(&log), ["dead end load_tool: NotApproved"]);
    let session = denying(registry(), "unload_tool", &log);
    texts(&session.turn().await.unwrap(), [load("unload_tool")]).await;
    assert_eq!(dead_ends(&log), [""; 0]);
}

#[tokio::test]
async fn a_group_that_was_not_approved_is_told_and_an_ordinary_tool_is_not() {
    let log = Log::default();
    let group =
        || ToolGroup::lazy("web", "Web.", async |_: ToolContext| Ok::<_, ToolError>([eager("search_web")]));
    let registry = || Registry::builder().tool(eager("echo")).group(group());
    let session = denying(registry(), "*", &log);
    let load = call_with("1", "load_tools", json!({"name": "web"}));
    texts(&session.turn().await.unwrap(), [load, call("2", "echo"), call("3", "available_tools")]).await;
    assert_eq!(dead_ends(&log), ["dead end load_tools: NotApproved"]);
    assert!(session.loaded_groups().is_empty());
}

#[tokio::test]
async fn a_search_that_waited_and_was_denied_is_told_when_the_batch_ends() {
    let log = Log::default();
    let session = waiting(Registry::builder().tool(hidden("alpha", "First.")), "tool_search", &log);
    let turn = session.turn().await.unwrap();
    assert!(matches!(turn.call_all([search("1", "alpha")]).await, Batch::Suspended(_)));
    session.decide("1", ApprovalDecision::deny("not today")).await.unwrap();
    assert_eq!(dead_ends(&log), [""; 0]);
    let results = session.finish().await.unwrap().into_results();
    assert_eq!(results[0].text(), "Tool 'tool_search' was not approved: not today");
    assert_eq!(dead_ends(&log), ["dead end tool_search: NotApproved"]);
    assert_eq!(turn_names(&session).await, ["tool_search"]);
}

#[tokio::test]
async fn a_search_that_waited_and_was_allowed_is_no_dead_end() {
    let log = Log::default();
    let session = waiting(Registry::builder().tool(hidden("alpha", "First.")), "tool_search", &log);
    let turn = session.turn().await.unwrap();
    turn.call_all([search("1", "alpha")]).await;
    session.decide("1", ApprovalDecision::AllowOnce).await.unwrap();
    session.finish().await.unwrap();
    assert_eq!(dead_ends(&log), [""; 0]);
    assert_eq!(turn_names(&session).await, ["tool_search", "alpha"]);
}

#[tokio::test]
async fn a_search_that_cannot_wait_beside_other_calls_is_told() {
    let log = Log::default();
    let tools = [eager("echo"), hidden("alpha", "First.")];
    let session = waiting(Registry::builder().tools(tools), "*", &log);
    let turn = session.turn().await.unwrap();
    turn.call_all([call("1", "echo")]).await;
    turn.call_all([search("2", "alpha")]).await;
    assert_eq!(dead_ends(&log), ["dead end tool_search: NotApproved"]);
}
