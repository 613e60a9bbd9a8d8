//! What may happen in a conversation, at random.

use proptest::{prelude::*, sample::select};

use super::world::{ALL_NAMES, Call, CallKind};

#[derive(Debug, Clone)]
pub(super) enum Step {
    /// One turn and the batches of calls that it serves.
    Batches(Vec<Vec<Call>>),
    /// By the host.
    Reveal(&'static str),
    Unload(&'static str),
    LoadGroup(&'static str),
    /// Tools of the session's own.
    Add,
    /// Saved, and gone on with from what was saved.
    Resume,
    /// Decide about the open calls, and finish.
    Decide(Vec<Decision>),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Decision {
    Allow,
    AllowForSession,
    Deny,
    Answer,
    Wait,
}

const GROUPS: [&str; 7] = ["web", "sea", "both", "bad", "files", "memory", "none"];

fn any_name() -> impl Strategy<Value = &'static str> {
    select(ALL_NAMES.to_vec())
}

/// Names that models call: of tools, of discovery tools, misspelt, made up.
fn called() -> impl Strategy<Value = &'static str> {
    let odd = ["made_up", "ZQ-Echo", "zq-alpha", "tool_search", "load_tools", "tool_call", "load_tool", ""];
    // Those that somebody is asked about, and that come and go, more often than the rest.
    let lively = ["zq_ask", "zq_pay", "user_zq_plan"];
    prop_oneof![6 => any_name(), 2 => select(lively.to_vec()), 1 => select(odd.to_vec())]
}

fn kind() -> impl Strategy<Value = CallKind> {
    let numbers = prop::collection::vec(1u32..=8, 1..4);
    let decide = select(vec!["allow", "session", "deny", "suspend"]);
    prop_oneof![
        4 => (numbers, 1usize..4).prop_map(|(numbers, top_k)| CallKind::Pick { numbers, top_k }),
        1 => any_name().prop_map(CallKind::SearchName),
        2 => called().prop_map(CallKind::Load),
        1 => called().prop_map(CallKind::Unload),
        1 => Just(CallKind::Clear),
        2 => select(GROUPS.to_vec()).prop_map(CallKind::LoadGroup),
        1 => Just(CallKind::Available),
        8 => (called(), decide, prop::bool::weighted(0.4))
            .prop_map(|(name, decide, bridged)| CallKind::Tool { name, decide, bridged }),
    ]
}

/// A batch; some ids repeat.
fn batch() -> impl Strategy<Value = Vec<Call>> {
    prop::collection::vec((kind(), 0u64..4, prop::bool::weighted(0.05)), 0..5).prop_map(|calls| {
        let calls = calls.into_iter().enumerate();
        let calls = calls.map(|(index, (kind, wait, repeats))| {
            let id = if repeats { 0 } else { index };
            Call { id: id.to_string(), kind, wait }
        });
        calls.collect()
    })
}

fn step() -> impl Strategy<Value = Step> {
    let decision = select(vec![
        Decision::Allow,
        Decision::AllowForSession,
        Decision::Deny,
        Decision::Answer,
        Decision::Wait,
    ]);
    prop_oneof![
        10 => prop::collection::vec(batch(), 1..3).prop_map(Step::Batches),
        1 => called().prop_map(Step::Reveal),
        1 => any_name().prop_map(Step::Unload),
        1 => select(GROUPS.to_vec()).prop_map(Step::LoadGroup),
        2 => Just(Step::Add),
        2 => Just(Step::Resume),
        3 => prop::collection::vec(decision, 1..4).prop_map(Step::Decide),
    ]
}

pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..10)
}
