//! Searches, reveals, budgets, groups, and what a resume finds changed.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use tool_core::{
    Budget, FunctionTool, Registry, SessionEvent, ToolContext, ToolError, ToolGroup, ToolKind, ToolSearch,
};

use super::told_beside_turns;
use crate::support::{Log, builder, call, call_with, eager, hidden, search, text, texts};

fn three() -> [FunctionTool; 3] {
    [hidden("alpha", "First paper."), hidden("beta", "Second paper."), hidden("gamma", "Third thing.")]
}

#[tokio::test]
async fn a_search_tells_what_it_found_and_the_end_of_the_batch_what_it_revealed() {
    let log = Log::default();
    let session = Registry::builder().tools(three()).events(log.clone()).build().unwrap().session();
    let turn = session.turn().await.unwrap();
    texts(&turn, [search("1", "gamma")]).await;
    assert_eq!(told_beside_turns(&log), ["searched: gamma of 1", "1 tool_search called", "revealed gamma"]);
    texts(&turn, [search("2", "gamma")]).await;
    let told = told_beside_turns(&log);
    assert_eq!(told[..2], ["searched: gamma of 1", "2 tool_search called"]);
    assert!(!told.iter().any(|line| line.starts_with("revealed")), "{told:?}");
}

#[tokio::test]
async fn a_search_of_the_hosts_own_discovery_tool_is_told_too() {
    let log = Log::default();
    let own =
        builder("own", "Own.").kind(ToolKind::Discovery).handler(async |(): (), context: ToolContext| {
            context.operations().unwrap().search("gamma", 5).await.hits.len()
        });
    let registry = Registry::builder().tools(three()).tool(own).events(log.clone()).build().unwrap();
    assert_eq!(text(&registry.session().turn().await.unwrap(), call("1", "own")).await, "1");
    assert_eq!(told_beside_turns(&log), ["searched: gamma of 1", "1 own called"]);
}

#[tokio::test]
async fn a_hit_without_room_is_over_budget_and_stays_hidden() {
    let log = Log::default();
    let registry = Registry::builder()
        .tools(three())
        .search(ToolSearch::new().budget(Budget::tools(1)))
        .events(log.clone())
        .build()
        .unwrap();
    let session = registry.session();
    session.reveal("gamma");
    assert_eq!(told_beside_turns(&log), ["revealed gamma"]);
    texts(&session.turn().await.unwrap(), [search("1", "alpha")]).await;
    assert_eq!(
        told_beside_turns(&log),
        ["searched: alpha of 1", "over budget alpha: Tools(1)", "1 tool_search called"]
    );
}

#[tokio::test]
async fn a_resume_tells_what_changed_and_what_has_no_room() {
    let full = Registry::builder().tools(three()).build().unwrap().session();
    for name in ["alpha", "beta", "gamma"] {
        full.reveal(name);
    }
    let log = Log::default();
    let registry = Registry::builder()
        .tools([
            hidden("alpha", "Another first."),
            hidden("beta", "Second paper."),
            hidden("gamma", "Third thing."),
        ])
        .search(ToolSearch::new().budget(Budget::tools(2)))
        .events(log.clone())
        .build()
        .unwrap();
    registry.resume(full.snapshot()).await.unwrap();
    assert_eq!(told_beside_turns(&log), ["changed alpha", "over budget gamma: Tools(2)"]);
}

#[tokio::test]
async fn loads_of_one_group_share_one_event_each_build() {
    let log = Log::default();
    let builds = Arc::new(AtomicUsize::new(0));
    let group = ToolGroup::lazy("web", "Web.", move |_: ToolContext| {
        let first = builds.fetch_add(1, Ordering::SeqCst) == 0;
        async move { if first { Err(ToolError::new("no network")) } else { Ok([eager("search_web")]) } }
    });
    let session = Registry::builder().group(group).events(log.clone()).build().unwrap().session();
    let turn = session.turn().await.unwrap();
    let load = |id| call_with(id, "load_tools", json!({"name": "web"}));
    texts(&turn, [load("1")]).await;
    assert_eq!(told_beside_turns(&log), ["group web failed: no network", "1 load_tools called"]);
    texts(&turn, [load("2"), load("3")]).await;
    assert_eq!(
        told_beside_turns(&log),
        ["2 load_tools called", "3 load_tools called", "group web", "revealed search_web"]
    );
}

#[tokio::test]
async fn a_build_that_would_wait_for_itself_is_told_as_one_failed_build() {
    let log = Log::default();
    let circle = ToolGroup::lazy("circle", "Circle.", async |context: ToolContext| {
        match context.load_group("circle").await {
            tool_core::GroupOutcome::Failed { error } => Err(ToolError::new(error)),
            _ => Ok(Vec::<FunctionTool>::new()),
        }
    });
    let session = Registry::builder().group(circle).events(log.clone()).build().unwrap().session();
    session.load_group("circle").await;
    let error = "the build would wait for itself: circle → circle";
    assert_eq!(told_beside_turns(&log), [format!("group circle failed: {error}")]);
}

#[test]
fn a_group_that_is_loaded_without_a_runtime_is_told() {
    let log = Log::default();
    let group =
        ToolGroup::lazy("web", "Web.", async |_: ToolContext| Ok::<_, ToolError>([eager("search_web")]));
    let session = Registry::builder().group(group).events(log.clone()).build().unwrap().session();
    futures_util::FutureExt::now_or_never(session.load_group("web")).unwrap();
    assert_eq!(told_beside_turns(&log), ["group web failed: a group is loaded inside a tokio runtime only"]);
}

#[tokio::test]
async fn a_ranker_that_fails_is_told_and_its_search_says_so() {
    struct Broken;
    impl tool_core::Ranker for Broken {
        fn rank<'a>(&'a self, _: &'a str, _: &'a tool_core::Catalog) -> tool_core::RankFuture<'a> {
            Box::pin(async { Err(tool_core::RankerError::new("503")) })
        }
    }
    let log = Log::default();
    let search_with = ToolSearch::new().ranker(Broken);
    let registry =
        Registry::builder().tools(three()).search(search_with).events(log.clone()).build().unwrap();
    texts(&registry.session().turn().await.unwrap(), [search("1", "thing")]).await;
    let events = log.take();
    let reasons: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            SessionEvent::Degraded { reason } => Some(reason.clone()),
            SessionEvent::Searched { degraded, .. } => degraded.clone(),
            _ => None,
        })
        .collect();
    assert_eq!(reasons, ["503", "503"]);
}
