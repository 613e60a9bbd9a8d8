use tool_core::function_tool;

struct Service;

#[function_tool]
impl Service {
    fn echo(&self) {}
}

fn main() {
    Service.echo();
}
