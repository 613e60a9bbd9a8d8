use tool_core::function_tool;

/// Repeats a message.
#[function_tool]
fn echo(msg: String) -> String {
    msg
}

/// Repeats a message twice.
#[function_tool]
fn echo(msg: String) -> String {
    msg.repeat(2)
}

fn main() {}
