//! What a type may not have it cannot list, find, load or call; what it has it gets from its registry and its groups.

use tool_core::{ToolError, ToolGroup, ToolPattern, ToolSearch, function_tool, tools};

use super::*;
use crate::support::hidden;

fn pattern(text: &str) -> ToolPattern {
    ToolPattern::new(text).unwrap()
}

/// Searches for a name, calls it, and answers with both results.
fn searches_and_calls(name: &'static str) -> ScriptedModel {
    ScriptedModel::answering(move |request| {
        Ok(match request.messages.len() {
            1 => ModelReply::calls([call("s", "tool_search", json!({ "query": name }))]),
            3 => ModelReply::calls([call("c", name, json!({}))]),
            _ => ModelReply::text(results(request.messages).join("\n")),
        })
    })
}

fn two_hidden(runs: &Runs) -> Registry {
    Registry::builder()
        .tool(runs.hidden("delete_all", "Delete all files."))
        .tool(runs.hidden("read_all", "Read all files."))
        .tool(runs.eager("delete_one"))
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_denied_tool_is_neither_found_nor_selected_by_its_exact_name_nor_called() {
    let runs = Runs::default();
    let sub = searches_and_calls("delete_all");
    let reader = SubAgent::new("reader", "Reads.").model(sub.clone()).deny([pattern("delete_*")]);
    let model = spawning([spawn("1", "reader", "x")]);
    let agent = agent_with(&model, two_hidden(&runs), [reader]);
    let answers = answers(&agent).await;

    let (found, called) = answers[0].split_once("\nc: ").unwrap();
    assert_eq!(crate::support::hits(&found["1: s: ".len()..]), ["read_all"]);
    assert!(!found.contains("delete"), "{found}");
    assert!(called.starts_with("Tool 'delete_all' is not in your current tool list."), "{called}");
    assert!(runs.all().is_empty());
    assert_eq!(tool_names(&sub.requests()[0]), ["tool_search"], "the eager one neither");
    assert_eq!(tool_names(&model.requests()[0]), ["delete_one", "spawn", "tool_search"], "the agent has it");
}

#[tokio::test]
async fn allow_narrows_what_the_agent_has_and_never_widens_it() {
    let runs = Runs::default();
    let registry = Registry::builder()
        .tools([runs.eager("read"), runs.eager("write"), runs.eager("erase")])
        .tool(runs.hidden("late", "Comes late."))
        .deny([pattern("erase")])
        .allow([pattern("read"), pattern("write"), pattern("erase"), pattern("late")])
        .build()
        .unwrap();
    let sub = always_ok();
    let reader =
        SubAgent::new("reader", "Reads.").model(sub.clone()).allow([pattern("read"), pattern("erase")]);
    let model = spawning([spawn("1", "reader", "x")]);
    answers(&agent_with(&model, registry, [reader])).await;
    assert_eq!(tool_names(&model.requests()[0]), ["read", "spawn", "write", "tool_search"], "spawn stays");
    assert_eq!(tool_names(&sub.requests()[0]), ["read"], "nothing is left to search for");
}

/// Says it again.
#[function_tool]
fn repeat_it(text: String) -> String {
    text
}

/// Reads a page.
#[function_tool(defer_loading)]
fn read_page() -> &'static str {
    "a page"
}

#[tokio::test]
async fn handles_select_as_on_a_registry() {
    let registry = Registry::builder().tools(tools![repeat_it, read_page]).build().unwrap();
    let sub = searches_and_calls("read_page");
    let types = [SubAgent::new("helper", "Helps.").model(sub.clone()).deny(tools![repeat_it])];
    let model = spawning([spawn("1", "helper", "x")]);
    let answers = answers(&agent_with(&model, registry, types)).await;
    assert!(answers[0].ends_with("c: a page"), "{answers:?}");
    assert_eq!(tool_names(&sub.requests()[0]), ["tool_search"]);
}

#[tokio::test]
async fn groups_of_the_agent_are_not_there_and_a_type_may_not_load_what_it_is_denied() {
    let runs = Runs::default();
    let registry = Registry::builder()
        .tool(runs.eager("echo_it"))
        .tool(runs.tool(builder("grouped", "Is in a group.").group("files")))
        .group(ToolGroup::linked("files", "Files."))
        .group(ToolGroup::resident("here", "Always there.").tools(tools![repeat_it]))
        .build()
        .unwrap();
    let none = calls_its_task();
    let loads = ScriptedModel::answering(|request| {
        Ok(match request.messages.len() {
            1 => ModelReply::calls([call("l", "load_tools", json!({ "name": "web" }))]),
            3 => ModelReply::calls([call("c", "erase_web", json!({}))]),
            _ => ModelReply::text(results(request.messages).join("\n")),
        })
    });
    let built = runs.clone();
    let web = ToolGroup::lazy("web", "The web.", move |_: ToolContext| {
        let tools = [built.eager("read_web"), built.eager("erase_web")];
        async { Ok::<_, ToolError>(tools) }
    });
    let types = [
        SubAgent::new("none", "Has no groups.").model(none.clone()),
        SubAgent::new("web", "Has a group.").model(loads).group(web).deny([pattern("erase_*")]),
    ];
    let model = spawning([spawn("1", "none", "grouped"), spawn("2", "web", "x")]);
    let answers = answers(&agent_with(&model, registry, types)).await;

    assert_eq!(tool_names(&none.requests()[0]), ["echo_it"], "neither lazy nor resident ones");
    assert_eq!(answers[0], "1: Tool 'grouped' is not in your current tool list.");
    let (loaded, called) = answers[1].split_once("\nc: ").unwrap();
    assert_eq!(loaded, "2: l: Loaded 'web': read_web.");
    assert!(called.starts_with("Tool 'erase_web' is not in your current tool list."), "{called}");
    assert!(runs.all().is_empty());
    assert_eq!(
        tool_names(&model.requests()[0]),
        ["echo_it", "repeat_it", "spawn", "available_tools", "load_tools"]
    );
}

#[tokio::test]
async fn a_type_may_have_another_search_or_registry() {
    let registry = || Registry::builder().tool(hidden("late", "Comes late.")).build().unwrap();
    let (load, own) = (always_ok(), always_ok());
    let types = [
        SubAgent::new("load", "Loads.").model(load.clone()).search(ToolSearch::search_then_load()),
        SubAgent::new("own", "Has its own.").model(own.clone()).registry(super::super::registry()),
    ];
    let model = spawning([spawn("1", "load", "x"), spawn("2", "own", "x")]);
    answers(&agent_with(&model, registry(), types)).await;
    assert_eq!(
        tool_names(&load.requests()[0]),
        ["clear_loaded_tools", "load_tool", "search_tools", "unload_tool"]
    );
    assert_eq!(tool_names(&own.requests()[0]), ["echo", "tool_search"]);
}

#[tokio::test]
async fn no_text_names_a_tool_that_is_hidden_below() {
    let runs = Runs::default();
    let sub = searches_and_calls("read_all");
    let reader = SubAgent::new("reader", "Reads.").model(sub.clone());
    let model = spawning([spawn("1", "reader", "x")]);
    agent_with(&model, two_hidden(&runs), [reader]).run("Go").await.unwrap();
    let first = &sub.requests()[0];
    let sent = serde_json::to_string(&first.messages).unwrap() + &first.definitions.concat();
    assert!(!sent.contains("read_all") && !sent.contains("delete_all"), "{sent}");
    assert!(!model.requests()[0].definitions.concat().contains("_all"));
}
