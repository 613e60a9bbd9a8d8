//! The end of a suspended batch: what was decided runs, at most once each, and the batch is committed as a whole.
//!
//! In a session that is kept in a store, a call is begun there before it runs: what somebody else has begun, or cannot be
//! saved, does not run here.

use std::{mem, sync::Arc};

use super::{
    View, approve,
    batch::{Allowed, Batch, is_discovery, run_all},
    gate::{self, Verdict},
};
use crate::{
    CallOutcome, CallResult, RefusalReason, SaveError, SessionEvent,
    registry::{Entry, Place},
    session::{BatchOperations, Begun, Change, Operation, SessionCore, Standing},
    text,
};

pub(crate) async fn finish(core: &Arc<SessionCore>) -> Result<Batch, SaveError> {
    loop {
        let begun = begin(core).await?;
        if !begun.is_empty() {
            run(core, begun).await;
            keep_results(core).await;
        }
        // Before the look, so that no call stops between the two.
        let stopped = core.state.stopped();
        match core.state.take_results(&core.registry) {
            Standing::NoBatch => return Ok(Batch::Done(Vec::new())),
            Standing::Ended(results) => return Ok(Batch::Done(results)),
            Standing::Undecided(requests) => return Ok(Batch::Suspended(requests)),
            Standing::Decided => {}
            Standing::Running => stopped.await,
        }
    }
}

/// Begins the decided calls, and gives those that this session may run.
async fn begin(core: &Arc<SessionCore>) -> Result<Vec<Begun>, SaveError> {
    let mut decided = Decided { core, begun: core.state.begin(&core.registry) };
    if !decided.begun.is_empty() && core.state.is_bound() {
        core.save().await?;
    }
    Ok(core.state.keep_own(mem::take(&mut decided.begun)))
}

/// Calls that do not run yet: dropped, they are decided as before.
struct Decided<'a> {
    core: &'a SessionCore,
    begun: Vec<Begun>,
}

impl Drop for Decided<'_> {
    fn drop(&mut self) {
        self.core.state.release(&self.core.registry, &self.begun);
    }
}

/// Saves the results with the batch, which stays there until the host saves: it may end before it has kept them.
async fn keep_results(core: &Arc<SessionCore>) {
    if core.state.is_bound()
        && let Err(error) = core.save().await
    {
        tracing::warn!(%error, "the results of a batch are not saved yet");
        core.emit(|| SessionEvent::NotSaved { reason: error.to_string() });
    }
}

/// Runs the calls that were begun, and keeps each result when it is there.
async fn run(core: &Arc<SessionCore>, begun: Vec<Begun>) {
    let running = Running { core, begun: &begun };
    core.sync();
    let view = View::current(core);
    let mut allowed = Vec::new();
    for Begun { waiting, decision, .. } in &begun {
        let result = match still_there(core, &view, &waiting.call, &waiting.request) {
            Err(result) => Some(*result),
            Ok(entry) => {
                let result = approve::apply(core, &view, &waiting.call, &waiting.request, decision.clone());
                if result.is_none() {
                    allowed.push(Allowed { index: waiting.index, entry, call: waiting.call.clone() });
                }
                result
            }
        };
        if let Some(result) = result {
            running.end(waiting.index, result, Vec::new());
        }
    }
    let operations = allowed.iter().any(is_discovery).then(|| {
        let before = core.state.open_operations();
        BatchOperations::after(core, &before)
    });
    run_all(core, &view, operations.as_deref(), allowed, |index, result| {
        let done = operations.as_ref().map(BatchOperations::take).unwrap_or_default();
        running.end(index, result, done);
    })
    .await;
}

/// Calls that run until they have a result, or nobody waits for one any more.
struct Running<'a> {
    core: &'a SessionCore,
    begun: &'a [Begun],
}

impl Running<'_> {
    fn end(&self, index: usize, result: CallResult, operations: Vec<Operation>) {
        let Some(begun) = self.begun.iter().find(|begun| begun.waiting.index == index) else { return };
        let batch = begun.beginning.batch.clone();
        self.core.commit([Change::End { batch, index, result, operations }]);
        self.core.state.stop([&begun.beginning]);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.core.state.stop(self.begun.iter().map(|begun| &begun.beginning));
    }
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
