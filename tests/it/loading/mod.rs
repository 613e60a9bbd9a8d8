//! One suite of behaviours for tools that are listed, found by a search, loaded by name, or loaded with their group: what a
//! tool does must not depend on how the model came to see it.
#![allow(clippy::ptr_arg, reason = "a host value is looked up by its owned type")]

/// Each behaviour as a test of every way, with the clock stopped.
macro_rules! suite {
    ($($behaviour:ident)*) => {
        suite!(@ listed Listed $($behaviour)*);
        suite!(@ found Found $($behaviour)*);
        suite!(@ loaded Loaded $($behaviour)*);
        suite!(@ grouped Grouped $($behaviour)*);
    };
    (@ $module:ident $way:ident $($behaviour:ident)*) => {
        mod $module {
            $(#[tokio::test(start_paused = true)]
            async fn $behaviour() {
                crate::support::ends(super::$behaviour(crate::support::Way::$way)).await;
            })*
        }
    };
}

mod arguments;
mod failures;
mod pipeline;
mod results;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tool_core::{
    Arguments, CallOutcome, CallResult, FunctionTool, FunctionToolBuilder, Json, RegistryBuilder,
    ResultStatus, Tool, ToolCall, ToolContext, ToolDefinition, ToolError, ToolErrorKind, ToolFuture,
    ToolOptions, ToolOutput, Turn, function_tool,
};

use crate::support::{Way, builder, eager, names, poll_once};

/// The name of the tool that a behaviour is about.
const NAME: &str = "subject";

fn subject() -> FunctionToolBuilder {
    builder(NAME, "What this is about.")
}

/// The first turn that lists the subject, beside other tools.
async fn listed(registry: RegistryBuilder, way: Way) -> Turn {
    way.turn(&registry.tool(eager("another")).build().unwrap().session(), NAME).await
}

async fn call(tool: impl Tool, way: Way, arguments: impl Into<Arguments>) -> CallResult {
    let turn = listed(way.registry([tool]), way).await;
    turn.call_all([ToolCall::new("1", NAME, arguments)]).await.into_results().remove(0)
}

fn failure(result: &CallResult) -> &ToolError {
    match &result.outcome {
        CallOutcome::Failed(error) => error,
        other => panic!("{other:?}"),
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Sum {
    a: i64,
    #[serde(default)]
    b: i64,
}

fn add() -> FunctionTool {
    subject().handler(async |sum: Sum, _: ToolContext| format!("{}", sum.a + sum.b))
}
