use tool_core::function_tool;

struct Service;

impl Service {
    /// Repeats a message.
    #[function_tool]
    fn echo(&self, msg: String) -> String {
        msg
    }
}

fn main() {}
