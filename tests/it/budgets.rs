//! Budgets where a search reveals what it finds, and what stands outside of them.

use serde_json::json;
use tool_core::{Budget, Registry, Session, ToolSearch, Toolset};

use crate::support::{call, call_with, eager, hidden, hits, names, note, search, text, texts};

fn session(budget: Budget) -> Session {
    let reports = (0..8).map(|number| hidden(&format!("report_{number}"), "Writes."));
    let pinned =
        Toolset::new("pinned").deferred().always_available([eager("pinned_report"), eager("pinned_too")]);
    Registry::builder()
        .tools(reports)
        .tool(eager("echo"))
        .toolset(pinned)
        .group(
            tool_core::ToolGroup::linked("more", "More.").tools([eager("more_report"), eager("more_still")]),
        )
        .search(ToolSearch::new().budget(budget))
        .build()
        .unwrap()
        .session()
}

async fn found(session: &Session, top_k: usize) -> String {
    let turn = session.turn().await.unwrap();
    text(&turn, call_with("1", "tool_search", json!({"query": "report", "top_k": top_k}))).await
}

#[tokio::test]
async fn what_a_search_lists_is_what_the_next_request_has() {
    let session = session(Budget::tools(3));
    let text = found(&session, 6).await;
    assert_eq!(hits(&text), ["report_0", "report_1", "report_2"]);
    assert_eq!(
        note(&text),
        "Shown: the best 6 of 8 matches.\n\
         Callable from your next message: report_0, report_1, report_2.\n\
         Found, but at most 3 tools can be revealed at a time: report_3, report_4, report_5."
    );
    let listed = names(&session.turn().await.unwrap());
    assert_eq!(listed[listed.len() - 3..], hits(&text));
}

#[tokio::test]
async fn parallel_searches_share_the_budget_in_call_order() {
    let session = session(Budget::tools(2));
    let calls = ["report_5", "report_6", "report_7"].map(|name| search(name, name));
    let answers = texts(&session.turn().await.unwrap(), calls).await;
    assert_eq!(hits(&answers[0]), ["report_5", "report_0"]);
    assert!(answers[1..].iter().all(|text| hits(text) == ["report_0"]), "{answers:?}");
    assert_eq!(session.revealed(), ["report_5", "report_0"]);
}

#[tokio::test]
async fn a_budget_in_tokens_is_told_in_tokens() {
    let session = session(Budget::tokens(5).counted_by(|_| 2));
    let text = found(&session, 3).await;
    assert_eq!(hits(&text), ["report_0", "report_1"]);
    assert!(
        note(&text).contains("Found, but at most 5 tokens of tools can be revealed at a time: report_2.")
    );
}

#[tokio::test]
async fn listed_pinned_and_group_tools_are_outside_of_the_budget_and_stay() {
    let session = session(Budget::tools(1));
    let turn = session.turn().await.unwrap();
    text(&turn, call_with("1", "load_tools", json!({"name": "more"}))).await;
    let shown = found(&session, 2).await;
    assert_eq!(hits(&shown), ["report_0"], "the group did not use the budget up");
    let turn = session.turn().await.unwrap();
    let pinned = ["echo", "pinned_report", "pinned_too"];
    assert_eq!(names(&turn)[..3], pinned);
    assert_eq!(names(&turn)[6..], ["more_report", "more_still", "report_0"]);
    for name in pinned.into_iter().chain(["more_still"]) {
        assert_eq!(text(&turn, call("2", name)).await, format!("{name} ran"));
    }
}

#[tokio::test]
async fn an_unload_of_the_host_makes_room_and_the_tool_is_found_again() {
    let session = session(Budget::tools(1));
    found(&session, 1).await;
    assert!(session.unload("report_0") && !session.unload("report_0"));
    let turn = session.turn().await.unwrap();
    assert!(!names(&turn).contains(&"report_0".to_owned()));
    assert_eq!(hits(&text(&turn, search("1", "report_7")).await), ["report_7"]);
    session.unload("report_7");
    assert_eq!(hits(&text(&session.turn().await.unwrap(), search("1", "report_0")).await), ["report_0"]);
}

#[tokio::test]
async fn a_resume_keeps_the_budget_and_reports_the_rest() {
    let rich = session(Budget::unlimited());
    found(&rich, 8).await;
    let poor = session(Budget::tools(5));
    let (resumed, report) = poor.registry().resume(rich.snapshot()).await.unwrap();
    assert_eq!(resumed.revealed(), rich.revealed()[..5]);
    assert_eq!(report.over_budget.len(), 3);
    assert_eq!(names(&resumed.turn().await.unwrap()).len(), 6 + 5);
}
