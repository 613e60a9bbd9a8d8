use tool_core::function_tool;

/// Measures.
#[function_tool]
fn größe(#[allow(unused)] cm: u32) -> u32 {
    cm
}

fn main() {}
