use tool_core::function_tool;

type Fields = std::collections::BTreeMap<String, u8>;

/// Counts.
#[function_tool]
fn count(#[args] first: Fields, #[args] second: Fields) -> usize {
    first.len() + second.len()
}

fn main() {}
