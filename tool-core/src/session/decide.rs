//! The host's decisions about open calls, and the end of a suspended batch.

use std::sync::Arc;

use super::{DecideError, Session};
use crate::{ApprovalDecision, ApprovalRequest, Batch, SaveError, turn};

impl Session {
    /// The open calls that wait for a decision. Empty where no batch is suspended.
    pub fn undecided(&self) -> Vec<ApprovalRequest> {
        self.core.state.undecided()
    }

    /// Decides about an open call. The last decision before [`finish`](Self::finish) counts. A session that is kept in a
    /// store is saved.
    ///
    /// # Errors
    /// [`DecideError`] where no open call has this id, a [`finish`](Self::finish) is running it, another process has
    /// begun it, or the decision cannot be saved.
    pub async fn decide(&self, call_id: &str, decision: ApprovalDecision) -> Result<(), DecideError> {
        let state = &self.core.state;
        let decided = state.decide(&self.core.registry, call_id, &decision);
        if decided.is_empty() {
            return Err(DecideError::NotOpen { call_id: call_id.to_owned() });
        }
        if state.is_bound() {
            self.core.save().await.map_err(DecideError::NotSaved)?;
            if state.is_overtaken(&decided) {
                return Err(DecideError::BegunElsewhere { call_id: call_id.to_owned() });
            }
        }
        Ok(())
    }

    /// Runs what was decided, each call at most once, and gives the whole batch when nothing is left to decide.
    ///
    /// What no longer exists, is denied or has changed since is refused. A call that was begun before and has no result
    /// (the process ended in between, or the future of its `finish` was dropped) waits for a new decision, and its
    /// request says [`Interrupted`](crate::CallProgress::Interrupted). Calls that had ended keep their results.
    ///
    /// The batch is given once; without open calls it is empty. Beside another `finish` that runs the last calls, this
    /// one waits for it.
    ///
    /// A session that is kept in a store is saved before anything runs: of several processes that finish one batch, one
    /// runs a call. Its results are saved too, and stay in the store until the host has saved its messages and calls
    /// [`save`](Self::save): a process that opens the session before that is given them again, and runs nothing.
    ///
    /// # Errors
    /// [`SaveError`] where the session cannot be saved: nothing has run, and what was decided still is.
    pub async fn finish(&self) -> Result<Batch, SaveError> {
        turn::finish(&Arc::clone(&self.core)).await
    }
}
