use tool_core::function_tool;

/// Repeats a message.
#[function_tool(keywords = "repeat, say")]
fn echo(msg: String) -> String {
    msg
}

/// Says hello.
#[function_tool(keywords = ["greet", ""])]
fn hello() -> &'static str {
    "hello"
}

fn main() {}
