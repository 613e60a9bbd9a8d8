use tool_core::function_tool;

#[function_tool("Repeats a message.")]
fn echo(msg: String) -> String {
    msg
}

/// Says hello.
#[function_tool(keywords("greet", "hi"))]
fn hello() -> &'static str {
    "hello"
}

fn main() {}
