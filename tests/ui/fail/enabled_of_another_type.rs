use tool_core::function_tool;

fn is_enabled() -> bool {
    true
}

/// Repeats a message.
#[function_tool(enabled = is_enabled)]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
