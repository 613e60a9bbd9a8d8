//! `tool_call`: the gate unwraps it into the call of its target before anything is judged, so approval, `enabled`,
//! time-outs, events and results are the target's.

use serde_json::Value;

use super::{BuiltIn, DiscoveryTool, arguments::Members};
use crate::{Arguments, ToolCall, ToolError, registry::Entry};

pub(super) const CALL_SCHEMA: &str = r#"{"type":"object","properties":{"name":{"type":"string","description":"The name of the tool, as a search returned it."},"arguments":{"type":"object","description":"The arguments of the tool, as its schema says.","additionalProperties":true}},"required":["name"],"additionalProperties":false}"#;

/// Whether an entry is the bridge's `tool_call`.
pub(crate) fn is_bridge(entry: &Entry) -> bool {
    matches!(entry.built_in, Some(BuiltIn::Search(DiscoveryTool::Call, _)))
}

/// The call inside a `tool_call`: the outer id, the target's name and arguments.
///
/// # Errors
/// A text for arguments that are no call.
pub(crate) fn unwrap(call: &ToolCall) -> Result<ToolCall, ToolError> {
    let mut members = Members::of(&call.arguments)?;
    let name = members.text("name")?;
    let arguments = match members.value("arguments") {
        None => Arguments::Value(Value::Null),
        Some(Value::String(text)) => Arguments::Text(text),
        Some(value) => Arguments::Value(value),
    };
    members.end("`name` or `arguments`")?;
    Ok(ToolCall { id: call.id.clone(), name, arguments })
}
