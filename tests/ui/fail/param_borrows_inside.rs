use tool_core::function_tool;

/// Joins.
#[function_tool]
fn join(words: Vec<&str>, text: &'static str) -> String {
    words.join(text)
}

fn main() {}
