use tool_core::function_tool;

/// Repeats a message.
#[function_tool(handle = "Echo")]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
