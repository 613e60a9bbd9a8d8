use tool_core::function_tools;

struct Service;

#[function_tools]
impl Service {
    /// Repeats a message.
    #[function_tool]
    fn echo(&self, msg: String) -> String {
        msg
    }
}

fn main() {
    let _ = Service::TOOLS.ehco.name();
}
