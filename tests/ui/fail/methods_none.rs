use tool_core::function_tools;

struct Service;

#[function_tools]
impl Service {
    fn echo(&self) {}
}

fn main() {
    Service.echo();
}
