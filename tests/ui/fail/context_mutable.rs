use tool_core::function_tool;

struct Gateway(u64);

/// Charges a card.
#[function_tool]
fn charge(amount: u64, #[context] gateway: &mut Gateway) -> u64 {
    gateway.0 += amount;
    gateway.0
}

fn main() {}
