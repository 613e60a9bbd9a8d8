use tool_core::function_tool;

#[function_tool(descripton = "Repeats a message.")]
fn echo(msg: String) -> String {
    msg
}

/// Says hello.
#[function_tool(defer_loadng)]
fn hello() -> &'static str {
    "hello"
}

fn main() {}
