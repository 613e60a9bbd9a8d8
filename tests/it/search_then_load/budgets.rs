//! What the model may hold at a time: told, never evicted, counted by tool and not by name.

use super::*;

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
async fn a_bare_name_and_the_full_one_in_one_batch_are_one_tool() {
    let github =
        Toolset::new("github").prefix("github").deferred().tools([eager("get_issue"), eager("list")]);
    let search = ToolSearch::search_then_load().budget(Budget::tools(2));
    let registry = Registry::builder().toolset(github).search(search).build().unwrap();
    let session = registry.session();
    let calls =
        [load("1", "get_issue"), load("2", "github_get_issue"), load("3", " get_issue "), load("4", "list")];
    assert_eq!(
        texts(&session.turn().await.unwrap(), calls).await,
        [
            r#"{"status":"loaded","tool_name":"github_get_issue"}"#,
            r#"{"status":"already_loaded","tool_name":"github_get_issue"}"#,
            r#"{"status":"already_loaded","tool_name":"github_get_issue"}"#,
            r#"{"status":"loaded","tool_name":"github_list"}"#,
        ]
    );
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn)[4..], ["github_get_issue", "github_list"], "each once");
}

#[tokio::test]
async fn without_a_word_of_the_host_the_model_holds_twenty_tools() {
    let tools = (0..21).map(|number| hidden(&format!("tool_{number:02}"), "One of many."));
    let registry = Registry::builder().tools(tools).search(ToolSearch::search_then_load()).build().unwrap();
    let session = registry.session();
    let calls: Vec<_> =
        (0..21).map(|number| load(&number.to_string(), &format!("tool_{number:02}"))).collect();
    let answers = texts(&session.turn().await.unwrap(), calls).await;
    assert_eq!(answers[19], r#"{"status":"loaded","tool_name":"tool_19"}"#);
    assert_eq!(answers[20], r#"{"status":"limit_reached","tool_name":"tool_20","max_loaded_tools":20}"#);
    // Whoever unloads makes room, in the same batch too.
    let swap = [unload("1", "tool_00"), load("2", "tool_20")];
    let answers = texts(&session.turn().await.unwrap(), swap).await;
    assert_eq!(answers[1], r#"{"status":"loaded","tool_name":"tool_20"}"#);
    assert_eq!(session.revealed().len(), 20);
}

#[tokio::test]
async fn one_budget_counts_the_tools_of_all_toolsets_of_its_search() {
    let toolset =
        |name: &'static str| Toolset::new(name).prefix(name).deferred().tools([eager("a"), eager("b")]);
    let registry = Registry::builder()
        .toolset(toolset("one"))
        .toolset(toolset("two").budget(Budget::tools(1)))
        .search(ToolSearch::search_then_load().budget(Budget::tools(2)))
        .build()
        .unwrap();
    let limits = async |names: [&str; 3]| {
        let session = registry.session();
        let calls = names.iter().enumerate().map(|(id, name)| load(&id.to_string(), name));
        let answers = texts(&session.turn().await.unwrap(), calls).await;
        let limit = |text: &String| serde_json::from_str::<Value>(text).unwrap()["max_loaded_tools"].as_u64();
        answers.iter().map(limit).collect::<Vec<_>>()
    };
    assert_eq!(limits(["one_a", "two_a", "one_b"]).await, [None, None, Some(2)]);
    assert_eq!(limits(["two_a", "two_b", "one_a"]).await, [None, Some(1), None], "one toolset is narrowed");
}
