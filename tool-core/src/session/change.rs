//! What a session keeps, and the one way in which it changes.
//!
//! [`Content`] is a pure value: the same changes over the same content give the same content, in any process. So a session
//! that is kept in a store applies its changes again to what somebody else has stored meanwhile. A change that does not fit
//! any more (an unloaded tool, another batch, a call that somebody else has begun) does nothing.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    open_calls::{Beginning, OpenCalls, WaitingCall},
    reveals::{Applied, Operation, Reveals},
};
use crate::{ApprovalDecision, CallResult, Fingerprint, Registry, ToolName};

/// All that a session keeps beyond its turns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Content {
    pub(crate) reveals: Arc<Reveals>,
    /// Calls of these tools run without asking, as long as the tools do not change.
    pub(crate) approved: Vec<(ToolName, Fingerprint)>,
    pub(crate) open: Option<OpenCalls>,
    /// Members of a snapshot that this version does not know.
    pub(crate) unknown: Map<String, Value>,
}

/// One change of the content.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    Operation(Operation),
    Approve(ToolName, Fingerprint),
    /// A batch waits. It does nothing where another one does.
    Suspend(OpenCalls),
    Decide {
        decided: Decided,
        decision: Option<ApprovalDecision>,
    },
    /// A decided call is about to run; its decision is used up. It does nothing where somebody else was sooner, or has
    /// decided otherwise since.
    Begin(Beginning, ApprovalDecision),
    /// A call that was begun did not run after all: its decision is back, unless somebody has made another one since.
    Release(Beginning, ApprovalDecision),
    /// A call of a suspended batch has its result. The first one counts.
    End {
        batch: String,
        index: usize,
        result: CallResult,
        operations: Vec<Operation>,
    },
    /// The results of the batch were taken.
    Close {
        batch: String,
    },
}

/// What a decision of the host is about: a call, and how often it had been begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decided {
    pub(super) batch: String,
    pub(super) index: usize,
    pub(super) times: u32,
}

impl Content {
    /// Applies a change and says whether it did anything; what it did to the reveals is added to `applied`.
    pub(crate) fn apply(&mut self, registry: &Registry, change: &Change, applied: &mut Vec<Applied>) -> bool {
        match change {
            Change::Operation(operation) => self.operate(registry, operation, applied),
            Change::Approve(tool, fingerprint) => {
                self.approved.retain(|(name, _)| name != tool);
                self.approved.push((tool.clone(), fingerprint.clone()));
                true
            }
            Change::Suspend(open) => {
                let free = self.open.is_none();
                if free {
                    self.open = Some(open.clone());
                }
                free
            }
            Change::Decide { decided, decision } => self
                .batch(&decided.batch)
                .and_then(|open| open.waiting_mut(decided.index))
                .filter(|waiting| waiting.begun == decided.times)
                .map(|waiting| waiting.decision.clone_from(decision))
                .is_some(),
            Change::Begin(beginning, decision) => self.begin(beginning, decision),
            Change::Release(beginning, decision) => self.release(beginning, decision),
            Change::End { batch, index, result, operations } => {
                self.end(registry, batch, *index, result, operations, applied)
            }
            Change::Close { batch } => {
                let mine = self.batch(batch).is_some();
                if mine {
                    self.open = None;
                }
                mine
            }
        }
    }

    fn batch(&mut self, id: &str) -> Option<&mut OpenCalls> {
        self.open.as_mut().filter(|open| open.id == id)
    }

    fn operate(&mut self, registry: &Registry, operation: &Operation, all: &mut Vec<Applied>) -> bool {
        let applied = Arc::make_mut(&mut self.reveals).apply(registry, operation);
        let effect = applied.has_effect() || matches!(operation, Operation::Add(_));
        all.push(applied);
        effect
    }

    fn begin(&mut self, beginning: &Beginning, decision: &ApprovalDecision) -> bool {
        let waiting = self.batch(&beginning.batch).and_then(|open| open.waiting_mut(beginning.index));
        let is_meant = |waiting: &&mut WaitingCall| {
            waiting.begun + 1 == beginning.times && waiting.decision.as_ref() == Some(decision)
        };
        let Some(waiting) = waiting.filter(is_meant) else { return false };
        waiting.begun = beginning.times;
        waiting.by.clone_from(&beginning.by);
        waiting.decision = None;
        true
    }

    fn release(&mut self, beginning: &Beginning, decision: &ApprovalDecision) -> bool {
        let Some(open) = self.open.as_mut().filter(|open| open.stands(beginning)) else { return false };
        let Some(waiting) = open.waiting_mut(beginning.index) else { return false };
        waiting.begun -= 1;
        waiting.by.clear();
        waiting.decision = Some(decision.clone());
        true
    }

    fn end(
        &mut self,
        registry: &Registry,
        batch: &str,
        index: usize,
        result: &CallResult,
        operations: &[Operation],
        applied: &mut Vec<Applied>,
    ) -> bool {
        let Some(open) = self.batch(batch).filter(|open| open.waiting(index).is_some()) else { return false };
        open.waiting.retain(|waiting| waiting.index != index);
        if let Some(place) = open.results.get_mut(index) {
            *place = Some(result.clone());
        }
        open.operations.extend(operations.iter().cloned());
        if open.has_ended() {
            // What the batch revealed takes effect together, when it ends.
            for operation in std::mem::take(&mut open.operations) {
                self.operate(registry, &operation, applied);
            }
        }
        true
    }
}
