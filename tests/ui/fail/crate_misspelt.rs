mod tools {
    pub use tool_core::function_tool;
}

/// Repeats a message.
#[tools::function_tool(crate = ::renamed)]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
