//! Building a registry, its index, and the search over it.

use divan::Bencher;
use serde_json::json;
use tool_core::{Batch, Registry, ToolCall};

use crate::{catalogue, now};

const QUERIES: [&str; 5] = [
    "billing_create_invoice",
    "restore folder storage",
    "I want to cancel the order of a customer",
    "which policy to approve",
    "zebra",
];

fn search(registry: &Registry, query: &str) -> Batch {
    let turn = now(registry.session().turn()).expect("no host value is missing");
    now(turn.call_all([ToolCall::new("call_1", "tool_search", json!({ "query": query }))]))
}

#[divan::bench(args = catalogue::sizes(), sample_count = 20, sample_size = 1)]
fn build(bencher: Bencher<'_, '_>, size: usize) {
    bencher
        .with_inputs(|| catalogue::hidden(size))
        .bench_values(|tools| Registry::builder().tools(tools).build().expect("the catalogue is valid"));
}

#[divan::bench(args = catalogue::sizes(), sample_count = 20, sample_size = 1)]
fn first_search(bencher: Bencher<'_, '_>, size: usize) {
    bencher
        .with_inputs(|| catalogue::registry(size))
        .bench_values(|registry| (search(&registry, QUERIES[1]), registry));
}

#[divan::bench_group]
mod later_search {
    use super::{Bencher, QUERIES, catalogue, search};

    /// With a new session each time, so that nothing is revealed yet.
    #[divan::bench(args = catalogue::sizes(), consts = [0, 1, 2, 3, 4], sample_count = 50)]
    fn query<const QUERY: usize>(bencher: Bencher<'_, '_>, size: usize) {
        let registry = catalogue::registry(size);
        search(&registry, QUERIES[QUERY]);
        bencher.bench(|| search(&registry, QUERIES[QUERY]));
    }
}
