//! `load_tool`, `unload_tool` and `clear_loaded_tools` of search-then-load.

use serde_json::Value;

use super::{BuiltInTool, arguments::Members};
use crate::{
    Arguments, Limit, RevealOutcome, SessionOperations, ToolContext, ToolError, ToolName, ToolOutput, text,
};

pub(super) const NAME_SCHEMA: &str = r#"{"type":"object","properties":{"tool_name":{"type":"string","description":"The name of the tool, as a search returned it."}},"required":["tool_name"],"additionalProperties":false}"#;
pub(super) const NO_ARGUMENTS: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;

fn tool_name(arguments: &Arguments) -> Result<String, ToolError> {
    let mut members = Members::of(arguments)?;
    let name = members.text("tool_name")?;
    members.end("`tool_name`")?;
    Ok(name.trim().to_owned())
}

fn answer(status: &str, name: &str, limit: Option<(&str, usize)>) -> String {
    // Written member by member: the order is part of the contract, whatever serde_json's features.
    let name = Value::from(name);
    let limit = limit.map_or_else(String::new, |(member, limit)| format!(",\"{member}\":{limit}"));
    format!("{{\"status\":\"{status}\",\"tool_name\":{name}{limit}}}")
}

pub(super) fn load(
    tool: &BuiltInTool,
    arguments: &Arguments,
    context: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let operations = context.required_operations()?;
    let sent = tool_name(arguments)?;
    let Some(name) = operations.loadable(tool.scope, &sent) else {
        return Ok(ToolOutput::text(not_found(operations, tool, &sent)));
    };
    let text = match operations.reveal(name.as_str()) {
        RevealOutcome::Revealed(name) => answer("loaded", name.as_str(), None),
        RevealOutcome::AlreadyVisible(name) => answer("already_loaded", name.as_str(), None),
        RevealOutcome::LimitReached { tool, limit: Limit::Tools(n) } => {
            answer("limit_reached", tool.as_str(), Some(("max_loaded_tools", n)))
        }
        RevealOutcome::LimitReached { tool, limit: Limit::Tokens(n) } => {
            answer("limit_reached", tool.as_str(), Some(("max_loaded_tokens", n)))
        }
        RevealOutcome::Unusable { tool, reason } => {
            format!("{}\n\n'{tool}' cannot be offered: {reason}", answer("not_found", tool.as_str(), None))
        }
        RevealOutcome::NotFound | RevealOutcome::BatchEnded => not_found(operations, tool, &sent),
    };
    Ok(ToolOutput::text(text))
}

fn not_found(operations: &SessionOperations, tool: &BuiltInTool, sent: &str) -> String {
    let text = answer("not_found", &text::echo(sent), None);
    match operations.respelled(tool.scope, sent) {
        Some(name) => format!("{text}\n\nDid you mean '{name}'?"),
        None => text,
    }
}

pub(super) fn unload(
    tool: &BuiltInTool,
    arguments: &Arguments,
    context: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let operations = context.required_operations()?;
    let sent = tool_name(arguments)?;
    let name: Option<ToolName> = operations.unloadable(tool.scope, &sent);
    let unloaded = name.as_ref().is_some_and(|name| operations.unload(name.as_str()));
    let status = if unloaded { "unloaded" } else { "not_loaded" };
    let echo = text::echo(&sent);
    Ok(ToolOutput::text(answer(status, name.as_ref().map_or(&*echo, ToolName::as_str), None)))
}

pub(super) fn clear(
    tool: &BuiltInTool,
    arguments: &Arguments,
    context: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let operations = context.required_operations()?;
    Members::of(arguments)?.end("no arguments")?;
    let count = operations.clear(Some(tool.scope));
    Ok(ToolOutput::text(format!("{{\"status\":\"cleared\",\"count\":{count}}}")))
}
