use tool_core::function_tool;

/// Charges a card.
#[function_tool]
fn charge(amount: u64, #[context] gateway: &impl ToString) -> String {
    format!("{amount} {}", gateway.to_string())
}

fn main() {}
