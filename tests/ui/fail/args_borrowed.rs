use tool_core::function_tool;

type Fields = std::collections::BTreeMap<String, u8>;

/// Counts.
#[function_tool]
fn count(#[args] fields: &Fields) -> usize {
    fields.len()
}

fn main() {}
