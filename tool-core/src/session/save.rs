//! Sessions in stores: opened under a key, saved by comparison, merged with what others have saved.

use std::sync::Arc;

use super::{
    ResumeError, ResumeReport, Session, SessionCore, SessionSnapshot,
    bound::{Bound, Merged},
    reveals::Reveals,
};
use crate::{Limit, SaveOutcome, SessionEvent, SessionStore, StoreError, StoredSession, ToolName};

/// How often a save is tried while others save the same session. There is no pause in between: somebody else has saved
/// each time, and who waits is late again.
const MAX_ATTEMPTS: u32 = 512;

/// Why a session could not be opened. Nothing was written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The store could not be read.
    #[error("the session `{key}` cannot be read from its store: {source}")]
    Store {
        /// The key.
        key: String,
        /// What the store said.
        source: StoreError,
    },
    /// What is stored is no session.
    #[error("what is stored under `{key}` is no session: {source}; delete the key to start empty")]
    Unreadable {
        /// The key.
        key: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A later version of the library wrote it.
    #[error("the session `{key}` cannot be resumed: {source}")]
    Resume {
        /// The key.
        key: String,
        /// Why.
        source: ResumeError,
    },
}

/// Why a session was not saved. The session is as it was, and the next save may succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The session has no store.
    #[error("the session is not kept in a store; make it with `registry.session().open(&store, key)`")]
    Unbound,
    /// The store could not be written, or did not say whether it was. The next save finds out.
    #[error("the session `{key}` cannot be saved: {source}")]
    Store {
        /// The key.
        key: String,
        /// What the store said.
        source: StoreError,
    },
    /// Somebody deleted the session, or it has expired. Nothing was written.
    #[error(
        "the session `{key}` is gone from its store: it was deleted or has expired; open it again to start empty"
    )]
    Gone {
        /// The key.
        key: String,
    },
    /// Others saved the session each time that this save was tried.
    #[error(
        "the session `{key}` was saved by others {MAX_ATTEMPTS} times while this save was tried; save again"
    )]
    Contended {
        /// The key.
        key: String,
    },
    /// What somebody else has saved meanwhile cannot be read. It was left as it is.
    #[error(transparent)]
    Stored(#[from] OpenError),
}

/// What came of a save beside that everything is stored.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SaveReport {
    /// How often the session was merged with what somebody else had saved.
    pub merges: usize,
    /// What this session had revealed, and the budget had no room for beside what others revealed.
    pub over_budget: Vec<(ToolName, Limit)>,
    /// Open calls of this session that were dropped, because calls that somebody else left open were stored first.
    pub dropped_calls: Vec<String>,
    /// What of the others' session could not be restored here.
    pub restored: ResumeReport,
}

impl SaveReport {
    /// Whether nothing of this session or of others was lost.
    pub fn is_complete(&self) -> bool {
        self.over_budget.is_empty() && self.dropped_calls.is_empty() && self.restored.is_complete()
    }
}

impl Session {
    /// Opens the session that a store keeps under a key, into this session, which should be new: host values are given
    /// before. Nothing stored is an empty session. It is bound to its key then: [`save`](Self::save) writes it, and
    /// [`decide`](Self::decide) and [`finish`](Self::finish) save by themselves. The key is its [`id`](Self::id) too, in
    /// every process, unless [`with_id`](Self::with_id) gives another one.
    ///
    /// # Errors
    /// [`OpenError`] where the store cannot be read, or keeps something that this library cannot. Nothing is written.
    ///
    /// # Examples
    /// ```
    /// # use std::sync::Arc;
    /// # use tool_core::{FunctionTool, MemoryStore, Registry, ToolContext};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let hidden = |name: &'static str| {
    /// #     FunctionTool::builder(name, "Not for every turn.").deferred().handler(async |_: (), _: ToolContext| "ran")
    /// # };
    /// let registry = Registry::builder().tools([hidden("refund"), hidden("invoice")]).build()?;
    /// let store = Arc::new(MemoryStore::new());
    /// // Two processes serve one conversation.
    /// let (one, _) = registry.session().open(&store, "conversation-7").await?;
    /// let (other, _) = registry.session().open(&store, "conversation-7").await?;
    /// one.reveal("refund");
    /// other.reveal("invoice");
    /// one.save().await?;
    /// let report = other.save().await?;
    /// assert_eq!(report.merges, 1);
    /// assert_eq!(other.revealed().len(), 2, "nothing is lost");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn open<S: SessionStore + ?Sized>(
        mut self,
        store: &Arc<S>,
        key: &str,
    ) -> Result<(Self, ResumeReport), OpenError> {
        // Before anything is told about it.
        Arc::make_mut(&mut self.core).id.get_or_insert_with(|| key.into());
        let store: Arc<dyn SessionStore> = Arc::new(Arc::clone(store));
        let stored = store.load(key).await;
        let stored = stored.map_err(|source| OpenError::Store { key: key.to_owned(), source })?;
        let Some(StoredSession { bytes, version }) = stored else {
            self.core.state.bind(Bound::new(store, key, None, Vec::new()));
            return Ok((self, ResumeReport::default()));
        };
        let mut snapshot = read(key, &bytes)?;
        let writers = std::mem::take(&mut snapshot.writers);
        let resumed = self.resume(snapshot).await;
        let (session, report) =
            resumed.map_err(|source| OpenError::Resume { key: key.to_owned(), source })?;
        session.core.state.bind(Bound::new(store, key, Some(version), writers));
        Ok((session, report))
    }

    /// Saves the session under its key, if nobody else has saved it since it was opened or saved last. If somebody has,
    /// what this session did since is applied to theirs, in order, and saved: nothing that they revealed is lost, nothing
    /// that they unloaded comes back, budgets hold, an approval that they used stays used. The session goes on with the
    /// result from its next turn. What happens while the save runs is for the next one.
    ///
    /// Save the messages first: what [`finish`](Self::finish) gave is kept in the store until this.
    ///
    /// # Errors
    /// [`SaveError`]: nothing is lost in this process, and the next save goes on from there.
    pub async fn save(&self) -> Result<SaveReport, SaveError> {
        self.core.save().await
    }
}

fn read(key: &str, bytes: &[u8]) -> Result<SessionSnapshot, OpenError> {
    // The version first: a later one may have members of other types.
    let unreadable = |source| OpenError::Unreadable { key: key.to_owned(), source };
    let resume = |source| OpenError::Resume { key: key.to_owned(), source };
    SessionSnapshot::check_bytes(bytes).map_err(unreadable)?.map_err(resume)?;
    serde_json::from_slice(bytes).map_err(unreadable)
}

impl SessionCore {
    pub(crate) async fn save(self: &Arc<Self>) -> Result<SaveReport, SaveError> {
        let _alone = self.state.saving().await;
        let key = self.state.key().ok_or(SaveError::Unbound)?;
        let mut report = SaveReport::default();
        for _ in 0..MAX_ATTEMPTS {
            let attempt = self.state.attempt(&self.registry).ok_or(SaveError::Unbound)?;
            let failed = |source| SaveError::Store { key: key.to_string(), source };
            let bytes =
                serde_json::to_vec(&attempt.snapshot).map_err(|error| failed(StoreError::new(error)))?;
            let outcome = attempt.store.save(&key, &bytes, attempt.expected.as_ref()).await;
            match outcome.map_err(failed)? {
                SaveOutcome::Saved(version) => {
                    self.state.saved(&attempt, version);
                    return Ok(report);
                }
                SaveOutcome::Conflict(Some(stored)) => {
                    report.merges += 1;
                    self.state.conflicted(&attempt);
                    if self.merge(&key, stored, &mut report).await? {
                        return Ok(report);
                    }
                }
                // Where nothing was expected, there is nothing to merge with either.
                SaveOutcome::Conflict(None) if attempt.expected.is_none() => {}
                SaveOutcome::Conflict(None) => return Err(SaveError::Gone { key: key.to_string() }),
            }
        }
        Err(SaveError::Contended { key: key.to_string() })
    }

    /// Takes what somebody else has stored as the new ground; says whether nothing is left to save.
    async fn merge(
        self: &Arc<Self>,
        key: &str,
        stored: StoredSession,
        report: &mut SaveReport,
    ) -> Result<bool, SaveError> {
        let mut snapshot = read(key, &stored.bytes)?;
        let writers = std::mem::take(&mut snapshot.writers);
        let (content, restored) = self
            .restored(snapshot)
            .await
            .map_err(|source| OpenError::Resume { key: key.to_owned(), source })?;
        let merged = self.state.adopt(&self.registry, stored, writers, content).ok_or(SaveError::Unbound)?;
        self.tell_merged(&merged);
        report.restored = restored;
        report.over_budget.extend(merged.lost.over_budget);
        report.dropped_calls.extend(merged.lost.calls);
        Ok(merged.is_saved)
    }

    /// Tells the host what is otherwise in the next turn.
    fn tell_merged(&self, merged: &Merged) {
        let Merged { lost, before, after, .. } = merged;
        let new_groups = after.groups().iter().filter(|group| !before.groups().contains(group));
        new_groups.for_each(|group| self.emit(|| SessionEvent::GroupLoaded { group: group.clone() }));
        let lacks = |reveals: &Reveals, tool: &ToolName| !reveals.contains(tool.as_str());
        for tool in after.order().iter().filter(|tool| lacks(before, tool)) {
            self.emit(|| SessionEvent::Revealed { tool: tool.clone() });
        }
        for (tool, limit) in &lost.over_budget {
            self.emit(|| SessionEvent::OverBudget { tool: tool.clone(), limit: *limit });
        }
        let is_over = |tool: &ToolName| lost.over_budget.iter().any(|(over, _)| over == tool);
        for tool in before.order().iter().filter(|tool| lacks(after, tool) && !is_over(tool)) {
            self.emit(|| SessionEvent::Unloaded { tool: tool.clone() });
        }
        for call_id in &lost.calls {
            self.emit(|| SessionEvent::CallDropped { call_id: call_id.clone() });
        }
    }
}
