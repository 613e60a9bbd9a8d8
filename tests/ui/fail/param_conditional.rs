use tool_core::function_tool;

/// Repeats a message.
#[function_tool]
fn echo(msg: String, #[cfg(unix)] times: u8) -> String {
    msg.repeat(times.into())
}

fn main() {}
