//! The sources of a registry, or of one session: started, listed, asked again, closed.
//!
//! Each source has a task that lists it and waits for changes; what it listed last is a versioned cache beside the
//! registry, which never changes itself. Turns and sessions hold one version; nobody waits for a source but a search.

mod held;
mod list;
mod listed;
mod read;
mod registered;
mod run;
mod wire_tool;

use std::{
    fmt,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
    time::Duration,
};

use futures_util::future::join_all;
pub(crate) use held::HeldSource;
use list::SourceList;
pub(crate) use listed::Listed;
pub(crate) use registered::RegisteredSource;
use run::Owner;
use tokio::{runtime::Handle, sync::watch, task::AbortHandle};

use super::{Entry, RegistryInner, ScopeId};
use crate::{SourceState, SourceStatus, guard::within};

/// Some sources with the last version of their lists.
pub(crate) struct Sources {
    state: RwLock<State>,
    /// Told of each change of a list or a state.
    changes: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    all: Vec<Arc<RegisteredSource>>,
    /// Of those that were started, in the order of `all`.
    tasks: Vec<AbortHandle>,
    listed: Arc<Listed>,
    phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Phase {
    #[default]
    Open,
    Closed,
}

impl State {
    fn is_running(&self) -> bool {
        // They start together, and end together with their runtime.
        self.tasks.len() == self.all.len() && self.tasks.last().is_none_or(|task| !task.is_finished())
    }
}

impl Sources {
    /// Sources that have not started, for a registry of so many searches.
    pub(crate) fn new(all: Vec<Arc<RegisteredSource>>, scopes: usize) -> Self {
        let listed = Arc::new(Listed::of_none(all.len(), scopes));
        let state = RwLock::new(State { all, listed, ..State::default() });
        Self { state, changes: watch::Sender::new(()) }
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        // No user code runs under this lock, so a poisoned state is whole.
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts those that do not run, side by side. Outside of a runtime nothing starts; the next turn tries again.
    pub(crate) fn start(self: &Arc<Self>, registry: &Arc<RegistryInner>) {
        {
            let state = self.read();
            if state.phase == Phase::Closed || state.is_running() {
                return;
            }
        }
        let Ok(runtime) = Handle::try_current() else { return };
        let mut state = self.write();
        if state.phase == Phase::Closed || state.is_running() {
            return;
        }
        if state.tasks.last().is_some_and(AbortHandle::is_finished) {
            state.tasks.clear();
        }
        let State { all, tasks, .. } = &mut *state;
        for source in all.iter().skip(tasks.len()) {
            let owner = Owner { registry: Arc::downgrade(registry), sources: Arc::downgrade(self) };
            tasks.push(runtime.spawn(run::run(Arc::clone(source), owner)).abort_handle());
        }
    }

    pub(crate) fn all(&self) -> Vec<Arc<RegisteredSource>> {
        self.read().all.clone()
    }

    /// The last version of the lists.
    pub(crate) fn listed(&self) -> Arc<Listed> {
        Arc::clone(&self.read().listed)
    }

    /// The last version of the lists, if it is not this one.
    pub(crate) fn other_than(&self, version: u64) -> Option<Arc<Listed>> {
        let state = self.read();
        (state.listed.version() != version).then(|| Arc::clone(&state.listed))
    }

    /// The last list of a source.
    fn list_of(&self, source: &RegisteredSource) -> Arc<SourceList> {
        let state = self.read();
        let at = state.all.iter().position(|known| std::ptr::eq(&raw const **known, source));
        at.map(|at| state.listed.list(at)).unwrap_or_default()
    }

    pub(crate) fn statuses(&self) -> Vec<SourceStatus> {
        self.read().all.iter().map(|source| source.status()).collect()
    }

    /// Namespace and state of the deferred sources of a search, of all without one, that are not ready.
    pub(crate) fn unready(&self, scope: Option<ScopeId>) -> Vec<(String, SourceState)> {
        let state = self.read();
        let searched = state.all.iter().filter(|source| source.is_searched_by(scope));
        searched
            .map(|source| (source.namespace.to_string(), source.state()))
            .filter(|(_, state)| *state != SourceState::Ready)
            .collect()
    }

    /// Replaces the list of one source.
    fn publish(&self, source: &Arc<RegisteredSource>, list: SourceList) {
        let before = {
            let mut state = self.write();
            let Some(at) = state.all.iter().position(|known| Arc::ptr_eq(known, source)) else { return };
            let listed = Arc::new(state.listed.with(at, Arc::new(list)));
            std::mem::replace(&mut state.listed, listed)
        };
        // Who finds a tool gone finds the new list too.
        self.listed().retire_what_is_gone(&before);
        self.tell();
    }

    fn tell(&self) {
        self.changes.send_replace(());
    }

    /// Waits at most so long until no source of a search is connecting.
    pub(crate) async fn connected(&self, scope: Option<ScopeId>, at_most: Duration) {
        self.wait(at_most, |source| source.is_searched_by(scope)).await;
    }

    /// Waits at most so long until no source is connecting.
    pub(crate) async fn settled(&self, at_most: Duration) {
        self.wait(at_most, |_| true).await;
    }

    async fn wait(&self, at_most: Duration, concerns: impl Fn(&RegisteredSource) -> bool + Send + Sync) {
        let is_connecting =
            |source: &Arc<RegisteredSource>| concerns(source) && source.state() == SourceState::Connecting;
        let mut changes = self.changes.subscribe();
        let settled = changes.wait_for(|()| !self.read().all.iter().any(is_connecting));
        let _ = within(at_most, settled).await;
    }

    /// Ends the tasks and closes every source, side by side.
    pub(crate) async fn close(&self) {
        let all = self.end();
        join_all(all.iter().map(|source| source.source.close())).await;
        for source in &all {
            source.set_state(SourceState::Failed { reason: "it was closed".to_owned() });
        }
        self.tell();
    }

    /// Ends the tasks, and gives the sources that are to be closed: none if they were before.
    fn end(&self) -> Vec<Arc<RegisteredSource>> {
        let mut state = self.write();
        state.tasks.iter().for_each(AbortHandle::abort);
        match std::mem::replace(&mut state.phase, Phase::Closed) {
            Phase::Open => state.all.clone(),
            Phase::Closed => Vec::new(),
        }
    }
}

impl Drop for Sources {
    fn drop(&mut self) {
        self.end();
    }
}

impl fmt::Debug for Sources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.read().all.iter().map(|source| &source.namespace)).finish()
    }
}
