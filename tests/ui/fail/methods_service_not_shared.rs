use tool_core::function_tools;

struct Service(std::cell::Cell<u8>);

#[function_tools]
impl Service {
    /// Counts.
    #[function_tool]
    fn count(&self) -> u8 {
        self.0.get()
    }
}

fn main() {}
