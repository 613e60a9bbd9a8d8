//! The steps of the end of a suspended batch: a call is begun, runs, and has its result; each step is one change.

use super::{
    change::{Change, Decided},
    open_calls::{Beginning, WaitingCall},
    reveals::Operation,
    state::{SharedState, State},
};
use crate::{ApprovalDecision, ApprovalRequest, CallResult, Registry};

/// A decided call that was begun, and is marked as running in this process.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) beginning: Beginning,
    pub(crate) waiting: WaitingCall,
    pub(crate) decision: ApprovalDecision,
}

/// How a suspended batch stands.
#[derive(Debug)]
pub(crate) enum Standing {
    /// There is none.
    NoBatch,
    /// Every call has its result; they were taken.
    Ended(Vec<CallResult>),
    /// All calls without a result run in this process.
    Running,
    /// Nothing is left to decide, and calls that were decided do not run yet.
    Decided,
    /// The host has to decide.
    Undecided(Vec<ApprovalRequest>),
}

impl State {
    /// The calls of the suspended batch that nobody runs in this process, with the id of the batch.
    fn idle(&self) -> impl Iterator<Item = (&str, &WaitingCall)> {
        let calls =
            self.content.open.iter().flat_map(|open| open.waiting.iter().map(|call| (&*open.id, call)));
        calls.filter(|(batch, call)| {
            !self.running.iter().any(|(of, index)| of == batch && *index == call.index)
        })
    }

    fn undecided(&self) -> Vec<ApprovalRequest> {
        let undecided = self.idle().filter(|(_, call)| call.decision.is_none());
        undecided.map(|(_, call)| call.request()).collect()
    }
}

impl SharedState {
    /// What the host still has to decide.
    pub(super) fn undecided(&self) -> Vec<ApprovalRequest> {
        self.lock().undecided()
    }

    /// Notes the host's decision about the calls of an id that wait, and gives what it was about.
    pub(super) fn decide(
        &self,
        registry: &Registry,
        call_id: &str,
        decision: &ApprovalDecision,
    ) -> Vec<Decided> {
        let mut state = self.lock();
        let decision = Some(decision).filter(|decision| **decision != ApprovalDecision::Suspend);
        let mine = state.idle().filter(|(_, waiting)| waiting.request.call_id == call_id);
        let decided: Vec<Decided> = mine
            .map(|(batch, call)| Decided { batch: batch.to_owned(), index: call.index, times: call.begun })
            .collect();
        let decide =
            |decided: &Decided| Change::Decide { decided: decided.clone(), decision: decision.cloned() };
        state.apply(registry, decided.iter().map(decide).collect());
        decided
    }

    /// Whether somebody else had begun or ended what was decided here, as the last saves found out.
    pub(super) fn is_overtaken(&self, decided: &[Decided]) -> bool {
        self.lock().bound.as_mut().is_some_and(|bound| bound.take_overtaken(decided))
    }

    /// Begins all decided calls.
    pub(crate) fn begin(&self, registry: &Registry) -> Vec<Begun> {
        let mut state = self.lock();
        let by = state.bound.as_ref().map_or_else(String::new, |bound| bound.id().to_owned());
        let decided = state.idle().filter_map(|(batch, waiting)| {
            let (batch, by) = (batch.to_owned(), by.clone());
            let beginning = Beginning { batch, index: waiting.index, times: waiting.begun + 1, by };
            Some(Begun { beginning, waiting: waiting.clone(), decision: waiting.decision.clone()? })
        });
        let begun: Vec<Begun> = decided.collect();
        for Begun { beginning, .. } in &begun {
            state.running.push(beginning.place());
        }
        let change = |begun: &Begun| Change::Begin(begun.beginning.clone(), begun.decision.clone());
        state.apply(registry, begun.iter().map(change).collect());
        begun
    }

    /// Gives back the decisions of calls that did not run.
    pub(crate) fn release(&self, registry: &Registry, begun: &[Begun]) {
        let release = |begun: &Begun| Change::Release(begun.beginning.clone(), begun.decision.clone());
        self.lock().apply(registry, begun.iter().map(release).collect());
        self.stop(begun.iter().map(|begun| &begun.beginning));
    }

    /// The calls whose beginning counts: the others were begun by somebody else.
    pub(crate) fn keep_own(&self, begun: Vec<Begun>) -> Vec<Begun> {
        let (own, others): (Vec<Begun>, Vec<Begun>) = {
            let state = self.lock();
            let open = state.content.open.as_ref();
            begun.into_iter().partition(|begun| open.is_some_and(|open| open.stands(&begun.beginning)))
        };
        self.stop(others.iter().map(|begun| &begun.beginning));
        own
    }

    /// These calls do not run any more. One without a result is the host's to decide about again.
    pub(crate) fn stop<'b>(&self, beginnings: impl IntoIterator<Item = &'b Beginning>) {
        let mut state = self.lock();
        for beginning in beginnings {
            state.running.retain(|(batch, index)| *batch != beginning.batch || *index != beginning.index);
        }
        drop(state);
        self.stopped.notify_waiters();
    }

    /// Ends when a call of the suspended batch has stopped running, counted from now, polled or not.
    pub(crate) fn stopped(&self) -> impl Future<Output = ()> + '_ {
        let mut stopped = Box::pin(self.stopped.notified());
        stopped.as_mut().enable();
        stopped
    }

    /// What the discovery calls of the suspended batch did so far.
    pub(crate) fn open_operations(&self) -> Vec<Operation> {
        self.lock().content.open.as_ref().map(|open| open.operations.clone()).unwrap_or_default()
    }

    /// How the batch stands now; the results of one that has ended are given once.
    pub(crate) fn take_results(&self, registry: &Registry) -> Standing {
        let mut state = self.lock();
        let Some(open) = &state.content.open else { return Standing::NoBatch };
        if open.has_ended() {
            let results: Vec<CallResult> = open.results.iter().flatten().cloned().collect();
            let batch = open.id.clone();
            state.finished.clone_from(&results);
            state.apply(registry, vec![Change::Close { batch }]);
            return Standing::Ended(results);
        }
        let undecided = state.undecided();
        if !undecided.is_empty() {
            return Standing::Undecided(undecided);
        }
        if state.idle().next().is_some() { Standing::Decided } else { Standing::Running }
    }
}
