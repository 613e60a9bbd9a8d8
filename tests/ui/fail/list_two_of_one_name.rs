use tool_core::{function_tool, tools};

/// Repeats a message.
#[function_tool]
fn echo(msg: String) -> String {
    msg
}

/// Says hello.
#[function_tool(name = "echo")]
fn hello() -> &'static str {
    "hello"
}

fn main() {
    let _ = tools![echo, hello];
}
