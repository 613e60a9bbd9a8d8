use tool_core::function_tool;

/// Repeats a message.
#[function_tool]
struct Echo {
    msg: String,
}

fn main() {
    let _ = Echo { msg: String::new() }.msg;
}
