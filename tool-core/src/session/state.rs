//! All that a session changes, behind one lock for lists and one for builds.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use tokio::sync::Notify;

use super::{
    bound::Bound,
    builds::Builds,
    change::{Change, Content},
    open_calls::OpenCalls,
    progress::Progress,
    reveals::{Adopted, Applied, Operation, Reveals},
};
use crate::{
    CallResult, Fingerprint, Registry, ToolName,
    registry::{Entry, Listed},
    search::OwnDocuments,
    text,
    turn::{Announced, View},
};

/// The mutable part of a session. Every method is one short critical section without user code.
#[derive(Debug, Default)]
pub(crate) struct SharedState {
    state: Mutex<State>,
    builds: Builds,
    /// What the host was told of turns; used only if it wants events.
    announced: Mutex<Announced>,
    made_id: OnceLock<String>,
    /// Told when a call of a suspended batch has stopped running.
    pub(super) stopped: Notify,
    /// Held by the one save that runs.
    saving: tokio::sync::Mutex<()>,
    own_documents: OwnDocuments,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) content: Content,
    /// What `session.add` brought, as far as it holds its names: never stored.
    pub(super) added: Vec<Operation>,
    /// Where the content is kept.
    pub(super) bound: Option<Bound>,
    /// Counts changes of the reveals.
    version: u64,
    /// The view of the reveals, unless it depends on `enabled`, which may answer otherwise each time.
    view: Option<Arc<View>>,
    /// The list of the first turn, where it must not change.
    frozen: Option<Arc<View>>,
    /// What the last `finish` gave, for the conversation of this session, until the next turn.
    pub(super) finished: Vec<CallResult>,
    /// What batches that have not ended reveal, each under the number of its batch: budgets count it.
    reserved: Vec<(u64, Arc<Entry>)>,
    batches: u64,
    /// Calls of the suspended batch that this process runs: batch and place. Nobody decides about them meanwhile.
    pub(super) running: Vec<(String, usize)>,
    progress: Progress,
}

impl State {
    /// Applies changes in order, and says what each did to the reveals.
    pub(super) fn apply(&mut self, registry: &Registry, changes: Vec<Change>) -> Vec<Applied> {
        let mut all = Vec::new();
        for change in changes {
            if !self.content.apply(registry, &change, &mut all) {
                continue;
            }
            if matches!(change, Change::Operation(_) | Change::End { .. }) {
                self.reveals_changed();
            }
            if let Change::Operation(Operation::Add(entries)) = &change {
                let held = entries.iter().filter(|entry| self.content.reveals.holds(registry, entry));
                self.added.push(Operation::Add(held.cloned().collect()));
            } else if let Some(bound) = &mut self.bound {
                bound.record(&change);
            }
        }
        all
    }

    pub(super) fn reveals_changed(&mut self) {
        self.version += 1;
        self.view = None;
    }
}

impl SharedState {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // No user code runs under this lock, so a poisoned state is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn builds(&self) -> &Builds {
        &self.builds
    }

    pub(crate) fn announced<T>(&self, change: impl FnOnce(&mut Announced) -> T) -> T {
        change(&mut self.announced.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// An id for a session that was given none: random, so that those of many processes differ.
    pub(crate) fn made_id(&self) -> &str {
        self.made_id.get_or_init(|| {
            let mut id = String::with_capacity(32);
            for _ in 0..2 {
                text::push_hex(&mut id, &RandomState::new().build_hasher().finish().to_be_bytes());
            }
            id
        })
    }

    /// What a search of the session's own tools looks at.
    pub(crate) fn own_documents(&self) -> &OwnDocuments {
        &self.own_documents
    }

    pub(crate) fn reveals(&self) -> Arc<Reveals> {
        Arc::clone(&self.lock().content.reveals)
    }

    /// The version of the sources' lists that the session looks at.
    pub(crate) fn sources_version(&self) -> u64 {
        self.lock().content.reveals.sources().version()
    }

    /// Looks at other lists of the sources from now on. What changed there has lost its approval too.
    pub(crate) fn look_at(&self, registry: &Registry, listed: Arc<Listed>) -> Adopted {
        let mut state = self.lock();
        state.content.approved.retain(|(name, fingerprint)| {
            listed.find(name.as_str()).is_none_or(|entry| entry.fingerprint() == fingerprint)
        });
        let adopted = Arc::make_mut(&mut state.content.reveals).adopt(registry, listed);
        state.reveals_changed();
        adopted
    }

    /// Waits until no other save runs.
    pub(super) async fn saving(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.saving.lock().await
    }

    pub(super) fn added(&self) -> Vec<Operation> {
        self.lock().added.clone()
    }

    pub(super) fn content(&self) -> Content {
        self.lock().content.clone()
    }

    pub(super) fn apply(&self, registry: &Registry, changes: Vec<Change>) -> Vec<Applied> {
        self.lock().apply(registry, changes)
    }

    /// Replaces the content as a whole, for a session that is resumed.
    pub(super) fn restore(&self, content: Content) {
        let mut state = self.lock();
        state.content = content;
        state.reveals_changed();
    }

    /// The cached view, or the reveals to make one of.
    pub(crate) fn view(&self) -> Result<Arc<View>, (Arc<Reveals>, u64)> {
        let state = self.lock();
        state.view.clone().ok_or_else(|| (Arc::clone(&state.content.reveals), state.version))
    }

    /// Keeps a view for the next turn, if nothing has changed since.
    pub(crate) fn keep_view(&self, view: &Arc<View>, made_of: u64) {
        let mut state = self.lock();
        if state.version == made_of {
            state.view = Some(Arc::clone(view));
        }
    }

    /// The list of the first turn: `view`, if this is the first.
    pub(crate) fn frozen(&self, view: impl FnOnce() -> Arc<View>) -> Arc<View> {
        if let Some(frozen) = &self.lock().frozen {
            return Arc::clone(frozen);
        }
        // Made without the lock: it asks `enabled`.
        let made = view();
        Arc::clone(self.lock().frozen.get_or_insert(made))
    }

    pub(crate) fn is_approved(&self, tool: &ToolName, fingerprint: &Fingerprint) -> bool {
        self.lock().content.approved.iter().any(|(name, known)| name == tool && known == fingerprint)
    }

    /// Keeps a batch until the host has decided; `false` if another one waits.
    pub(super) fn suspend(&self, registry: &Registry, open: OpenCalls) -> bool {
        let mut state = self.lock();
        let free = state.content.open.is_none();
        if free {
            state.apply(registry, vec![Change::Suspend(open)]);
        }
        free
    }

    /// The ids of the calls that keep the session from its next turn.
    pub(super) fn open_calls(&self) -> Option<Vec<String>> {
        self.lock().content.open.as_ref().map(OpenCalls::call_ids)
    }

    /// A number for a batch whose discovery calls begin.
    pub(super) fn begin_operations(&self) -> u64 {
        let mut state = self.lock();
        state.batches += 1;
        state.batches
    }

    /// Applies an operation of batch `batch` to its provisional reveals. What it reveals counts in the budgets of all
    /// other batches until this one ends: what a batch is told fits when it commits.
    pub(super) fn apply_provisionally(
        &self,
        registry: &Registry,
        batch: u64,
        reveals: &mut Reveals,
        operation: &Operation,
    ) -> Applied {
        let Operation::Reveal(entry) = operation else { return reveals.apply(registry, operation) };
        let mut state = self.lock();
        let waiting = state.content.open.iter().flat_map(|open| &open.operations);
        let waiting = waiting.filter_map(|operation| match operation {
            Operation::Reveal(entry) => Some(entry),
            Operation::RevealPending(saved) => reveals.find(registry, saved.name.as_str()),
            _ => None,
        });
        let others = state.reserved.iter().filter(|(of, _)| *of != batch).map(|(_, entry)| entry);
        let mut beside: Vec<Arc<Entry>> = Vec::new();
        for other in others.chain(waiting) {
            if !beside.iter().any(|known| known.name() == other.name()) {
                beside.push(Arc::clone(other));
            }
        }
        let applied = reveals.apply_beside(registry, operation, &beside);
        if applied.has_effect() {
            state.reserved.push((batch, Arc::clone(entry)));
        }
        applied
    }

    /// A batch has ended: what it has revealed is committed, or never will be.
    pub(super) fn end_operations(&self, batch: u64) {
        self.lock().reserved.retain(|(of, _)| *of != batch);
    }

    /// Begins a turn and gives its number.
    pub(crate) fn begin_turn(&self) -> u64 {
        let mut state = self.lock();
        state.finished.clear();
        state.progress.begin_turn()
    }

    /// The results of the batch that the last `finish` ended, once.
    pub(crate) fn take_finished(&self) -> Vec<CallResult> {
        std::mem::take(&mut self.lock().finished)
    }

    /// Looks at or changes what is counted per turn; `change` is told how often the reveals have changed.
    pub(crate) fn with_progress<T>(&self, change: impl FnOnce(&mut Progress, u64) -> T) -> T {
        let mut state = self.lock();
        let version = state.version;
        change(&mut state.progress, version)
    }
}
