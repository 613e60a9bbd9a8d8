use tool_core::function_tool;

use std::path::Path;

/// Reads.
#[function_tool]
fn read(msg: &String, bytes: &[u8], path: &Path, text: &mut str) -> usize {
    text.len() + msg.len() + bytes.len() + path.as_os_str().len()
}

fn main() {}
