use tool_core::{ToolContext, function_tool};

/// Names the call.
#[function_tool]
fn call_id(cx: &ToolContext) -> String {
    cx.call_id().to_owned()
}

fn main() {}
