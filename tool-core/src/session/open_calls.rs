//! The calls of a suspended batch: results that are there, calls that wait for the host, and what the batch has revealed.

use serde::{Deserialize, Serialize};

use super::reveals::Operation;
use crate::{ApprovalDecision, ApprovalRequest, CallResult, ToolCall};

/// A batch that waits for decisions. In the snapshot of its session.
#[derive(Debug, Clone)]
pub(crate) struct OpenCalls {
    /// One place per call of the batch, in call order.
    pub(crate) results: Vec<Option<CallResult>>,
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
    #[serde(default)]
    pub(crate) state: WaitingState,
    /// A `finish` of this process runs it: until that ends nobody decides about it again.
    #[serde(skip)]
    pub(crate) running: bool,
}

/// Whether the call of a decision was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WaitingState {
    /// Never begun.
    #[default]
    Waiting,
    /// Begun, and no result is known: it runs, or the process that ran it is gone.
    Begun,
}

impl OpenCalls {
    /// What the host still has to decide.
    pub(crate) fn undecided(&self) -> Vec<ApprovalRequest> {
        self.waiting
            .iter()
            .filter(|waiting| waiting.decision.is_none() && !waiting.running)
            .map(|waiting| waiting.request.clone())
            .collect()
    }
}

/// Why a decision was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecideError {
    /// The session has no such open call.
    #[error("no open call has the id `{call_id}`")]
    NotOpen {
        /// The id as given.
        call_id: String,
    },
}
