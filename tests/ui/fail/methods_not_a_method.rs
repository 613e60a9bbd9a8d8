use tool_core::function_tools;

struct Service;

#[function_tools]
impl Service {
    #[function_tool]
    const LIMIT: u8 = 3;
    /// Tells the limit.
    #[function_tool]
    fn limit(&self) -> u8 {
        Self::LIMIT
    }
}

fn main() {}
