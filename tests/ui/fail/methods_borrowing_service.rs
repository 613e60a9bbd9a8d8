use tool_core::function_tools;

struct Service<'a>(&'a str);

#[function_tools]
impl<'a> Service<'a> {
    /// Tells the name.
    #[function_tool]
    fn name(&self) -> String {
        self.0.to_owned()
    }
}

fn main() {}
