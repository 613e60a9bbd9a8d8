use tool_core::function_tool;

/// Counts.
#[function_tool]
fn count(#[serde(flatten)] all: Vec<u8>, #[serde(skip)] none: u8) -> usize {
    all.len() + usize::from(none)
}

fn main() {}
