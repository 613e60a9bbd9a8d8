//! The calls of one reply: judged first, run side by side, committed together.
//!
//! Discovery calls run one after the other in call order, on one provisional state; all others run beside them.

use std::{collections::HashSet, sync::Arc, time::Duration};

use futures_util::{StreamExt, future, stream};

use super::{
    View,
    gate::{self, Verdict},
    run,
};
use crate::{
    CallOutcome, CallResult, SessionEvent, SessionOperations, ToolCall, ToolError, ToolKind,
    registry::ToolId, session::SessionCore,
};

/// How many calls of a batch run at a time.
const CONCURRENCY: usize = 8;

/// What came of [`Turn::call_all`](super::Turn::call_all).
#[derive(Debug)]
#[non_exhaustive]
pub enum Batch {
    /// One result per call, in call order.
    Done(Vec<CallResult>),
}

impl Batch {
    /// The results, in call order.
    pub fn into_results(self) -> Vec<CallResult> {
        match self {
            Self::Done(results) => results,
        }
    }
}

/// A call on its way: its place in the reply, and what is to be run.
struct Allowed {
    index: usize,
    id: ToolId,
    call: ToolCall,
}

pub(super) async fn run(core: &Arc<SessionCore>, view: &Arc<View>, calls: Vec<ToolCall>) -> Batch {
    let mut judged = judge_all(core, view, calls);
    if let ([], [_]) = (judged.discovery.as_slice(), judged.ordinary.as_slice())
        && let Some(Allowed { index, id, call }) = judged.ordinary.pop()
    {
        // The common case, without a queue of futures.
        let result = run::in_turn(core, view, None, id, call).await;
        judged.place(index, result);
        return Batch::Done(judged.finish());
    }
    let operations = (!judged.discovery.is_empty()).then(|| SessionOperations::new(Arc::clone(core)));
    let discovery = std::mem::take(&mut judged.discovery);
    let in_order = async {
        let mut results = Vec::with_capacity(discovery.len());
        for Allowed { index, id, call } in discovery {
            results.push((index, run::in_turn(core, view, operations.clone(), id, call).await));
        }
        results
    };
    let side_by_side =
        stream::iter(std::mem::take(&mut judged.ordinary))
            .map(|Allowed { index, id, call }| async move {
                (index, run::in_turn(core, view, None, id, call).await)
            })
            .buffer_unordered(CONCURRENCY)
            .collect::<Vec<_>>();
    let (in_order, side_by_side) = future::join(in_order, side_by_side).await;
    if let Some(operations) = operations {
        operations.commit();
    }
    for (index, result) in in_order.into_iter().chain(side_by_side) {
        judged.place(index, result);
    }
    Batch::Done(judged.finish())
}

/// The calls of a reply after the gate.
struct Judged {
    results: Vec<Option<CallResult>>,
    discovery: Vec<Allowed>,
    ordinary: Vec<Allowed>,
}

impl Judged {
    fn place(&mut self, index: usize, result: CallResult) {
        if let Some(slot) = self.results.get_mut(index) {
            *slot = Some(result);
        }
    }

    fn finish(self) -> Vec<CallResult> {
        debug_assert!(self.results.iter().all(Option::is_some), "every call has a result");
        self.results.into_iter().flatten().collect()
    }
}

fn judge_all(core: &Arc<SessionCore>, view: &Arc<View>, calls: Vec<ToolCall>) -> Judged {
    let repeated = repeated_ids(&calls);
    let results = std::iter::repeat_with(|| None).take(calls.len()).collect();
    let mut judged = Judged { results, discovery: Vec::new(), ordinary: Vec::new() };
    for (index, call) in calls.into_iter().enumerate() {
        match gate::judge(core, view, &call) {
            Verdict::Refused(text) => {
                judged.place(index, CallResult::new(call.id, call.name, CallOutcome::Refused(text)));
            }
            Verdict::Allowed(id) if repeated.contains(&index) => {
                let error = ToolError::new("duplicate call id");
                core.emit(|| SessionEvent::Failed {
                    call_id: call.id.clone(),
                    tool: core.registry.entry(id).definition.name().clone(),
                    kind: error.kind(),
                    message: error.to_string(),
                    elapsed: Duration::ZERO,
                });
                judged.place(index, CallResult::new(call.id, call.name, CallOutcome::Failed(error)));
            }
            Verdict::Allowed(id) => match core.registry.entry(id).options.kind {
                ToolKind::Discovery => judged.discovery.push(Allowed { index, id, call }),
                ToolKind::Ordinary => judged.ordinary.push(Allowed { index, id, call }),
            },
        }
    }
    judged
}

/// The places of calls whose id an earlier call has. Empty ids are no ids.
fn repeated_ids(calls: &[ToolCall]) -> HashSet<usize> {
    let mut repeated = HashSet::new();
    if calls.len() > 1 {
        let mut seen = HashSet::with_capacity(calls.len());
        for (index, call) in calls.iter().enumerate() {
            if !call.id.is_empty() && !seen.insert(call.id.as_str()) {
                repeated.insert(index);
            }
        }
    }
    repeated
}
