//! A tool as MCP lists it.

use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use tool_core::{Schema, ToolDefinition};

/// The tool for `tools/list`. One whose schema cannot be made is not listed by a turn, so it has none here either.
pub(crate) fn to_mcp(definition: &ToolDefinition) -> Option<Tool> {
    let input = object(definition.input_schema().ok()?)?;
    let output = definition.output_schema().ok()?.and_then(object);
    let mut tool = Tool::new(definition.name().to_string(), definition.description().to_owned(), input);
    tool.title = definition.title().map(str::to_owned);
    tool.output_schema = output.map(Arc::new);
    tool.annotations = annotations(definition);
    Some(tool)
}

fn object(schema: &Schema) -> Option<JsonObject> {
    match serde_json::from_str(schema.as_str()) {
        Ok(Value::Object(object)) => Some(object),
        _ => None,
    }
}

/// Only what the author wrote: the defaults of MCP differ from "not said".
fn annotations(definition: &ToolDefinition) -> Option<ToolAnnotations> {
    let of = definition.annotations();
    let said = [of.read_only, of.destructive, of.idempotent, of.open_world];
    if said.iter().all(Option::is_none) {
        return None;
    }
    let [read_only, destructive, idempotent, open_world] = said;
    Some(ToolAnnotations::from_raw(None, read_only, destructive, idempotent, open_world))
}
