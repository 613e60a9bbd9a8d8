use tool_core::function_tool;

/// Adds.
#[function_tool]
fn add(first: u8, #[serde(rename = "first")] second: u8) -> u8 {
    first + second
}

fn main() {}
