//! Targets that are ratios, measured side by side.
//!
//! Two figures that were taken one after the other differ by whatever else the machine did meanwhile. Here both sides
//! take turns in short batches, and the ratio is the median of the batches' ratios.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use crate::{
    call::{Gate, call_of, names_in_turn},
    catalogue, now,
    tools::{self, ARGUMENTS, NAMES},
    turn,
};

/// Runs of one side between two looks at the clock: some 20 µs, so the look costs nothing and a disturbance hits few.
const BATCH: u32 = 100;
const BATCHES: usize = 2_000;

/// Prints all ratios; with `--test`, or run by `cargo test`, only shows that all can be measured.
pub(crate) fn print() {
    let mut options = std::env::args().skip(1);
    let measuring =
        options.any(|option| option == "--bench") && !std::env::args().any(|option| option == "--test");
    let batches = if measuring { BATCHES } else { 1 };
    let [small, large] = catalogue::sizes();
    println!(
        "{:<44} {:>10} {:>10} {:>7} {:>9}",
        "in turns, medians", "first, ns", "second, ns", "ratio", "more, ns"
    );

    for size in [small, large] {
        let gate = Gate::new(size);
        let mut plain = side(|| ARGUMENTS, |arguments| now(tools::plain_hot(arguments)));
        let mut gated = side(|| call_of(NAMES[0]), |call| gate.call(call));
        line(&format!("plain function, call; {size} hidden"), batches, &mut plain, &mut gated);
        let (next, next_plain) = (names_in_turn(), names_in_turn());
        let mut plain = side(next_plain, |name| now(tools::plain(name, ARGUMENTS)));
        let mut gated = side(|| call_of(next()), |call| gate.call(call));
        line(&format!("the same, all {} tools; {size} hidden", NAMES.len()), batches, &mut plain, &mut gated);
    }
    let sessions = [small, large].map(turn::session);
    let [mut few, mut many] = sessions.each_ref().map(|session| side(|| (), move |()| now(session.turn())));
    line(&format!("unchanged turn; {small}, {large} hidden"), batches, &mut few, &mut many);
    let gates = [small, large].map(|size| (Gate::new(size), catalogue::hidden_name(size)));
    let [mut few, mut many] =
        gates.each_ref().map(|(gate, name)| side(|| call_of(name), move |call| gate.call(call)));
    line(&format!("refusal; {small}, {large} hidden"), batches, &mut few, &mut many);
}

/// One batch. Inputs are made before the clock starts; outputs are dropped one by one, as they are in a run.
fn side<I, O>(input: impl Fn() -> I, run: impl Fn(I) -> O) -> impl FnMut() -> Duration {
    let mut inputs = Vec::new();
    move || {
        inputs.extend(std::iter::repeat_with(&input).take(BATCH as usize));
        let started = Instant::now();
        for input in inputs.drain(..) {
            black_box(run(black_box(input)));
        }
        started.elapsed()
    }
}

fn line(
    title: &str,
    batches: usize,
    first: &mut impl FnMut() -> Duration,
    second: &mut impl FnMut() -> Duration,
) {
    let per_run = |batch: Duration| batch.as_secs_f64() * 1e9 / f64::from(BATCH);
    let pairs: Vec<_> =
        std::iter::repeat_with(|| (per_run(first()), per_run(second()))).take(batches).collect();
    let median = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let mut all: Vec<_> = pairs.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    println!(
        "{title:<44} {:>10.1} {:>10.1} {:>7.2} {:>9.1}",
        median(&|pair| pair.0),
        median(&|pair| pair.1),
        median(&|pair| pair.1 / pair.0),
        median(&|pair| pair.1 - pair.0),
    );
}
