//! Tools of `session.add` after a resume: what was revealed of them comes back, as far as it is the same and fits.

use tool_core::{Budget, FunctionTool, Registry, Session, SessionEvent, ToolSearch, Toolset};

use crate::support::{Log, hidden, revealed};

fn tools(names: &[&str]) -> Vec<FunctionTool> {
    names.iter().map(|name| hidden(name, "One of many.")).collect()
}

fn registry(log: &Log) -> Registry {
    let search = ToolSearch::search_then_load().budget(Budget::tools(2));
    Registry::builder().tools(tools(&["own_a", "own_b"])).search(search).events(log.clone()).build().unwrap()
}

/// The session as it comes out of its snapshot, without what was added to it.
async fn resumed(session: &Session) -> Session {
    let (resumed, report) = session.registry().resume(session.snapshot()).await.unwrap();
    assert!(report.missing.is_empty(), "{report:?}");
    resumed
}

#[tokio::test]
async fn what_was_revealed_of_added_tools_is_back_at_its_place() {
    for namespace in ["user", "default"] {
        let add = |session: &Session| session.add(Toolset::new(namespace).tools(tools(&["late"])));
        let session = registry(&Log::default()).session();
        add(&session);
        session.reveal("late");
        session.reveal("own_a");
        let session = resumed(&session).await;
        assert_eq!(revealed(&session), ["own_a"], "{namespace}");
        // Saved again while it waits.
        let session = resumed(&session).await;
        let added = add(&session);
        assert_eq!(added.visible, ["late"], "{namespace}");
        assert_eq!(revealed(&session), ["late", "own_a"], "{namespace}");
    }
}

#[tokio::test]
async fn a_budget_holds_when_added_tools_come_back() {
    let log = Log::default();
    let late = || Toolset::new("user").tools(tools(&["late_a", "late_b"]));
    let session = registry(&log).session();
    session.add(late());
    session.reveal("late_a");
    session.reveal("late_b");
    let session = resumed(&session).await;
    session.reveal("own_a");
    log.take();
    let added = session.add(late());
    assert_eq!(added.visible, ["late_a"]);
    assert_eq!(revealed(&session), ["late_a", "own_a"]);
    let over: Vec<_> =
        log.take().into_iter().filter(|event| matches!(event, SessionEvent::OverBudget { .. })).collect();
    assert_eq!(over.len(), 1);
    // It is hidden like any other now.
    assert!(session.unload("own_a"));
    session.reveal("late_b");
    assert_eq!(revealed(&session), ["late_a", "late_b"]);
}

#[tokio::test]
async fn another_toolset_does_not_come_into_what_one_had_revealed() {
    let session = registry(&Log::default()).session();
    session.add(Toolset::new("user").tools(tools(&["plan"])));
    session.reveal("plan");
    let session = resumed(&session).await;
    let added = session.add(Toolset::new("somebody_else").tools(tools(&["plan"])));
    assert!(added.visible.is_empty());
    assert_eq!(added.deferred, ["plan"]);
    assert!(revealed(&session).is_empty());
    session.reveal("plan");
    assert_eq!(revealed(&session), ["plan"]);
}

#[tokio::test]
async fn an_added_tool_that_is_another_one_now_says_so() {
    let log = Log::default();
    let session = registry(&log).session();
    session.add(Toolset::new("user").tool(hidden("late", "As it was.")));
    session.reveal("late");
    let session = resumed(&session).await;
    log.take();
    session.add(Toolset::new("user").tool(hidden("late", "As it is.")));
    assert_eq!(revealed(&session), ["late"]);
    assert!(log.take().iter().any(|event| matches!(event, SessionEvent::Changed { tool } if tool == "late")));
}
