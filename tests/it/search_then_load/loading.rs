//! Offer, load, unload, clear; and what the list says of it.

use super::*;

#[tokio::test]
async fn a_fresh_session_lists_eager_tools_then_the_four_tools_with_their_schemas() {
    let shop =
        Toolset::new("shop").deferred().tool(eager("refund")).always_available([hidden("status", "S.")]);
    let registry = Registry::builder()
        .tools([eager("echo"), eager("Zoom"), hidden("get_time", "Time in a city.")])
        .toolset(shop)
        .search(ToolSearch::search_then_load())
        .build()
        .unwrap();
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    assert_eq!(
        names(&turn),
        ["Zoom", "echo", "status", "clear_loaded_tools", "load_tool", "search_tools", "unload_tool"]
    );
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

#[tokio::test]
async fn a_loaded_tool_is_offered_again_and_said_to_be_loaded() {
    let session = registry(ToolSearch::search_then_load()).session();
    answer(&session, load("1", "get_weather")).await;
    let found = answer(&session, call_with("2", "search_tools", json!({"query": "city"}))).await;
    assert_eq!(hits(&found), ["get_time", "get_weather"]);
    assert_eq!(note(&found), "Load a tool with load_tool before you call it.\nLoaded already: get_weather.");
    let found = answer(&session, call_with("3", "search_tools", json!({"query": "weather"}))).await;
    assert_eq!(
        (hits(&found), note(&found)),
        (vec!["get_weather".to_owned()], "Loaded already: get_weather.")
    );
    assert_eq!(session.revealed(), ["get_weather"], "a search loads nothing");
}

#[tokio::test]
async fn what_was_unloaded_is_refused_from_the_next_turn_and_found_and_loaded_again() {
    let session = registry(ToolSearch::search_then_load()).session();
    answer(&session, load("1", "get_weather")).await;
    let turn = session.turn().await.unwrap();
    let both = texts(&turn, [unload("2", "get_weather"), call("3", "get_weather")]).await;
    assert_eq!(both[1], "get_weather ran", "the turn is what its list says");
    let refused = answer(&session, call("4", "get_weather")).await;
    assert!(refused.starts_with("Tool 'get_weather' is not in your current tool list."), "{refused}");
    let found = answer(&session, call_with("5", "search_tools", json!({"query": "weather"}))).await;
    assert_eq!(hits(&found), ["get_weather"]);
    answer(&session, load("6", "get_weather")).await;
    assert_eq!(answer(&session, call("7", "get_weather")).await, "get_weather ran");
}

#[tokio::test]
async fn the_calls_of_one_batch_load_and_unload_in_call_order() {
    let session = registry(ToolSearch::search_then_load()).session();
    let turn = session.turn().await.unwrap();
    let calls = [
        load("1", "get_time"),
        unload("2", "get_time"),
        load("3", "get_weather"),
        load("4", "get_time"),
        call("5", "clear_loaded_tools"),
        load("6", "get_time"),
        load("7", "get_time"),
    ];
    let answers = texts(&turn, calls).await;
    let status =
        |text: &str| serde_json::from_str::<Value>(text).unwrap()["status"].as_str().unwrap().to_owned();
    assert_eq!(
        answers.iter().map(|text| status(text)).collect::<Vec<_>>(),
        ["loaded", "unloaded", "loaded", "loaded", "cleared", "loaded", "already_loaded"]
    );
    assert_eq!(answers[4], r#"{"status":"cleared","count":2}"#);
    assert_eq!(session.revealed(), ["get_time"]);
}

#[tokio::test]
async fn a_hosts_map_of_state_is_read_and_written_by_namespace() {
    let github = Toolset::new("github")
        .prefix("github")
        .tools([hidden("get_issue", "An issue."), hidden("merge", "Merge a pull request.")]);
    let registry = Registry::builder()
        .search(ToolSearch::search_then_load())
        .toolset(github)
        .tool(hidden("get_time", "Time in a city."))
        .build()
        .unwrap();
    let session = registry.session();
    let report = session.import_map(&json!({
        "tool_search.loaded_tools.github": ["merge", "github_get_issue", "merge", 7, "gone"],
        "tool_search.loaded_tools.default": ["get_time"],
        "tool_search.loaded_tools.nowhere": ["x"],
        "tool_search.loaded_tools.text": "y",
        "user": ["left alone"],
    }));
    assert_eq!(report.revealed, ["get_time", "github_merge", "github_get_issue"]);
    assert_eq!(report.repeated, ["merge"]);
    assert_eq!(report.unknown, ["gone", "x"]);
    assert_eq!(report.invalid, 2);
    assert_eq!(
        serde_json::to_value(session.export_map()).unwrap(),
        json!({
            "tool_search.loaded_tools.default": ["get_time"],
            "tool_search.loaded_tools.github": ["github_merge", "github_get_issue"],
        })
    );
    for state in [json!("x"), json!([1]), json!(7)] {
        assert_eq!(registry.session().import_map(&state).invalid, 1, "{state}");
    }
    assert_eq!(registry.session().import_map(&Value::Null).invalid, 0);
}
