//! `#[function_tool]` and `#[function_tools]`, as a user writes them and as a model calls them.
#![allow(
    clippy::items_after_statements,
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    clippy::unnecessary_wraps,
    clippy::unused_async,
    clippy::unused_unit,
    reason = "the functions are there for their signatures"
)]

mod keys;
mod methods;
mod parameters;
mod places;
mod results;

use serde_json::Value;
use tool_core::{Arguments, Tool, ToolError, ToolOutput};

use crate::support::in_every_way;

/// Calls one tool in every way and gives what the model reads, or `error: …`.
pub(crate) async fn call(tool: impl Tool, arguments: impl Into<Arguments>) -> String {
    shown(output(tool, arguments).await)
}

/// As [`call`], with all parts of the output.
pub(crate) async fn output(
    tool: impl Tool,
    arguments: impl Into<Arguments>,
) -> Result<ToolOutput, ToolError> {
    in_every_way(tool, arguments).await
}

pub(crate) fn shown(result: Result<ToolOutput, ToolError>) -> String {
    match result {
        Ok(output) => output.to_text().into_owned(),
        Err(error) => format!("error: {}", error.model_message()),
    }
}

/// The input schema of a tool.
pub(crate) fn schema(tool: &impl Tool) -> Value {
    serde_json::from_str(tool.definition().input_schema().unwrap().as_str()).unwrap()
}
