//! The end of a suspended batch: what was decided runs, at most once each, and the batch is committed as a whole.

use std::sync::Arc;

use super::{
    View, approve,
    batch::{Allowed, Batch, finished, place, run_all},
    gate::{self, Verdict},
};
use crate::{
    ApprovalDecision, CallOutcome, CallResult, RefusalReason, SessionEvent, SessionOperations, ToolKind,
    registry::{Entry, Place},
    session::{OpenCalls, Operation, SessionCore, WaitingCall, WaitingState},
    text,
};

pub(crate) async fn finish(core: &Arc<SessionCore>) -> Batch {
    let Some(decided) = begin(core) else { return Batch::Done(Vec::new()) };
    let indices: Vec<usize> = decided.iter().map(|waiting| waiting.index).collect();
    let guard = RunsUntilDropped { core, indices: &indices };
    let view = View::current(core);
    let (mut answered, mut allowed) = (Vec::new(), Vec::new());
    for WaitingCall { index, call, request, decision, .. } in decided {
        let decision = decision.unwrap_or(ApprovalDecision::Suspend);
        let result = match still_there(core, &view, &call, &request) {
            Err(result) => *result,
            Ok(entry) => {
                let Some(result) = approve::apply(core, &call, &request, decision) else {
                    allowed.push(Allowed { index, entry, call });
                    continue;
                };
                result
            }
        };
        answered.push((index, result));
    }
    let has_discovery = allowed.iter().any(|allowed| allowed.entry.options.kind == ToolKind::Discovery);
    let before =
        core.state.with_open(|open| open.as_ref().map(|open| open.operations.clone()).unwrap_or_default());
    let before_len = before.len();
    let operations = has_discovery.then(|| SessionOperations::after(Arc::clone(core), before));
    let width = core.state.with_open(|open| open.as_ref().map_or(0, |open| open.results.len()));
    let mut results: Vec<Option<CallResult>> = (0..width).map(|_| None).collect();
    run_all(core, &view, operations.as_ref(), allowed, &mut results).await;
    for (index, result) in answered {
        place(&mut results, index, result);
    }
    let own = operations.map(|operations| operations.suspend().split_off(before_len)).unwrap_or_default();
    let batch = end(core, results, own);
    // All of its calls have results; a batch that begins now has calls of its own.
    std::mem::forget(guard);
    batch
}

/// Lets the host decide again about calls whose `finish` was dropped.
struct RunsUntilDropped<'a> {
    core: &'a SessionCore,
    indices: &'a [usize],
}

impl Drop for RunsUntilDropped<'_> {
    fn drop(&mut self) {
        self.core.state.with_open(|open| {
            for waiting in open.iter_mut().flat_map(|open| &mut open.waiting) {
                waiting.running &= !self.indices.contains(&waiting.index);
            }
        });
    }
}

/// Takes the decided calls, each marked as begun before it runs. `None` without open calls.
fn begin(core: &SessionCore) -> Option<Vec<WaitingCall>> {
    core.state.with_open(|open| {
        let open = open.as_mut()?;
        let decided = open.waiting.iter_mut().filter_map(|waiting| {
            let decision = waiting.decision.take()?;
            waiting.state = WaitingState::Begun;
            waiting.running = true;
            Some(WaitingCall { decision: Some(decision), ..waiting.clone() })
        });
        Some(decided.collect())
    })
}

/// The tool of an open call, as it was when the call was judged.
fn still_there(
    core: &Arc<SessionCore>,
    view: &View,
    call: &crate::ToolCall,
    request: &crate::ApprovalRequest,
) -> Result<Arc<Entry>, Box<CallResult>> {
    let reveals = core.state.reveals();
    let found =
        reveals.find(&core.registry, request.tool.as_str()).filter(|entry| entry.place != Place::Denied);
    if let Some(entry) = found
        && *entry.fingerprint() == request.fingerprint
        && gate::is_enabled(core, call, entry)
    {
        return Ok(Arc::clone(entry));
    }
    if found.is_some() {
        core.emit(|| SessionEvent::Refused {
            call_id: call.id.clone(),
            name: text::echo(&call.name).into_owned(),
            reason: RefusalReason::Changed,
        });
    }
    let text = match gate::refuse(core, view, call) {
        Verdict::Refused(text) => text,
        Verdict::Allowed(_) | Verdict::Invalid(_) => String::new(),
    };
    Err(Box::new(CallResult::new(call.id.clone(), call.name.clone(), CallOutcome::Refused(text))))
}

/// Keeps the new results; commits when nothing waits any more.
fn end(core: &Arc<SessionCore>, results: Vec<Option<CallResult>>, operations: Vec<Operation>) -> Batch {
    let whole = core.state.with_open(|slot| {
        let mut open = slot.take()?;
        for (index, result) in results.into_iter().enumerate() {
            if let Some(result) = result {
                place(&mut open.results, index, result);
                open.waiting.retain(|waiting| waiting.index != index);
            }
        }
        // After those of a `finish` beside this one.
        open.operations.extend(operations);
        if open.waiting.is_empty() {
            return Some(Ok(open));
        }
        let undecided = open.undecided();
        *slot = Some(open);
        Some(Err(undecided))
    });
    match whole {
        Some(Ok(OpenCalls { results, operations, .. })) => {
            core.commit(&operations);
            let results = finished(results);
            core.state.keep_finished(results.clone());
            Batch::Done(results)
        }
        Some(Err(undecided)) => Batch::Suspended(undecided),
        None => Batch::Done(Vec::new()),
    }
}
