use tool_core::{function_tool, tools};

/// Repeats a message.
#[function_tool]
fn echo(msg: String) -> String {
    msg
}

fn main() {
    let _ = tools![echo, echo];
}
