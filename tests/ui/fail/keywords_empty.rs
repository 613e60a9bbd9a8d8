use tool_core::function_tool;

/// Repeats a message.
#[function_tool(keywords = [])]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
