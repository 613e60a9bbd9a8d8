//! What one run knows of the runs that it starts: which types there are, how many may still be started, what they spent.
//!
//! It is a host value of the session of the run. Each run has its own, linked to that of the run that started it: a limit
//! holds for all that is below it, and tokens count for all that is above.

use std::{
    iter::successors,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::SubAgentType;
use crate::agent::{AgentEvent, RunLimits, Usage};

/// Takes the events of a sub-agent.
pub(in crate::agent) type Observer = Arc<dyn Fn(AgentEvent) + Send + Sync>;

/// One run in the tree of runs.
pub(in crate::agent) struct Spawning {
    /// All types of the agent.
    types: Arc<[SubAgentType]>,
    /// Those that this run may start, by their places.
    offered: Vec<usize>,
    limits: RunLimits,
    /// How many levels of runs there may still be below this one.
    depth: usize,
    spent: Mutex<Spent>,
    parent: Option<Arc<Spawning>>,
    pub(super) observer: Option<Observer>,
}

/// Of all runs below one.
#[derive(Default)]
struct Spent {
    spawned: usize,
    usage: Usage,
}

impl Spawning {
    /// For a run that a host starts.
    pub(in crate::agent) fn root(
        types: &Arc<[SubAgentType]>,
        limits: RunLimits,
        observer: Option<Observer>,
    ) -> Arc<Self> {
        Arc::new(Self {
            types: Arc::clone(types),
            offered: (0..types.len()).collect(),
            limits,
            depth: limits.depth,
            spent: Mutex::default(),
            parent: None,
            observer,
        })
    }

    /// For a run of type `of` that this one starts.
    pub(super) fn below(self: &Arc<Self>, of: &SubAgentType, observer: Option<Observer>) -> Arc<Self> {
        let limits = of.agent.0.limits;
        Arc::new(Self {
            types: Arc::clone(&self.types),
            offered: of.spawns.clone(),
            limits,
            depth: limits.depth.min(self.depth.saturating_sub(1)),
            spent: Mutex::default(),
            parent: Some(Arc::clone(self)),
            observer,
        })
    }

    /// Whether somebody sees the events of this run.
    pub(in crate::agent) fn is_observed(&self) -> bool {
        self.observer.is_some()
    }

    /// Whether a run may start others at all.
    pub(super) fn may_spawn(&self) -> bool {
        self.depth > 0 && !self.offered.is_empty()
    }

    /// The types that this run may start.
    pub(super) fn offered(&self) -> impl Iterator<Item = &SubAgentType> {
        self.offered.iter().filter_map(|at| self.types.get(*at))
    }

    /// Counts one more run below this one and all above, or says which limit has no room for it.
    pub(super) fn claim(&self) -> Result<(), usize> {
        let levels = || successors(Some(self), |level| level.parent.as_deref());
        for (claimed, level) in levels().enumerate() {
            let mut spent = level.lock();
            if spent.spawned >= level.limits.spawns {
                drop(spent);
                levels().take(claimed).for_each(|level| level.lock().spawned -= 1);
                return Err(level.limits.spawns);
            }
            spent.spawned += 1;
        }
        Ok(())
    }

    /// Adds tokens of this run to all runs above.
    pub(in crate::agent) fn spend(&self, usage: Usage) {
        for level in successors(self.parent.as_deref(), |level| level.parent.as_deref()) {
            level.lock().usage += usage;
        }
    }

    /// Tokens of all runs below.
    pub(in crate::agent) fn spent(&self) -> Usage {
        self.lock().usage
    }

    fn lock(&self) -> MutexGuard<'_, Spent> {
        // No user code runs under this lock, so a poisoned state is whole.
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
