use tool_core::function_tools;

/// Repeats a message.
#[function_tools]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
