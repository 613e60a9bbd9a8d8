use tool_core::function_tool;

/// Says hello.
#[function_tool]
fn hello() -> impl Future<Output = String> {
    async { "hello".to_owned() }
}

fn main() {}
