//! The tools of these tests, and turns over them.

use tool_core::{Registry, Turn, function_tool, tools};

/// Repeat a message.
#[function_tool]
fn echo(
    /// What to repeat.
    msg: String,
) -> String {
    msg
}

/// Charge a credit card.
#[function_tool(defer_loading)]
fn payment_processor(
    /// Amount to charge, in cents.
    amount_cents: u64,
) -> String {
    format!("charged {amount_cents}")
}

/// Find pages.
#[function_tool]
fn web_search(query: String) -> String {
    query
}

/// Do something odd.
#[function_tool]
fn strange(#[schemars(extend("type" = "oddity"))] odd: String) -> String {
    odd
}

/// `echo`, and the hidden `payment_processor` with a search for it.
pub(crate) fn registry() -> Registry {
    Registry::builder().tools(tools![echo, payment_processor]).build().unwrap()
}

/// `echo` and `web_search`.
pub(crate) fn web_registry() -> Registry {
    Registry::builder().tools(tools![echo, web_search]).build().unwrap()
}

/// `echo`, and a tool whose schema no provider takes.
pub(crate) fn faulty_registry() -> Registry {
    Registry::builder().tools(tools![echo, strange]).build().unwrap()
}

/// The first turn of a session over [`registry`].
pub(crate) async fn turn() -> Turn {
    registry().session().turn().await.unwrap()
}
