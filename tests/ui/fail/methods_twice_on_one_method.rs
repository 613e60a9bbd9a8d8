use tool_core::function_tools;

struct Service;

#[function_tools]
impl Service {
    /// Repeats a message.
    #[function_tool]
    #[function_tool(defer_loading)]
    fn echo(&self, msg: String) -> String {
        msg
    }
}

fn main() {}
