//! The calls of one reply: judged first, approved next, run side by side, committed together.
//!
//! Discovery calls run one after the other in call order, on one provisional state; all others run beside them.

use std::{collections::HashSet, pin::pin, sync::Arc};

use futures_util::{StreamExt, stream};

use super::{
    View,
    approve::{self, Approved},
    gate::{self, Verdict},
    run,
};
use crate::{
    ApprovalRequest, CallOutcome, CallResult, SessionEvent, SessionOperations, ToolCall, ToolKind, ToolName,
    discovery::{self, BuiltIn, GroupTool},
    registry::Entry,
    session::{
        BatchOperations, Change, CircleStage, OpenCalls, SessionCore, TurnKind, WaitingCall, start_group,
    },
};

/// How many calls of a batch run at a time.
const CONCURRENCY: usize = 8;

/// What came of [`Turn::call_all`](super::Turn::call_all).
#[derive(Debug)]
#[non_exhaustive]
pub enum Batch {
    /// One result per call, in call order.
    Done(Vec<CallResult>),
    /// Calls wait for the host: `session.decide` for each, then `session.finish`. The other results are kept.
    Suspended(Vec<ApprovalRequest>),
}

impl Batch {
    /// The results, in call order; none of a batch that is suspended.
    pub fn into_results(self) -> Vec<CallResult> {
        match self {
            Self::Done(results) => results,
            Self::Suspended(_) => Vec::new(),
        }
    }
}

/// A call that may run: its place in the reply, and what is to be run.
pub(super) struct Allowed {
    pub(super) index: usize,
    pub(super) entry: Arc<Entry>,
    pub(super) call: ToolCall,
}

/// The calls of one reply. Most have one, which needs no queue.
pub(super) enum Calls {
    One(ToolCall),
    Several(Vec<ToolCall>),
}

impl Calls {
    pub(super) fn of(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        let mut calls = calls.into_iter();
        match (calls.next(), calls.next()) {
            (Some(call), None) => Self::One(call),
            (first, second) => Self::Several(first.into_iter().chain(second).chain(calls).collect()),
        }
    }
}

pub(super) async fn run(core: &Arc<SessionCore>, view: &Arc<View>, turn: u64, calls: Calls) -> Batch {
    let judged = match calls {
        Calls::One(call) => match gate::judge(core, view, call) {
            (call, Verdict::Allowed(entry)) if is_plain(core, &entry) => {
                let result = run::in_turn(core, view, None, entry, call, 0).await;
                end_turn(core, turn, TurnKind::Other);
                return Batch::Done(vec![result]);
            }
            (call, Verdict::Refused(text)) => {
                let mut result = CallResult::new(call.id, call.name, CallOutcome::Refused(text));
                if let Some(note) = end_turn(core, turn, TurnKind::Refused) {
                    result.add_note(note);
                }
                return Batch::Done(vec![result]);
            }
            judged => vec![judged],
        },
        Calls::Several(calls) => calls.into_iter().map(|call| gate::judge(core, view, call)).collect(),
    };
    // In a box, so that the future of a plain call is small.
    Box::pin(judged_calls(core, view, turn, judged)).await
}

/// Counts the calls of a turn. Where they go in circles, the host is told, and what the model is to be told is returned.
fn end_turn(core: &SessionCore, turn: u64, kind: TurnKind) -> Option<&'static str> {
    let circle = core.state.with_progress(|progress, _| progress.end_batch(turn, kind))?;
    core.emit(|| match circle.stage {
        CircleStage::Noticed => SessionEvent::Circling { doing: circle.doing },
        CircleStage::WentOn => SessionEvent::Stopped { reason: circle.doing },
    });
    Some(circle.note)
}

/// Whether a call of the tool neither reveals nor asks.
fn is_plain(core: &SessionCore, entry: &Entry) -> bool {
    entry.options.kind == ToolKind::Ordinary && !approve::needs_approval(core, entry)
}

async fn judged_calls(
    core: &Arc<SessionCore>,
    view: &Arc<View>,
    turn: u64,
    judged: Vec<(ToolCall, Verdict)>,
) -> Batch {
    let all_refused =
        !judged.is_empty() && judged.iter().all(|(_, verdict)| matches!(verdict, Verdict::Refused(_)));
    let (mut results, allowed) = sort_out(core, judged);
    let Approved { allowed, waiting } = approve::all(core, view, allowed, &mut results).await;
    let searches: Vec<usize> =
        allowed.iter().filter(|allowed| is_search(&allowed.entry)).map(|allowed| allowed.index).collect();
    let kind = match (all_refused, searches.len() == results.len() && !searches.is_empty()) {
        (true, _) => TurnKind::Refused,
        (_, true) => TurnKind::Searched,
        _ => TurnKind::Other,
    };
    let discovery: Vec<usize> =
        allowed.iter().filter(|allowed| is_discovery(allowed)).map(|allowed| allowed.index).collect();
    let operations = (!discovery.is_empty()).then(|| BatchOperations::begin(core));
    run_all(core, view, operations.as_deref(), allowed, |index, result| place(&mut results, index, result))
        .await;
    if !waiting.is_empty() {
        return suspend(core, view, results, waiting, operations.as_ref());
    }
    if let Some(operations) = operations {
        correct(&mut results, &discovery, &operations.commit());
    }
    if let Some(note) = end_turn(core, turn, kind) {
        // What else the batch did has nothing to do with it.
        let concerned = |index| kind == TurnKind::Refused || searches.contains(&index);
        let results = results.iter_mut().enumerate().filter(|(index, _)| concerned(*index));
        results.for_each(|(_, result)| result.iter_mut().for_each(|result| result.add_note(note)));
    }
    Batch::Done(finished(results))
}

fn is_search(entry: &Entry) -> bool {
    entry.options.kind == ToolKind::Discovery
        && matches!(entry.built_in, None | Some(BuiltIn::Search(crate::DiscoveryTool::Search, _)))
}

/// Runs what may run, and gives each result when it is there. The next discovery call begins after that.
pub(super) async fn run_all(
    core: &Arc<SessionCore>,
    view: &Arc<View>,
    operations: Option<&SessionOperations>,
    allowed: Vec<Allowed>,
    mut ended: impl FnMut(usize, CallResult),
) {
    let (discovery, ordinary): (Vec<_>, Vec<_>) = allowed.into_iter().partition(is_discovery);
    start_groups(core, &discovery);
    let in_order = stream::iter(discovery).then(|Allowed { index, entry, call }| async move {
        (index, run::in_turn(core, view, operations.cloned(), entry, call, 0).await)
    });
    let side_by_side = stream::iter(ordinary)
        .map(|Allowed { index, entry, call }| async move {
            (index, run::in_turn(core, view, None, entry, call, 0).await)
        })
        .buffer_unordered(CONCURRENCY);
    let mut results = pin!(stream::select(in_order, side_by_side));
    while let Some((index, result)) = results.next().await {
        ended(index, result);
    }
}

pub(super) fn is_discovery(allowed: &Allowed) -> bool {
    allowed.entry.options.kind == ToolKind::Discovery
}

/// Says which tools that the discovery calls named are not in the list after all.
fn correct(results: &mut [Option<CallResult>], discovery: &[usize], over: &[ToolName]) {
    if over.is_empty() {
        return;
    }
    let names: Vec<&str> = over.iter().map(ToolName::as_str).collect();
    let note = format!("Not in your list after all, because it is full: {}.", names.join(", "));
    for index in discovery {
        if let Some(Some(result)) = results.get_mut(*index) {
            result.add_note(&note);
        }
    }
}

/// Groups are built side by side; only claiming their names waits for the calls before.
fn start_groups(core: &Arc<SessionCore>, discovery: &[Allowed]) {
    for allowed in discovery {
        if allowed.entry.built_in == Some(BuiltIn::Groups(GroupTool::Load))
            && let Ok(name) = discovery::group_named(&allowed.call.arguments)
        {
            start_group(core, &name);
        }
    }
}

fn suspend(
    core: &Arc<SessionCore>,
    view: &View,
    mut results: Vec<Option<CallResult>>,
    waiting: Vec<WaitingCall>,
    operations: Option<&BatchOperations>,
) -> Batch {
    let done = operations.map(BatchOperations::take).unwrap_or_default();
    let requests = waiting.iter().map(WaitingCall::request).collect();
    let open = OpenCalls::new(results.clone(), waiting.clone(), done.clone());
    if core.suspend(open) {
        return Batch::Suspended(requests);
    }
    // A second batch cannot wait beside the first one.
    for call in waiting {
        let reason = "other calls wait for a decision";
        let result = approve::not_approved(core, view, &call.call, &call.request.tool, reason);
        place(&mut results, call.index, result);
    }
    core.commit(done.into_iter().map(Change::Operation));
    Batch::Done(finished(results))
}

pub(super) fn place(results: &mut [Option<CallResult>], index: usize, result: CallResult) {
    if let Some(slot) = results.get_mut(index) {
        *slot = Some(result);
    }
}

pub(super) fn finished(results: Vec<Option<CallResult>>) -> Vec<CallResult> {
    debug_assert!(results.iter().all(Option::is_some), "every call has a result");
    results.into_iter().flatten().collect()
}

/// The results that are there at once, in their places, and the calls that may run.
fn sort_out(
    core: &Arc<SessionCore>,
    judged: Vec<(ToolCall, Verdict)>,
) -> (Vec<Option<CallResult>>, Vec<Allowed>) {
    let repeated = repeated_ids(&judged);
    let mut results = Vec::with_capacity(judged.len());
    let mut allowed = Vec::with_capacity(judged.len());
    for (index, (call, verdict)) in judged.into_iter().enumerate() {
        let outcome = match verdict {
            Verdict::Refused(text) => CallOutcome::Refused(text),
            Verdict::Invalid(error) => CallOutcome::Failed(error),
            Verdict::Allowed(entry) if repeated.contains(&index) => {
                CallOutcome::Failed(run::not_run(core, &entry, &call.id, "duplicate call id"))
            }
            Verdict::Allowed(entry) => {
                allowed.push(Allowed { index, entry, call });
                results.push(None);
                continue;
            }
        };
        results.push(Some(CallResult::new(call.id, call.name, outcome)));
    }
    (results, allowed)
}

/// The places of calls whose id an earlier call has. Empty ids are no ids.
fn repeated_ids(calls: &[(ToolCall, Verdict)]) -> HashSet<usize> {
    let mut repeated = HashSet::new();
    if calls.len() > 1 {
        let mut seen = HashSet::with_capacity(calls.len());
        for (index, (call, _)) in calls.iter().enumerate() {
            if !call.id.is_empty() && !seen.insert(call.id.as_str()) {
                repeated.insert(index);
            }
        }
    }
    repeated
}
