use tool_core::function_tool;

#[derive(Clone)]
struct Gateway;

/// Charges a card.
#[function_tool]
async fn charge(amount: u64, #[context] gateway: Gateway) -> u64 {
    let _ = gateway;
    amount
}

fn main() {}
