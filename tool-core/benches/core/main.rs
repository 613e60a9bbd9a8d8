//! What a turn, a call, a refusal and a search cost: `cargo bench -p tool-core`.
//!
//! Every group runs over a small and a large catalogue, since nothing here may depend on how many tools are hidden.
//! The tables come from divan; after them, `ratio` measures again what is a target as a ratio, both sides in turn.
//! `TOOL_BENCH_CATALOG=FILE` takes the hidden tools from an MCP `tools/list` answer instead of making them up.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "not a library; what is wrong should stop it"
)]

mod call;
mod catalogue;
mod ratio;
mod refuse;
mod registry;
mod tools;
mod turn;

use futures_util::FutureExt;

/// Runs a future that never waits. No runtime, so that none is measured.
fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().expect("nothing here waits")
}

fn main() {
    divan::main();
    ratio::print();
}
