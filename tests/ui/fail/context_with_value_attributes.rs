use tool_core::function_tool;

struct Gateway;

/// Charges a card.
#[function_tool]
fn charge(#[context] #[default(Gateway)] gateway: &Gateway, #[context] #[args] other: &Gateway) {
    let _ = (gateway, other);
}

fn main() {}
