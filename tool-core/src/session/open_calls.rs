//! The calls of a suspended batch: results that are there, calls that wait for the host, and what the batch has revealed.

use serde::{Deserialize, Serialize};

use super::reveals::Operation;
use crate::{ApprovalDecision, ApprovalRequest, CallProgress, CallResult, SaveError, ToolCall};

/// A batch that waits for decisions, or for somebody to take its results. In the snapshot of its session.
#[derive(Debug, Clone)]
pub(crate) struct OpenCalls {
    /// Names the batch: what is meant for an older one never touches it.
    pub(crate) id: String,
    /// One place per call of the batch, in call order.
    pub(crate) results: Vec<Option<CallResult>>,
    /// The calls without a result. None is left when the batch has ended.
    pub(crate) waiting: Vec<WaitingCall>,
    /// What the discovery calls did, not yet committed.
    pub(crate) operations: Vec<Operation>,
}

/// A call that waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct WaitingCall {
    /// Its place in the batch.
    pub(crate) index: usize,
    /// As the model sent it; the result has this name.
    pub(crate) call: ToolCall,
    pub(crate) request: ApprovalRequest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) decision: Option<ApprovalDecision>,
    /// How often it was begun: a decision holds for one beginning.
    #[serde(default)]
    pub(crate) begun: u32,
    /// Which session began it last.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) by: String,
}

/// One beginning of a call: which one, and by whom. It runs only where this is what is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Beginning {
    pub(crate) batch: String,
    pub(crate) index: usize,
    /// How often it was begun, with this one.
    pub(crate) times: u32,
    pub(crate) by: String,
}

impl Beginning {
    /// The batch and the place of the call.
    pub(crate) fn place(&self) -> (String, usize) {
        (self.batch.clone(), self.index)
    }
}

impl OpenCalls {
    pub(crate) fn new(
        results: Vec<Option<CallResult>>,
        waiting: Vec<WaitingCall>,
        operations: Vec<Operation>,
    ) -> Self {
        Self { id: uuid::Uuid::new_v4().to_string(), results, waiting, operations }
    }

    /// The ids of the calls that keep the session from going on.
    pub(crate) fn call_ids(&self) -> Vec<String> {
        if self.has_ended() {
            return self.results.iter().flatten().map(|result| result.call_id.clone()).collect();
        }
        self.waiting.iter().map(|waiting| waiting.request.call_id.clone()).collect()
    }

    /// Whether every call has its result.
    pub(crate) fn has_ended(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(crate) fn waiting(&self, index: usize) -> Option<&WaitingCall> {
        self.waiting.iter().find(|waiting| waiting.index == index)
    }

    pub(crate) fn waiting_mut(&mut self, index: usize) -> Option<&mut WaitingCall> {
        self.waiting.iter_mut().find(|waiting| waiting.index == index)
    }

    /// Whether this beginning is the one that counts, and nobody has decided about the call again since.
    pub(crate) fn stands(&self, beginning: &Beginning) -> bool {
        self.id == beginning.batch
            && self.waiting(beginning.index).is_some_and(|waiting| {
                waiting.begun == beginning.times && waiting.by == beginning.by && waiting.decision.is_none()
            })
    }
}

impl WaitingCall {
    pub(crate) fn new(index: usize, call: ToolCall, request: ApprovalRequest) -> Self {
        Self { index, call, request, decision: None, begun: 0, by: String::new() }
    }

    /// What the host is asked.
    pub(crate) fn request(&self) -> ApprovalRequest {
        let progress = if self.begun > 0 { CallProgress::Interrupted } else { CallProgress::NotBegun };
        ApprovalRequest { progress, ..self.request.clone() }
    }
}

/// Why a decision was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecideError {
    /// The session has no such open call.
    #[error("no open call has the id `{call_id}`")]
    NotOpen {
        /// The id as given.
        call_id: String,
    },
    /// Somebody else allowed the call and has begun it.
    #[error(
        "the call `{call_id}` was begun by another process; `session.undecided` says whether it is still open"
    )]
    BegunElsewhere {
        /// The id as given.
        call_id: String,
    },
    /// The decision holds in this session, and is saved with its next save.
    #[error("the decision is not saved yet: {0}")]
    NotSaved(#[source] SaveError),
}
