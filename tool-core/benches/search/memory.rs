//! What a registry and its search index take, beside the JSON that they were made of.

use serde_json::value::RawValue;
use tool_core::{Arguments, FunctionTool, Registry, ToolContext};

#[derive(serde::Deserialize)]
struct Described<'a> {
    name: String,
    description: String,
    #[serde(borrow)]
    parameters: &'a RawValue,
}

/// Prints what the process grows by; nothing where the system does not tell.
pub(crate) fn measure(json: &str) {
    let Some(before) = resident() else { return };
    let described: Vec<&RawValue> = serde_json::from_str(json).unwrap();
    let tools = described.into_iter().map(|tool| {
        let tool: Described<'_> = serde_json::from_str(tool.get()).unwrap();
        FunctionTool::builder(tool.name, tool.description)
            .deferred()
            .raw(tool.parameters.get(), async |arguments: Arguments, _: ToolContext| {
                arguments.to_text().into_owned()
            })
    });
    let registry = Registry::builder().tools(tools).build().unwrap();
    registry.check().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let turn = registry.session().turn().await.unwrap();
        let call = tool_core::ToolCall::new("1", "tool_search", r#"{"query": "index"}"#);
        turn.call_all(vec![call]).await;
    });
    let grown = resident().unwrap_or(before).saturating_sub(before);
    println!("memory       {} kB beside {} kB of JSON", grown / 1_000, json.len() / 1_000);
    drop(registry);
}

/// Bytes in memory of this process.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<usize>().ok()? * 1_024)
}
