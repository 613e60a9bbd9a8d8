use tool_core::function_tool;

/// Repeats a message.
#[function_tool(name = "echo message")]
fn echo(msg: String) -> String {
    msg
}

/// Says hello.
#[function_tool(name = "1st")]
fn hello() -> &'static str {
    "hello"
}

fn main() {}
