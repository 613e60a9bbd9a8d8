use tool_core::function_tool;

/// Repeats a message.
#[function_tool(timeout = "0s")]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
