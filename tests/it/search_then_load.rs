//! Search then load: `search_tools`, `load_tool`, `unload_tool`, `clear_loaded_tools`, with namespaces and budgets.

use serde_json::{Value, json};
use tool_core::{Budget, Registry, Session, ToolCall, ToolContext, ToolSearch, Toolset};

use crate::support::{Runs, builder, call, call_with, eager, hidden, hits, names, note, text, texts};

fn load(id: &str, name: &str) -> ToolCall {
    call_with(id, "load_tool", json!({ "tool_name": name }))
}

fn unload(id: &str, name: &str) -> ToolCall {
    call_with(id, "unload_tool", json!({ "tool_name": name }))
}

fn registry(search: ToolSearch) -> Registry {
    let tools =
        [hidden("get_weather", "Weather of a city."), hidden("get_time", "Time in a city."), eager("echo")];
    Registry::builder().tools(tools).search(search).build().unwrap()
}

async fn answer(session: &Session, call: ToolCall) -> String {
    text(&session.turn().await.unwrap(), call).await
}

#[tokio::test]
async fn a_fresh_session_lists_eager_tools_then_the_four_tools_with_their_schemas() {
    let session = registry(ToolSearch::search_then_load()).session();
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn), ["echo", "clear_loaded_tools", "load_tool", "search_tools", "unload_tool"]);
    for (tool, argument) in
        [("search_tools", "query"), ("load_tool", "tool_name"), ("unload_tool", "tool_name")]
    {
        let definition = turn.tools().find(|listed| listed.name().as_str() == tool).unwrap();
        let schema: Value = serde_json::from_str(definition.input_schema().unwrap().as_str()).unwrap();
        assert_eq!(schema["required"], json!([argument]));
        assert_eq!(schema["properties"].as_object().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_search_offers_with_scores_and_changes_nothing() {
    let session = registry(ToolSearch::search_then_load()).session();
    let found = answer(&session, call_with("1", "search_tools", json!({"query": "weather"}))).await;
    let list: Value = serde_json::from_str(found.split("\n\n").next().unwrap()).unwrap();
    assert_eq!(list[0]["name"], "get_weather");
    let score = list[0]["score"].as_f64().unwrap();
    assert!(score > 0.0 && (score * 10_000.0).fract().abs() < 1e-6, "rounded to four digits: {score}");
    assert!(note(&found).contains("Load a tool with load_tool"), "{found}");
    assert!(session.revealed().is_empty());
}

#[tokio::test]
async fn a_loaded_tool_is_in_the_next_list_and_refused_in_the_batch_of_its_load() {
    let runs = Runs::default();
    let registry = Registry::builder()
        .tool(runs.hidden("get_weather", "Weather."))
        .search(ToolSearch::search_then_load())
        .build()
        .unwrap();
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    let both = texts(&turn, [load("1", "get_weather"), call("2", "get_weather")]).await;
    assert_eq!(both[0], r#"{"status":"loaded","tool_name":"get_weather"}"#);
    assert_eq!(
        both[1],
        "Tool 'get_weather' is not in your current tool list. Call search_tools, then load_tool."
    );
    assert!(runs.all().is_empty());
    assert_eq!(session.export("default"), ["get_weather"]);
    assert_eq!(answer(&session, call("3", "get_weather")).await, "get_weather ran");
    assert_eq!(
        answer(&session, load("4", "get_weather")).await,
        r#"{"status":"already_loaded","tool_name":"get_weather"}"#
    );
}

#[tokio::test]
async fn the_cap_is_told_and_nothing_is_evicted() {
    let session = registry(ToolSearch::search_then_load().budget(Budget::tools(1))).session();
    answer(&session, load("1", "get_weather")).await;
    assert_eq!(
        answer(&session, load("2", "get_time")).await,
        r#"{"status":"limit_reached","tool_name":"get_time","max_loaded_tools":1}"#
    );
    assert_eq!(session.export("default"), ["get_weather"]);
    let snapshot = registry(ToolSearch::search_then_load());
    let full = snapshot.session();
    for name in ["get_weather", "get_time"] {
        full.reveal(name);
    }
    let (restored, report) = session.registry().resume(full.snapshot()).await.unwrap();
    assert_eq!(restored.revealed().len(), 1);
    assert_eq!(report.over_budget.len(), 1);
}

#[tokio::test]
async fn a_token_budget_is_told_by_its_own_name() {
    let session =
        registry(ToolSearch::search_then_load().budget(Budget::tokens(3).counted_by(|_| 2))).session();
    answer(&session, load("1", "get_weather")).await;
    assert_eq!(
        answer(&session, load("2", "get_time")).await,
        r#"{"status":"limit_reached","tool_name":"get_time","max_loaded_tokens":3}"#
    );
}

#[tokio::test]
async fn unknown_and_reserved_names_are_not_found_padded_ones_are_trimmed_and_other_case_is_suggested() {
    let session = registry(ToolSearch::search_then_load()).session();
    for name in ["nothing", "load_tool", ""] {
        let expected = format!(r#"{{"status":"not_found","tool_name":"{name}"}}"#);
        assert_eq!(answer(&session, load("1", name)).await, expected);
    }
    let suggested = answer(&session, load("2", "Get-Weather")).await;
    assert_eq!(
        suggested,
        "{\"status\":\"not_found\",\"tool_name\":\"Get-Weather\"}\n\nDid you mean 'get_weather'?"
    );
    assert!(session.revealed().is_empty());
    assert_eq!(
        answer(&session, load("3", "  get_time\n")).await,
        r#"{"status":"loaded","tool_name":"get_time"}"#
    );
}

#[tokio::test]
async fn two_loaded_one_unloaded_then_cleared() {
    let session = registry(ToolSearch::search_then_load()).session();
    let turn = session.turn().await.unwrap();
    texts(&turn, [load("1", "get_weather"), load("2", "get_time")]).await;
    assert_eq!(
        answer(&session, unload("3", "get_weather")).await,
        r#"{"status":"unloaded","tool_name":"get_weather"}"#
    );
    assert_eq!(
        answer(&session, unload("4", "get_weather")).await,
        r#"{"status":"not_loaded","tool_name":"get_weather"}"#
    );
    assert_eq!(answer(&session, call("5", "clear_loaded_tools")).await, r#"{"status":"cleared","count":1}"#);
    assert!(session.revealed().is_empty());
}

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

#[tokio::test]
async fn always_available_tools_are_listed_never_found_and_never_stored() {
    let toolset =
        Toolset::new("shop").deferred().tool(eager("refund")).always_available([eager("status_of_order")]);
    let registry =
        Registry::builder().toolset(toolset).search(ToolSearch::search_then_load()).build().unwrap();
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn)[0], "status_of_order");
    let found = text(&turn, call_with("1", "search_tools", json!({"query": "status order refund"}))).await;
    assert_eq!(hits(&found), ["refund"]);
    answer(&session, load("2", "status_of_order")).await;
    assert!(session.export("shop").is_empty());
}

#[test]
fn what_cannot_work_is_refused_all_at_once() {
    let search = ToolSearch::search_then_load().top_k(0).budget(Budget::tools(0));
    let blank = Toolset::new(" ");
    let errors =
        Registry::builder().tool(hidden("one", "One.")).search(search).toolset(blank).build().unwrap_err();
    let text = errors.to_string();
    for part in ["`top_k` is 0", "a budget of 0", "blank namespace"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let reserved = Registry::builder()
        .tools([eager("load_tool"), hidden("one", "One.")])
        .search(ToolSearch::search_then_load())
        .build();
    assert!(reserved.unwrap_err().to_string().contains("`load_tool` is called like a discovery tool"));
}

#[tokio::test]
async fn a_state_value_of_any_shape_is_filtered_and_reported() {
    let session = registry(ToolSearch::search_then_load()).session();
    for value in [json!("get_weather"), json!({"a": 1}), json!(3)] {
        assert_eq!(session.import("default", &value).invalid, 1, "{value}");
    }
    let report = session.import("default", &json!(["get_time", 7, "get_time", "gone", null, "echo"]));
    assert_eq!(report.revealed, ["get_time"]);
    assert_eq!(report.repeated, ["get_time"]);
    assert_eq!(report.unknown, ["gone", "echo"]);
    assert_eq!(report.invalid, 2);
    assert_eq!(session.export("default"), ["get_time"]);
}

#[tokio::test]
async fn a_disabled_eager_tool_is_not_called_loaded() {
    let off = builder("off", "Off.").enabled(|_| false).handler(async |(): (), _: ToolContext| "ran");
    let registry = Registry::builder()
        .tools([off, hidden("pay", "Pay.")])
        .search(ToolSearch::search_then_load())
        .build()
        .unwrap();
    let answer = answer(&registry.session(), load("1", "off")).await;
    assert_eq!(answer, r#"{"status":"not_found","tool_name":"off"}"#);
}
