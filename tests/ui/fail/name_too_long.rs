use tool_core::function_tool;

/// Repeats a message.
#[function_tool(name = "repeats_the_message_that_the_model_sends_and_nothing_else_than_that_message")]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
