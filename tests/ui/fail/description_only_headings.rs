use tool_core::function_tool;

/// # Errors
/// Never.
#[function_tool]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
