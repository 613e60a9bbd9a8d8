//! The reveal order of a session, and the last view made of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{registry::ToolId, turn::View};

/// The mutable part of a session. Every method is one short critical section.
#[derive(Debug, Default)]
pub(crate) struct SharedState(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// In reveal order.
    revealed: Vec<ToolId>,
    /// The view of `revealed`, unless it depends on `enabled`, which may answer otherwise each time.
    view: Option<Arc<View>>,
}

impl SharedState {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No user code runs under this lock, so a poisoned state is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn revealed(&self) -> Vec<ToolId> {
        self.lock().revealed.clone()
    }

    /// Appends what is not revealed yet, in this order, and returns what was appended.
    pub(crate) fn reveal(&self, ids: &[ToolId]) -> Vec<ToolId> {
        let mut state = self.lock();
        let mut added = Vec::new();
        for id in ids {
            if !state.revealed.contains(id) {
                state.revealed.push(*id);
                added.push(*id);
            }
        }
        if !added.is_empty() {
            state.view = None;
        }
        added
    }

    /// The cached view, or the reveal order to make one of.
    pub(crate) fn view(&self) -> Result<Arc<View>, Vec<ToolId>> {
        let state = self.lock();
        state.view.clone().ok_or_else(|| state.revealed.clone())
    }

    /// Keeps a view for the next turn, if it is still the view of the reveal order.
    pub(crate) fn keep_view(&self, view: &Arc<View>, made_of: &[ToolId]) {
        let mut state = self.lock();
        if state.revealed == made_of {
            state.view = Some(Arc::clone(view));
        }
    }
}
