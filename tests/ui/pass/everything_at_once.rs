//! All keys at once, on a function that stays callable.
use tool_core::{ToolContext, function_tool, tools};

fn is_enabled(context: &ToolContext) -> bool {
    context.call_id().is_empty()
}

#[function_tool(
    name = "charge-card", description = "Charge a card.", title = "Charge", defer_loading = true, keywords = ["pay"],
    read_only = false, destructive, idempotent = false, open_world, requires_approval, blocking, timeout = "2m",
    enabled = is_enabled, discovery = false, handle = Charge, crate = ::tool_core,
)]
pub fn charge(amount: u64) -> u64 {
    amount
}

fn main() {
    assert_eq!((charge(3), Charge::NAME, tools![Charge].len()), (3, "charge-card", 1));
}
