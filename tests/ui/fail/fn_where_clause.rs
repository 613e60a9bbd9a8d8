use tool_core::function_tool;

/// Repeats a message.
#[function_tool]
fn echo(msg: String) -> String
where
    String: Clone,
{
    msg
}

fn main() {}
