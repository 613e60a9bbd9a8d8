use tool_core::function_tool;

/// Repeats a message.
#[function_tool]
#[function_tool(defer_loading)]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
