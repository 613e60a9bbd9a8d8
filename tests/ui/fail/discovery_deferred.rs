use tool_core::function_tool;

/// Lists the catalogue.
#[function_tool(discovery, defer_loading)]
fn catalogue(page: u32) -> String {
    page.to_string()
}

fn main() {}
