use tool_core::function_tool;

/// Repeats a value.
#[function_tool]
fn repeat<T: Into<String>, const N: usize>(value: T) -> String {
    value.into().repeat(N)
}

fn main() {}
