use tool_core::function_tool;

/// Repeats a message.
#[function_tool(group = "talk", defer_loading = false)]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
