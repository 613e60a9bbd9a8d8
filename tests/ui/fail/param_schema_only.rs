use tool_core::function_tool;

/// Counts.
#[function_tool]
fn count(#[schemars(rename = "maxRows")] max_rows: u8) -> u8 {
    max_rows
}

fn main() {}
