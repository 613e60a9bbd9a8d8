//! What discovery tools do to a session: search and reveal, on the provisional state of one batch.
//!
//! The discovery calls of a batch run in call order over one `SessionOperations`, each seeing what the ones before it did;
//! the batch commits it when it ends, and a dropped batch never does.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::SessionCore;
use crate::{
    SearchResults, SessionEvent, ToolDefinition, ToolName,
    registry::{Place, ToolId},
    search,
};

/// Search and reveal for tools marked `discovery`, from [`ToolContext::operations`](crate::ToolContext::operations).
///
/// What they change takes effect together when the batch ends: a revealed tool is in the list of the next turn.
#[derive(Debug, Clone)]
pub struct SessionOperations {
    core: Arc<SessionCore>,
    provisional: Arc<Mutex<Provisional>>,
}

#[derive(Debug)]
struct Provisional {
    /// Reveal order as it will be.
    revealed: Vec<ToolId>,
    /// What this batch revealed, in call order.
    added: Vec<ToolId>,
    committed: bool,
}

/// What came of a reveal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RevealOutcome {
    /// Visible from the next turn.
    Revealed(ToolName),
    /// Visible already, or revealed before in the same batch.
    AlreadyVisible(ToolName),
    /// No deferred tool has this name.
    NotFound,
    /// The tool cannot be offered: its schema cannot be made.
    Unusable {
        /// The tool.
        tool: ToolName,
        /// Why.
        reason: String,
    },
    /// The batch of these operations has ended; nothing was changed.
    BatchEnded,
}

impl SessionOperations {
    pub(crate) fn new(core: Arc<SessionCore>) -> Self {
        let revealed = core.state.revealed();
        let provisional = Provisional { revealed, added: Vec::new(), committed: false };
        Self { core, provisional: Arc::new(Mutex::new(provisional)) }
    }

    fn lock(&self) -> MutexGuard<'_, Provisional> {
        // No user code runs under this lock, so a poisoned state is whole.
        self.provisional.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Searches the deferred tools with the registry's ranker; reveals nothing. `top_k` is clamped to 1..=50.
    pub async fn search(&self, query: &str, top_k: i64) -> SearchResults {
        search::find(&self.core, query, top_k).await
    }

    /// Reveals a deferred tool by its model-facing name.
    pub fn reveal(&self, name: &str) -> RevealOutcome {
        match self.core.registry.find(name) {
            Some(id) => self.reveal_id(id),
            None => RevealOutcome::NotFound,
        }
    }

    fn reveal_id(&self, id: ToolId) -> RevealOutcome {
        let entry = self.core.registry.entry(id);
        let tool = entry.definition.name().clone();
        match entry.place {
            Place::Denied => return RevealOutcome::NotFound,
            Place::Eager | Place::Discovery => return RevealOutcome::AlreadyVisible(tool),
            Place::Deferred => {}
        }
        if !search::enabled(&self.core, entry) {
            return RevealOutcome::NotFound;
        }
        if let Some(error) = entry.definition.unusable() {
            return RevealOutcome::Unusable { tool, reason: error.to_string() };
        }
        let mut provisional = self.lock();
        if provisional.committed {
            RevealOutcome::BatchEnded
        } else if provisional.revealed.contains(&id) {
            RevealOutcome::AlreadyVisible(tool)
        } else {
            provisional.revealed.push(id);
            provisional.added.push(id);
            RevealOutcome::Revealed(tool)
        }
    }

    /// All deferred tools that this session can reveal, in (toolset, name) order: for a catalogue of one's own.
    pub fn deferred(&self) -> Vec<&ToolDefinition> {
        let registry = &self.core.registry;
        let entries = registry.inner().deferred.iter().map(|id| registry.entry(*id));
        entries
            .filter(|entry| search::enabled(&self.core, entry) && entry.definition.unusable().is_none())
            .map(|entry| &entry.definition)
            .collect()
    }

    /// Applies what was done, in call order, and ends these operations.
    pub(crate) fn commit(&self) {
        let added = {
            let mut provisional = self.lock();
            provisional.committed = true;
            std::mem::take(&mut provisional.added)
        };
        for id in self.core.state.reveal(&added) {
            let tool = self.core.registry.entry(id).definition.name();
            self.core.emit(|| SessionEvent::Revealed { tool: tool.clone() });
        }
    }
}
