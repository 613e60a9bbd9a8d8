use tool_core::function_tool;

#[derive(Debug)]
struct Silent;

/// Fails.
#[function_tool]
async fn fail() -> Result<String, Silent> {
    Err(Silent)
}

fn main() {}
