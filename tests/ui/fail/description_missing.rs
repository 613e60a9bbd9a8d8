use tool_core::function_tool;

#[function_tool]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
