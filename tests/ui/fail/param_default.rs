use tool_core::function_tool;

/// Repeats a message.
#[function_tool]
fn echo(#[default] msg: String, #[default(1, 2)] times: usize) -> String {
    msg.repeat(times)
}

/// Says hello.
#[function_tool]
fn hello(#[default(1)] #[serde(default)] times: usize) -> String {
    "hello".repeat(times)
}

fn main() {}
