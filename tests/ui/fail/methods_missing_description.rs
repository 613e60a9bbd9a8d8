use tool_core::function_tools;

struct Service;

#[function_tools]
impl Service {
    #[function_tool(descripion = "Repeats")]
    fn echo(&self, msg: String) -> String {
        msg
    }
}

fn main() {
    let service = std::sync::Arc::new(Service);
    let _ = (service.tools(), service.echo(String::new()), Service::TOOLS.echo);
}
