use tool_core::function_tool;

use std::rc::Rc;

/// Repeats a message.
#[function_tool]
async fn echo(msg: String) -> String {
    let shared = Rc::new(msg);
    std::future::ready(()).await;
    shared.to_string()
}

fn main() {}
