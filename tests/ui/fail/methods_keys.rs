use tool_core::function_tools;

struct Service;

#[function_tools(name = "service")]
impl Service {
    /// Repeats a message.
    #[function_tool(handle = Echo, crate = ::other)]
    fn echo(&self, msg: String) -> String {
        msg
    }
}

fn main() {}
