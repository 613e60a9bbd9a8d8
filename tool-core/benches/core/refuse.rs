//! A call of a hidden tool: refused with the text for the model.

use divan::Bencher;

use crate::{
    call::{Gate, call_of},
    catalogue,
};

#[divan::bench(args = catalogue::sizes(), sample_size = 200)]
fn hidden(bencher: Bencher<'_, '_>, size: usize) {
    let gate = Gate::new(size);
    bencher.with_inputs(|| call_of(catalogue::hidden_name(size))).bench_values(|call| drop(gate.call(call)));
}

#[divan::bench(args = catalogue::sizes(), sample_size = 200)]
fn unknown(bencher: Bencher<'_, '_>, size: usize) {
    let gate = Gate::new(size);
    bencher.with_inputs(|| call_of("no_such_tool")).bench_values(|call| drop(gate.call(call)));
}
