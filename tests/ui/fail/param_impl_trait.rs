use tool_core::function_tool;

/// Repeats a message.
#[function_tool]
fn echo(msg: impl Into<String>, more: Vec<impl ToString>) -> String {
    format!("{}{}", msg.into(), more.len())
}

fn main() {}
