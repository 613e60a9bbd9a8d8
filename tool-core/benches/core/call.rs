//! One call through the gate, arguments as text in, answer as text out, beside the plain function.

use std::sync::atomic::{AtomicUsize, Ordering};

use divan::Bencher;
use tool_core::{Batch, ToolCall, Turn};

use crate::{
    catalogue, now,
    tools::{self, ARGUMENTS, NAMES},
};

/// A turn that lists the annotated tools, over a catalogue of hidden ones.
pub(crate) struct Gate(Turn);

impl Gate {
    pub(crate) fn new(size: usize) -> Self {
        Self(now(catalogue::registry(size).session().turn()).expect("no host value is missing"))
    }

    pub(crate) fn call(&self, call: ToolCall) -> Batch {
        now(self.0.call_all([call]))
    }
}

/// A call as a wire takes it out of a reply. Not measured: either side needs it.
pub(crate) fn call_of(name: &str) -> ToolCall {
    ToolCall::new("call_1", name, ARGUMENTS)
}

/// Names in an order that no cache guesses, each as often as any other.
pub(crate) fn names_in_turn() -> impl Fn() -> &'static str {
    let at = AtomicUsize::new(0);
    move || NAMES[at.fetch_add(77, Ordering::Relaxed) % NAMES.len()]
}

#[divan::bench(sample_size = 200)]
fn hot_plain(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(|| ARGUMENTS).bench_values(|arguments| drop(now(tools::plain_hot(arguments))));
}

#[divan::bench(args = catalogue::sizes(), sample_size = 200)]
fn hot_gated(bencher: Bencher<'_, '_>, size: usize) {
    let gate = Gate::new(size);
    bencher.with_inputs(|| call_of(NAMES[0])).bench_values(|call| drop(gate.call(call)));
}

#[divan::bench(sample_size = 200)]
fn in_turn_plain(bencher: Bencher<'_, '_>) {
    bencher.with_inputs(names_in_turn()).bench_values(|name| drop(now(tools::plain(name, ARGUMENTS))));
}

#[divan::bench(args = catalogue::sizes(), sample_size = 200)]
fn in_turn_gated(bencher: Bencher<'_, '_>, size: usize) {
    let (gate, next) = (Gate::new(size), names_in_turn());
    bencher.with_inputs(|| call_of(next())).bench_values(|call| drop(gate.call(call)));
}
