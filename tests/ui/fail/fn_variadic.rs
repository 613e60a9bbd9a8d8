use tool_core::function_tool;

/// Sums.
#[function_tool]
unsafe extern "C" fn sum(count: usize, ...) -> usize {
    count
}

fn main() {}
