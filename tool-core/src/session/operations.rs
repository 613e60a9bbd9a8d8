//! What discovery tools do to a session: search, reveal, unload, load a group, on the provisional state of one batch.
//!
//! The discovery calls of a batch run in call order over one `SessionOperations`, each seeing what the ones before it did;
//! the batch commits it when it ends, and a dropped batch never does.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{
    SessionCore,
    change::Change,
    groups,
    reveals::{Applied, Operation, Reveals},
};
use crate::{
    DiscoveryTool, GroupOutcome, Limit, SearchResults, SessionEvent, SourceState, ToolDefinition, ToolName,
    name::folded,
    registry::{Entry, GroupState, Place, Scope, ScopeId},
    search,
};

/// Search, reveal, unload and group loads for tools marked `discovery`, from
/// [`ToolContext::operations`](crate::ToolContext::operations).
///
/// What they change takes effect together when the batch ends: a revealed tool is in the list of the next turn.
#[derive(Debug, Clone)]
pub struct SessionOperations {
    core: Arc<SessionCore>,
    /// The number of the batch.
    batch: u64,
    provisional: Arc<Mutex<Provisional>>,
}

/// The operations of a batch for the one who runs it: dropped, they have ended.
#[derive(Debug)]
pub(crate) struct BatchOperations(SessionOperations);

#[derive(Debug)]
struct Provisional {
    /// As they will be.
    reveals: Reveals,
    /// What this batch did, in call order.
    operations: Vec<Operation>,
    /// The words of its searches.
    searches: Vec<Vec<String>>,
    ended: bool,
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
    /// The budget has no room for it.
    LimitReached {
        /// The tool.
        tool: ToolName,
        /// The limit that it would pass.
        limit: Limit,
    },
    /// The batch of these operations has ended; nothing was changed.
    BatchEnded,
}

impl SessionOperations {
    fn lock(&self) -> MutexGuard<'_, Provisional> {
        // No user code runs under this lock, so a poisoned state is whole.
        self.provisional.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Searches all deferred tools; reveals nothing. Returns at most `top_k` (1 to 50), exact names aside.
    pub async fn search(&self, query: &str, top_k: usize) -> SearchResults {
        self.search_in(None, query, top_k).await
    }

    /// Searches the deferred tools of one search.
    pub(crate) async fn search_in(&self, scope: Option<ScopeId>, query: &str, top_k: usize) -> SearchResults {
        let unready = self.core.connected(scope).await;
        let reveals = {
            let mut provisional = self.lock();
            if let Some(listed) = self.core.newer_lists(provisional.reveals.sources().version()) {
                provisional.reveals.adopt(&self.core.registry, listed);
            }
            // To ask again while a source is connecting is no circle.
            if !unready.iter().any(|(_, state)| *state == SourceState::Connecting) {
                provisional.searches.push(search::words(query));
            }
            provisional.reveals.clone()
        };
        let found = search::find(&self.core, &reveals, scope, query, top_k).await;
        let results = SearchResults { unready, ..found };
        self.core.emit(|| SessionEvent::Searched {
            hits: results.hits.iter().map(|hit| hit.name.clone()).collect(),
            matched: results.matched,
            degraded: results.degraded.clone(),
        });
        results
    }

    /// Reveals a deferred tool by its model-facing name.
    pub fn reveal(&self, name: &str) -> RevealOutcome {
        let Some(entry) = self.entry(name) else { return RevealOutcome::NotFound };
        let tool = entry.name().clone();
        match entry.place {
            Place::Denied | Place::Dormant => return RevealOutcome::NotFound,
            Place::Grouped if !self.is_revealed(name) => return RevealOutcome::NotFound,
            Place::Eager | Place::Discovery | Place::Grouped | Place::Deferred => {}
        }
        if !search::enabled(&self.core, &entry) {
            return RevealOutcome::NotFound;
        }
        if let Some(error) = entry.definition.unusable() {
            return RevealOutcome::Unusable { tool, reason: error.to_string() };
        }
        if entry.place != Place::Deferred {
            return RevealOutcome::AlreadyVisible(tool);
        }
        match self.apply(Operation::Reveal(entry)) {
            None => RevealOutcome::BatchEnded,
            Some(Applied { over, .. }) if let Some((_, limit)) = over.first().cloned() => {
                self.core.emit(|| SessionEvent::OverBudget { tool: tool.clone(), limit });
                RevealOutcome::LimitReached { tool, limit }
            }
            Some(applied) if applied.revealed.is_empty() => RevealOutcome::AlreadyVisible(tool),
            Some(_) => RevealOutcome::Revealed(tool),
        }
    }

    /// Takes a revealed tool out of the list from the next turn; says whether it was there. A tool that vanished can be
    /// unloaded too; the tools of groups stay.
    pub fn unload(&self, name: &str) -> bool {
        let of_group = self.entry(name).is_some_and(|entry| entry.place != Place::Deferred);
        match ToolName::new(name) {
            Ok(name) if !of_group => {
                self.apply(Operation::Unload(name)).is_some_and(|applied| !applied.unloaded.is_empty())
            }
            _ => false,
        }
    }

    /// Unloads all revealed tools of a search, or all; says how many.
    pub(crate) fn clear(&self, scope: Option<ScopeId>) -> usize {
        let names: Vec<ToolName> = {
            let provisional = self.lock();
            let covered = |name: &&ToolName| match provisional
                .reveals
                .find(&self.core.registry, name.as_str())
            {
                Some(entry) => entry.place == Place::Deferred && (scope.is_none() || entry.scope == scope),
                None => true,
            };
            provisional.reveals.order().iter().filter(covered).cloned().collect()
        };
        names.iter().filter(|name| self.unload(name.as_str())).count()
    }

    /// Unloads all revealed tools but those of groups; says how many.
    pub fn unload_all(&self) -> usize {
        self.clear(None)
    }

    /// Loads a group: its tools are visible from the next turn. Waits for its build.
    pub async fn load_group(&self, name: &str) -> GroupOutcome {
        let reveals = self.lock().reveals.clone();
        match groups::load(&self.core, &reveals, &[], name).await {
            Ok(operation) => match self.apply(operation.clone()) {
                None => GroupOutcome::BatchEnded,
                Some(applied) => self.without_unlisted(Reveals::outcome(&operation, &applied)),
            },
            Err(outcome) => outcome,
        }
    }

    /// What is called loaded is callable: tools that no list would have are not named.
    pub(super) fn without_unlisted(&self, mut outcome: GroupOutcome) -> GroupOutcome {
        if let GroupOutcome::Loaded(loaded) = &mut outcome {
            loaded.tools.retain(|tool| self.is_visible(tool.as_str()));
        }
        outcome
    }

    /// Whether the model may know of a tool: it will be in the list of the next turn, or callable through the bridge.
    pub(crate) fn is_visible(&self, name: &str) -> bool {
        self.entry(name).is_some_and(|entry| {
            (entry.is_base() || self.is_revealed(name))
                && search::enabled(&self.core, &entry)
                && entry.definition.unusable().is_none()
        })
    }

    /// All deferred tools that this session can reveal, in (toolset, name) order: for a catalogue of one's own.
    pub fn deferred(&self) -> Vec<ToolDefinition> {
        let reveals = self.lock().reveals.clone();
        let registry = &self.core.registry;
        let late = reveals.session_tools().into_iter().filter(|entry| entry.place == Place::Deferred);
        let usable =
            |entry: &&Arc<Entry>| search::enabled(&self.core, entry) && entry.definition.unusable().is_none();
        let of_sources =
            reveals.sources().deferred().filter(|entry| reveals.holds(&self.core.registry, entry));
        registry
            .deferred()
            .chain(of_sources)
            .chain(late)
            .filter(usable)
            .map(|entry| entry.definition.clone())
            .collect()
    }

    /// Whether a tool will be in the list of the next turn because it was revealed.
    pub fn is_revealed(&self, name: &str) -> bool {
        self.lock().reveals.contains(name)
    }

    fn apply(&self, operation: Operation) -> Option<Applied> {
        let mut provisional = self.lock();
        if provisional.ended {
            return None;
        }
        let (state, registry) = (&self.core.state, &self.core.registry);
        let applied = state.apply_provisionally(registry, self.batch, &mut provisional.reveals, &operation);
        // What is refused for want of room is not tried again at the commit.
        if applied.over.is_empty() {
            provisional.operations.push(operation);
        }
        Some(applied)
    }

    /// Revealed by this batch, and so not callable in it.
    pub(crate) fn is_pending(&self, name: &str) -> bool {
        !self.core.state.reveals().contains(name)
    }

    pub(crate) fn entry(&self, name: &str) -> Option<Arc<Entry>> {
        self.lock().reveals.find(&self.core.registry, name).cloned()
    }

    pub(crate) fn scope(&self, id: ScopeId) -> &Scope {
        self.core.registry.scope(id)
    }

    /// The name of a discovery tool of a search, as the model sees it.
    pub(crate) fn name_in(&self, scope: ScopeId, tool: DiscoveryTool) -> String {
        self.scope(scope).name_of(tool).map(ToString::to_string).unwrap_or_default()
    }

    /// The tool that `load_tool` means: a model-facing name, or a bare one that only one tool of the search has.
    pub(crate) fn loadable(&self, scope: ScopeId, sent: &str) -> Option<ToolName> {
        let covered = |entry: &Arc<Entry>| Self::covers(scope, entry);
        if let Some(entry) = self.entry(sent).filter(covered) {
            return Some(entry.name().clone());
        }
        let (late, of_sources) = (self.late_in(scope), self.of_sources_in(scope, sent));
        let candidates = self.scope(scope).hidden.iter().chain(&of_sources).chain(&late);
        let mut bare =
            candidates.filter(|entry| entry.bare_name() == sent && search::enabled(&self.core, entry));
        let only = bare.next()?;
        bare.next().is_none().then(|| only.name().clone())
    }

    /// Tools that a search is for: what it hides, and what its toolsets have always available.
    fn covers(scope: ScopeId, entry: &Entry) -> bool {
        entry.scope == Some(scope) && matches!(entry.place, Place::Deferred | Place::Eager)
    }

    /// The tool that `unload_tool` means; a name that no tool has any more is taken as it is.
    pub(crate) fn unloadable(&self, scope: ScopeId, sent: &str) -> Option<ToolName> {
        match self.entry(sent) {
            Some(entry) => Self::covers(scope, &entry).then(|| entry.name().clone()),
            None if self.is_revealed(sent) => ToolName::new(sent).ok(),
            None => self.loadable(scope, sent),
        }
    }

    /// The right spelling of a name of a searchable tool that was sent in other case or separators.
    pub(crate) fn respelled(&self, scope: ScopeId, sent: &str) -> Option<ToolName> {
        let wanted = folded(sent);
        let (late, of_sources) = (self.late_in(scope), self.of_sources_in(scope, sent));
        let mut all = self.core.registry.find_folded(sent).iter().chain(&of_sources).chain(&late);
        let found = all.find(|entry| {
            entry.scope == Some(scope)
                && entry.place == Place::Deferred
                && search::enabled(&self.core, entry)
                && (folded(entry.name().as_str()) == wanted || folded(entry.bare_name()) == wanted)
        });
        found.map(|entry| entry.name().clone())
    }

    /// The tools that only this session has and a search covers.
    fn late_in(&self, scope: ScopeId) -> Vec<Arc<Entry>> {
        let provisional = self.lock();
        let late = provisional.reveals.session_tools().into_iter();
        late.filter(|entry| entry.place == Place::Deferred && entry.scope == Some(scope)).cloned().collect()
    }

    /// The tools of sources that are called so but for case and separators and that a search covers.
    fn of_sources_in(&self, scope: ScopeId, sent: &str) -> Vec<Arc<Entry>> {
        let reveals = &self.lock().reveals;
        let called = reveals.sources().find_folded(sent);
        called
            .filter(|entry| entry.scope == Some(scope) && reveals.holds(&self.core.registry, entry))
            .cloned()
            .collect()
    }

    pub(crate) fn groups(&self) -> Vec<GroupState<'_>> {
        let reveals = self.lock().reveals.clone();
        groups::states(&self.core, &reveals)
    }

    pub(crate) fn guidance(&self, group: &str) -> Option<String> {
        groups::guidance(&self.core, group).map(|text| crate::text::clean(&text, MAX_GUIDANCE))
    }
}

impl BatchOperations {
    pub(crate) fn begin(core: &Arc<SessionCore>) -> Self {
        Self::after(core, &[])
    }

    /// Goes on after the operations of a suspended batch, which others keep.
    pub(crate) fn after(core: &Arc<SessionCore>, operations: &[Operation]) -> Self {
        core.sync();
        let mut reveals = Reveals::clone(&core.state.reveals());
        for operation in operations {
            reveals.apply(&core.registry, operation);
        }
        let provisional = Provisional { reveals, operations: Vec::new(), searches: Vec::new(), ended: false };
        let batch = core.state.begin_operations();
        let (core, provisional) = (Arc::clone(core), Arc::new(Mutex::new(provisional)));
        Self(SessionOperations { core, batch, provisional })
    }

    /// What was done since this was asked last, for a batch that is suspended.
    pub(crate) fn take(&self) -> Vec<Operation> {
        std::mem::take(&mut self.0.lock().operations)
    }

    /// As [`commit`](Self::commit), for a call of the host: its searches say nothing of what the model does.
    pub(crate) fn commit_for_host(self) {
        self.0.lock().searches.clear();
        self.commit();
    }

    /// Applies what was done, in call order, and ends these operations. Returns what did not fit after all, because the
    /// session has changed meanwhile.
    pub(crate) fn commit(self) -> Vec<ToolName> {
        let (operations, searches) = {
            let mut provisional = self.0.lock();
            provisional.ended = true;
            (std::mem::take(&mut provisional.operations), std::mem::take(&mut provisional.searches))
        };
        let core = &self.0.core;
        core.state.with_progress(|progress, version| {
            for words in &searches {
                progress.searched(words, version);
            }
        });
        let applied = core.commit(operations.into_iter().map(Change::Operation));
        if let Some(last) = searches.into_iter().next_back() {
            core.state.with_progress(|progress, version| progress.remember_search(last, version));
        }
        applied.into_iter().flat_map(|applied| applied.over).map(|(tool, _)| tool).collect()
    }
}

impl std::ops::Deref for BatchOperations {
    type Target = SessionOperations;

    fn deref(&self) -> &SessionOperations {
        &self.0
    }
}

impl Drop for BatchOperations {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.core.state.end_operations(self.0.batch);
    }
}

/// Longest guidance of a group that the model reads, in bytes.
const MAX_GUIDANCE: usize = 4 * 1024;
