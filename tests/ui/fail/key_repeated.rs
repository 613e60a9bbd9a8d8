use tool_core::function_tool;

/// Repeats a message.
#[function_tool(title = "Echo", defer_loading, title = "Repeat")]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
