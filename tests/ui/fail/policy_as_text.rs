use tool_core::{Registry, function_tool};

/// Repeats a message.
#[function_tool]
fn echo(msg: String) -> String {
    msg
}

fn main() {
    let _ = Registry::builder().tool(echo::TOOL).deny(["echo"]);
}
