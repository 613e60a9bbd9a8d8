use tool_core::function_tool;

#[doc = concat!("Repeats ", "a message.")]
#[function_tool]
fn echo(msg: String) -> String {
    msg
}

fn main() {}
