use tool_core::function_tool;

/// Repeats a message.
#[function_tool(defer_loading = "yes", read_only = 1)]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
