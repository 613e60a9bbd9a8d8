use tool_core::function_tools;

struct Service;

#[function_tools]
impl Service {
    /// Has no service.
    #[function_tool]
    fn free(msg: String) -> String { msg }
    /// Changes it.
    #[function_tool]
    fn mutable(&mut self) {}
    /// Takes it.
    #[function_tool]
    fn owned(self) {}
}

fn main() {}
