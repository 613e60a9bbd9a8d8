use tool_core::function_tool;

const NAME: &str = "repeat";

/// Repeats a message.
#[function_tool(name = NAME)]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
