use tool_core::function_tool;

/// Repeats a message.
#[function_tool]
fn echo<'a>(msg: &'a str) -> &'a str {
    msg
}

fn main() {}
