//! The view for one request: when nothing changed, and after a reveal.

use divan::Bencher;
use tool_core::Session;

use crate::{catalogue, now};

pub(crate) fn session(size: usize) -> Session {
    let session = catalogue::registry(size).session();
    now(session.turn()).expect("no host value is missing");
    session
}

#[divan::bench(args = catalogue::sizes())]
fn unchanged(bencher: Bencher<'_, '_>, size: usize) {
    let session = session(size);
    bencher.bench(|| now(session.turn()));
}

#[divan::bench(args = catalogue::sizes())]
fn after_a_reveal(bencher: Bencher<'_, '_>, size: usize) {
    let registry = catalogue::registry(size);
    let revealed = || {
        let session = registry.session();
        session.reveal(catalogue::hidden_name(size));
        session
    };
    bencher.with_inputs(revealed).bench_refs(|session| now(session.turn()));
}
