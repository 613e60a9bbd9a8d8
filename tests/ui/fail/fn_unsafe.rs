use tool_core::function_tool;

/// Repeats a number.
#[function_tool]
unsafe fn repeat(number: u8) -> u8 {
    number
}

fn main() {}
