use tool_core::function_tool;

struct Opaque;

/// Makes one.
#[function_tool]
fn make() -> Opaque {
    Opaque
}

fn main() {}
