//! Random conversations, for the properties of sessions.

use proptest::prelude::*;
use serde_json::json;
use tool_core::{FunctionTool, Registry, Session, ToolCall, ToolContext, ToolError};

use crate::support::{Runs, builder, names, texts};

/// The calls of some batches.
pub(super) type Script = Vec<Vec<ToolCall>>;

const HIDDEN: [(&str, &str); 5] = [
    ("alpha", "First letter."),
    ("beta", "Second letter."),
    ("gamma", "Third letter."),
    ("delta_x", "A word."),
    ("delta_y", "Another word."),
];

pub(super) fn registry() -> Registry {
    let runs = Runs::default();
    let hidden = HIDDEN.map(|(name, description)| runs.hidden(name, description));
    Registry::builder().tools(hidden).tools([runs.eager("echo"), failing(), panicking()]).build().unwrap()
}

pub(super) fn failing() -> FunctionTool {
    builder("failing", "Fails.").handler(async |(): (), _: ToolContext| Err::<(), _>(ToolError::new("no")))
}

pub(super) fn panicking() -> FunctionTool {
    builder("panicking", "Panics.").handler(async |(): (), _: ToolContext| -> () { panic!("boom") })
}

fn any_call() -> impl Strategy<Value = (&'static str, serde_json::Value)> {
    let words = ["letter", "word", "alpha", "beta", "delta", "delta_y", "first", "", "the", "nothing here"];
    let query = (prop::sample::select(words.to_vec()), 1i64..4)
        .prop_map(|(query, top_k)| ("tool_search", json!({"query": query, "top_k": top_k})));
    let tools =
        ["alpha", "beta", "gamma", "delta_x", "delta_y", "echo", "failing", "panicking", "Alpha", "none"];
    let plain = prop::sample::select(tools.to_vec()).prop_map(|name| (name, json!({})));
    let broken = prop::sample::select(&["echo", "tool_search", "alpha"])
        .prop_map(|name| (name, json!({"unknown": true})));
    prop_oneof![4 => query, 6 => plain, 1 => broken]
}

/// Up to five batches of up to five calls; some ids repeat.
pub(super) fn script() -> impl Strategy<Value = Script> {
    let batch = prop::collection::vec((any_call(), prop::bool::weighted(0.1)), 0..6).prop_map(|calls| {
        let calls = calls.into_iter().enumerate();
        let calls = calls.map(|(index, ((name, arguments), repeats))| {
            let id = if repeats { 0 } else { index };
            ToolCall::new(id.to_string(), name, arguments)
        });
        calls.collect()
    });
    prop::collection::vec(batch, 1..6)
}

/// One turn and its batch: the list, and what the model reads of each call.
pub(super) async fn step(session: &Session, calls: &[ToolCall]) -> (Vec<String>, Vec<String>) {
    let turn = session.turn().await.unwrap();
    (names(&turn), texts(&turn, calls.to_vec()).await)
}
