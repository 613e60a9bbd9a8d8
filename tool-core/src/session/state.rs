//! All that a session changes, behind one lock for lists and one for builds.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use serde_json::{Map, Value};

use super::{
    builds::Builds,
    open_calls::OpenCalls,
    progress::Progress,
    reveals::{Applied, Operation, Reveals},
};
use crate::{
    CallResult, Fingerprint, Registry, ToolName, text,
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
}

#[derive(Debug, Default)]
struct State {
    reveals: Arc<Reveals>,
    /// Counts changes of `reveals`.
    version: u64,
    /// The view of `reveals`, unless it depends on `enabled`, which may answer otherwise each time.
    view: Option<Arc<View>>,
    /// The list of the first turn, where it must not change.
    frozen: Option<Arc<View>>,
    /// Calls of these tools run without asking, as long as the tools do not change.
    approved: Vec<(ToolName, Fingerprint)>,
    open: Option<OpenCalls>,
    /// What the last `finish` gave, for the conversation of this session, until the next turn.
    finished: Vec<CallResult>,
    /// Members of a snapshot that this version does not know.
    unknown: Map<String, Value>,
    progress: Progress,
}

impl SharedState {
    fn lock(&self) -> MutexGuard<'_, State> {
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

    pub(crate) fn reveals(&self) -> Arc<Reveals> {
        Arc::clone(&self.lock().reveals)
    }

    /// Applies changes in order, all at once, and says what each did.
    pub(crate) fn apply(&self, registry: &Registry, operations: &[Operation]) -> Vec<Applied> {
        let mut state = self.lock();
        let reveals = Arc::make_mut(&mut state.reveals);
        let applied = operations.iter().map(|operation| reveals.apply(registry, operation)).collect();
        state.version += 1;
        state.view = None;
        applied
    }

    /// Replaces the reveals as a whole, for a session that is resumed.
    #[allow(clippy::too_many_arguments, reason = "all that a snapshot has")]
    pub(crate) fn restore(
        &self,
        reveals: Reveals,
        approved: Vec<(ToolName, Fingerprint)>,
        open: Option<OpenCalls>,
        unknown: Map<String, Value>,
    ) {
        let mut state = self.lock();
        state.reveals = Arc::new(reveals);
        (state.approved, state.open, state.unknown) = (approved, open, unknown);
        state.version += 1;
        state.view = None;
    }

    /// The cached view, or the reveals to make one of.
    pub(crate) fn view(&self) -> Result<Arc<View>, (Arc<Reveals>, u64)> {
        let state = self.lock();
        state.view.clone().ok_or_else(|| (Arc::clone(&state.reveals), state.version))
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
        self.lock().approved.iter().any(|(name, known)| name == tool && known == fingerprint)
    }

    pub(crate) fn approve(&self, tool: &ToolName, fingerprint: &Fingerprint) {
        let mut state = self.lock();
        state.approved.retain(|(name, _)| name != tool);
        state.approved.push((tool.clone(), fingerprint.clone()));
    }

    pub(crate) fn approved(&self) -> Vec<(ToolName, Fingerprint)> {
        self.lock().approved.clone()
    }

    pub(crate) fn unknown(&self) -> Map<String, Value> {
        self.lock().unknown.clone()
    }

    /// Looks at or changes the open calls.
    pub(crate) fn with_open<T>(&self, change: impl FnOnce(&mut Option<OpenCalls>) -> T) -> T {
        change(&mut self.lock().open)
    }

    /// Begins a turn and gives its number.
    pub(crate) fn begin_turn(&self) -> u64 {
        let mut state = self.lock();
        state.finished.clear();
        state.progress.begin_turn()
    }

    /// Keeps the results of a batch that was suspended.
    pub(crate) fn keep_finished(&self, results: Vec<CallResult>) {
        self.lock().finished = results;
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
