use tool_core::function_tool;

/// Ends the program.
#[function_tool]
fn exit(code: i32) -> ! {
    std::process::exit(code)
}

fn main() {}
