use tool_core::function_tools;

struct Service;

#[function_tools]
impl Clone for Service {
    /// Copies.
    #[function_tool]
    fn clone(&self) -> Self {
        Self
    }
}

fn main() {}
