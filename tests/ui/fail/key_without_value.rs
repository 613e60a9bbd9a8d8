use tool_core::function_tool;

/// Repeats a message.
#[function_tool(name, timeout)]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
