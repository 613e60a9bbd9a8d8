use tool_core::function_tools;

struct Opaque;
struct Service<T>(T);

#[function_tools]
impl<T: Send + Sync + 'static> Service<T> {
    /// Takes one.
    #[function_tool]
    async fn take(&self, opaque: Opaque) -> u8 {
        let _ = (opaque, &self.0);
        1
    }
}

fn main() {}
