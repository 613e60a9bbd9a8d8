//! Toolsets with a search of their own, prefixes, and tools by their bare names.

use super::*;

#[tokio::test]
async fn each_namespace_has_its_own_tools_prefix_and_budget() {
    let github = Toolset::new("github")
        .prefix("github")
        .deferred()
        .tools([eager("get_issue"), eager("list_issues")])
        .search(ToolSearch::search_then_load().budget(Budget::tools(1)));
    let mail = Toolset::new("mail")
        .prefix("mail")
        .deferred()
        .tool(eager("send"))
        .search(ToolSearch::search_then_load());
    let registry = Registry::builder().toolset(github).toolset(mail).build().unwrap();
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    assert!(names(&turn).iter().all(|name| name.starts_with("github_") || name.starts_with("mail_")));
    let found = text(&turn, call_with("1", "github_search_tools", json!({"query": "issue"}))).await;
    assert!(hits(&found).iter().all(|name| name.starts_with("github_")), "{found}");
    let bare = call_with("2", "github_load_tool", json!({"tool_name": "get_issue"}));
    let turn = session.turn().await.unwrap();
    assert_eq!(text(&turn, bare).await, r#"{"status":"loaded","tool_name":"github_get_issue"}"#);
    // The budget of one does not count for the other, and one does not load the other's tools.
    let turn = session.turn().await.unwrap();
    let foreign = call_with("3", "github_load_tool", json!({"tool_name": "mail_send"}));
    let own = call_with("4", "mail_load_tool", json!({"tool_name": "mail_send"}));
    let answers = texts(&turn, [foreign, own]).await;
    assert_eq!(answers[0], r#"{"status":"not_found","tool_name":"mail_send"}"#);
    assert_eq!(answers[1], r#"{"status":"loaded","tool_name":"mail_send"}"#);
    assert_eq!(session.export("github"), ["github_get_issue"]);
    assert_eq!(session.export("mail"), ["mail_send"]);
}

fn github(search: ToolSearch) -> Toolset {
    Toolset::new("github")
        .prefix("github")
        .deferred()
        .tools([eager("get_issue"), eager("list_issues")])
        .search(search)
}

#[tokio::test]
async fn every_name_that_the_model_reads_and_sends_has_the_prefix() {
    let registry = Registry::builder().toolset(github(ToolSearch::search_then_load())).build().unwrap();
    let session = registry.session();
    let found = answer(&session, call_with("1", "github_search_tools", json!({"query": "get issue"}))).await;
    assert_eq!(hits(&found)[0], "github_get_issue");
    assert!(note(&found).contains("Load a tool with github_load_tool"), "{found}");
    let full = call_with("2", "github_load_tool", json!({"tool_name": "github_get_issue"}));
    assert_eq!(answer(&session, full).await, r#"{"status":"loaded","tool_name":"github_get_issue"}"#);
    assert_eq!(answer(&session, call("3", "github_get_issue")).await, "github_get_issue ran");
    assert_eq!(
        answer(&session, call("4", "get_issue")).await,
        "Tool 'get_issue' is not in your current tool list. Call github_search_tools, then github_load_tool."
    );
    for (sent, name) in [("list_issues", "github_list_issues"), ("get_issue", "github_get_issue")] {
        let unload = call_with("5", "github_unload_tool", json!({ "tool_name": sent }));
        let status = if sent == "get_issue" { "unloaded" } else { "not_loaded" };
        let expected = format!(r#"{{"status":"{status}","tool_name":"{name}"}}"#);
        assert_eq!(answer(&session, unload).await, expected);
    }
    let cleared = answer(&session, call("6", "github_clear_loaded_tools")).await;
    assert_eq!(cleared, r#"{"status":"cleared","count":0}"#);
}

#[tokio::test]
async fn what_one_namespace_loads_and_clears_leaves_the_other_alone() {
    let mail = Toolset::new("mail").prefix("mail").deferred().tool(eager("send"));
    let registry = Registry::builder()
        .toolset(github(ToolSearch::search_then_load()))
        .toolset(mail.search(ToolSearch::search_then_load()))
        .build()
        .unwrap();
    let session = registry.session();
    for (tool, name) in [("github_load_tool", "get_issue"), ("mail_load_tool", "send")] {
        answer(&session, call_with("1", tool, json!({ "tool_name": name }))).await;
    }
    let foreign = call_with("2", "mail_unload_tool", json!({"tool_name": "github_get_issue"}));
    assert_eq!(answer(&session, foreign).await, r#"{"status":"not_loaded","tool_name":"github_get_issue"}"#);
    assert_eq!(
        answer(&session, call("3", "mail_clear_loaded_tools")).await,
        r#"{"status":"cleared","count":1}"#
    );
    assert_eq!(session.revealed(), ["github_get_issue"]);
    let found =
        answer(&session, call_with("4", "mail_search_tools", json!({"query": "get issue send"}))).await;
    assert_eq!(hits(&found), ["mail_send"]);
}

#[tokio::test]
async fn a_bare_name_that_two_tools_have_loads_neither() {
    let toolset = |name: &'static str| Toolset::new(name).prefix(name).deferred().tool(eager("status"));
    let registry = Registry::builder()
        .toolset(toolset("git"))
        .toolset(toolset("shop"))
        .search(ToolSearch::search_then_load())
        .build()
        .unwrap();
    let session = registry.session();
    let ambiguous = answer(&session, load("1", "status")).await;
    assert!(ambiguous.starts_with(r#"{"status":"not_found","tool_name":"status"}"#), "{ambiguous}");
    assert!(session.revealed().is_empty());
    assert_eq!(
        answer(&session, load("2", "git_status")).await,
        r#"{"status":"loaded","tool_name":"git_status"}"#
    );
}

#[tokio::test]
async fn tools_that_a_session_added_are_loaded_by_bare_and_respelt_names_too() {
    let session = registry(ToolSearch::search_then_load()).session();
    let late =
        || Toolset::new("user").prefix("user").deferred().tools([eager("secret_plan"), eager("get_time")]);
    session.add(late());
    assert_eq!(
        answer(&session, load("1", "secret_plan")).await,
        r#"{"status":"loaded","tool_name":"user_secret_plan"}"#
    );
    assert_eq!(
        answer(&session, load("2", "User-SecretPlan")).await,
        "{\"status\":\"not_found\",\"tool_name\":\"User-SecretPlan\"}\n\nDid you mean 'user_secret_plan'?"
    );
    // A model-facing name comes before a bare one.
    assert_eq!(
        answer(&session, load("3", "get_time")).await,
        r#"{"status":"loaded","tool_name":"get_time"}"#
    );
    assert_eq!(
        answer(&session, unload("4", "secret_plan")).await,
        r#"{"status":"unloaded","tool_name":"user_secret_plan"}"#
    );
}
