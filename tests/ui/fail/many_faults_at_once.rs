use tool_core::{function_tool, tools};

#[function_tool(nme = "x", defer_loading = "yes", timeout = "soon")]
unsafe fn many<T>(a: &String, (b, c): (u8, u8), #[args] d: Vec<u8>, #[args] e: u8) -> T {
    syntax
}

fn main() {
    let _ = tools![many];
}
