//! The host's decisions about open calls, and the end of a suspended batch.

use std::sync::Arc;

use super::{DecideError, Session};
use crate::{ApprovalDecision, ApprovalRequest, Batch, turn};

impl Session {
    /// The open calls that wait for a decision. Empty where no batch is suspended.
    pub fn undecided(&self) -> Vec<ApprovalRequest> {
        self.core.state.with_open(|open| open.as_ref().map(super::OpenCalls::undecided).unwrap_or_default())
    }

    /// Decides about an open call. The last decision before [`finish`](Self::finish) counts.
    ///
    /// # Errors
    /// [`DecideError::NotOpen`] where no open call has this id, or a [`finish`](Self::finish) is running it.
    #[allow(clippy::needless_pass_by_value, reason = "a decision is given away")]
    pub fn decide(&self, call_id: &str, decision: ApprovalDecision) -> Result<(), DecideError> {
        self.core.state.with_open(|open| {
            let waiting = open.iter_mut().flat_map(|open| &mut open.waiting);
            let mut mine =
                waiting.filter(|waiting| waiting.call.id == call_id && !waiting.running).peekable();
            if mine.peek().is_none() {
                return Err(DecideError::NotOpen { call_id: call_id.to_owned() });
            }
            for waiting in mine {
                waiting.decision =
                    Some(decision.clone()).filter(|decision| *decision != ApprovalDecision::Suspend);
            }
            Ok(())
        })
    }

    /// Runs what was decided, each call at most once, and gives the whole batch when nothing is left to decide.
    ///
    /// What no longer exists, is denied or has changed since is refused. A call that was begun before and has no result
    /// (the process ended in between) waits for a new decision. Without open calls the batch is empty. Beside another
    /// `finish` that still runs, the batch stays suspended; the one that ends last gives it.
    pub async fn finish(&self) -> Batch {
        turn::finish(&Arc::clone(&self.core)).await
    }
}
