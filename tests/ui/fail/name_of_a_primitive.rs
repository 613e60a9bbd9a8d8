use tool_core::function_tool;

/// Rounds down.
#[function_tool]
fn u32(number: f64) -> String {
    format!("{number:.0}")
}

/// Repeats a message.
#[function_tool(handle = bool)]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
