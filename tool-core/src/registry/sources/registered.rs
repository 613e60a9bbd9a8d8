//! One source as a registry or a session holds it.

use std::{
    borrow::Cow,
    collections::HashSet,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{Entry, HeldSource, ScopeId};
use crate::{
    Loading, RejectedTool, SourceSettings, SourceState, SourceStatus, Toolset, budget::Budget,
    policy::Policy, registry::Place,
};

/// A source with what its toolset says of its tools.
pub(crate) struct RegisteredSource {
    pub(crate) namespace: Cow<'static, str>,
    /// Never empty; no tool of another source has a name that begins with it and `_`.
    pub(crate) prefix: Cow<'static, str>,
    /// Where its tools stand.
    pub(crate) place: Place,
    /// The search that covers them.
    pub(crate) scope: Option<ScopeId>,
    pub(crate) budget: Option<Arc<Budget>>,
    /// Of its toolset.
    pub(crate) policy: Policy,
    pub(crate) settings: SourceSettings,
    pub(crate) source: Arc<HeldSource>,
    status: Status,
}

/// How a source is.
struct Status(Mutex<SourceStatus>);

impl Status {
    fn new(namespace: &str) -> Self {
        Self(Mutex::new(SourceStatus {
            namespace: namespace.to_owned(),
            state: SourceState::Connecting,
            listed: 0,
            accepted: Vec::new(),
            denied: 0,
            rejected: Vec::new(),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, SourceStatus> {
        // No user code runs under this lock, so a poisoned state is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a new list changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Some,
    None,
}

impl RegisteredSource {
    /// The source of a toolset, if it has one. `eager` is where its tools stand if they are not deferred.
    pub(crate) fn of(mut toolset: Toolset, eager: Place, scope: Option<ScopeId>) -> Option<Self> {
        let prefix = toolset.effective_prefix().cloned()?;
        let declared = toolset.sources.pop()?;
        declared.source.set_close_timeout(toolset.source_settings.close_timeout);
        let place = match declared.loading {
            Loading::Deferred => Place::Deferred,
            Loading::Eager => eager,
        };
        Some(Self {
            status: Status::new(&toolset.namespace),
            namespace: toolset.namespace,
            prefix,
            place,
            scope: scope.filter(|_| place == Place::Deferred),
            budget: toolset.budget.filter(|_| place == Place::Deferred).map(Arc::new),
            policy: toolset.policy,
            settings: toolset.source_settings,
            source: declared.source,
        })
    }

    pub(crate) fn status(&self) -> SourceStatus {
        self.status.lock().clone()
    }

    pub(crate) fn state(&self) -> SourceState {
        self.status.lock().state.clone()
    }

    /// Whether it has listed its tools at least once.
    pub(crate) fn has_listed(&self) -> bool {
        let status = self.status.lock();
        status.state == SourceState::Ready || status.listed > 0
    }

    /// Whether a search covers its tools; without one, whether any does.
    pub(crate) fn is_searched_by(&self, scope: Option<ScopeId>) -> bool {
        self.place == Place::Deferred && (scope.is_none() || self.scope == scope)
    }

    pub(super) fn set_state(&self, state: SourceState) -> Change {
        let mut status = self.status.lock();
        if status.state == state {
            return Change::None;
        }
        status.state = state;
        Change::Some
    }

    /// Notes a list; gives the rejected tools that were not rejected for the same reason before.
    pub(super) fn note_list(
        &self,
        listed: usize,
        entries: &[Arc<Entry>],
        denied: usize,
        rejected: Vec<RejectedTool>,
    ) -> Vec<RejectedTool> {
        let mut status = self.status.lock();
        // Not each against each: a hostile list may have any number of them.
        let known: HashSet<(&str, &str)> = status.rejected.iter().map(named).collect();
        let news = rejected.iter().filter(|rejected| !known.contains(&named(rejected))).cloned().collect();
        (status.listed, status.denied, status.rejected) = (listed, denied, rejected);
        status.accepted = entries.iter().map(|entry| entry.name().clone()).collect();
        news
    }
}

fn named(rejected: &RejectedTool) -> (&str, &str) {
    (&rejected.name, &rejected.reason)
}

impl fmt::Debug for RegisteredSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegisteredSource").field("namespace", &self.namespace).finish_non_exhaustive()
    }
}
