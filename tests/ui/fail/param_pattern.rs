use tool_core::function_tool;

/// Adds.
#[function_tool]
fn add((a, b): (u8, u8), _: u8) -> u8 {
    a + b
}

fn main() {}
