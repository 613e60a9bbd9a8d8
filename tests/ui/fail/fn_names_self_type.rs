use tool_core::function_tool;

struct Service;

impl Service {
    /// Makes one.
    #[function_tool]
    fn make(count: u8) -> Vec<Self> {
        (0..count).map(|_| Self).collect()
    }
}

fn main() {}
