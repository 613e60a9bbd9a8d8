use tool_core::function_tool;

/// Repeats a message.
#[function_tool(timeout = "30 seconds")]
fn echo(msg: String) -> String {
    msg
}

/// Says hello.
#[function_tool(timeout = 30)]
fn hello() -> &'static str {
    "hello"
}

fn main() {}
