//! Search then load: `search_tools`, `load_tool`, `unload_tool`, `clear_loaded_tools`, with namespaces and budgets.

mod budgets;
mod building;
mod loading;
mod namespaces;

use serde_json::{Value, json};
use tool_core::{Budget, FieldedRanker, Registry, Session, ToolCall, ToolContext, ToolSearch, Toolset};

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
