use tool_core::function_tool;

/// Repeats a message.
#[function_tool(blocking)]
async fn echo(msg: String) -> String {
    msg
}

fn main() {}
