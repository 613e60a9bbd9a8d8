use tool_core::function_tool;

/// Repeats a message.
#[function_tool(crate = "tool_core")]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
