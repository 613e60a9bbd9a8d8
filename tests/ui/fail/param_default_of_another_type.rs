use tool_core::function_tool;

/// Repeats a message.
#[function_tool]
fn echo(msg: String, #[default(true)] times: usize) -> String {
    msg.repeat(times)
}

fn main() {}
