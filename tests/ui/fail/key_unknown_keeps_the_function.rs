use tool_core::{function_tool, tools};

/// Repeats a message.
#[function_tool(colour = "red")]
fn echo(msg: String) -> String {
    msg
}

fn main() {
    let _ = (echo("hi".to_owned()), echo::NAME, tools![echo]);
}
