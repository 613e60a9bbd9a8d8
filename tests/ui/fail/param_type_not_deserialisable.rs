use tool_core::function_tool;

struct Opaque;

/// Counts.
#[function_tool]
async fn count(first: Opaque, second: Option<Vec<Opaque>>) -> usize {
    let _ = first;
    second.map_or(0, |list| list.len())
}

fn main() {}
