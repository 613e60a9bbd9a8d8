//! Builds of lazy groups: one per session and group, shared by all that wait for it.
//!
//! A build runs on a task of its own, so a caller that goes away leaves it running and the next load joins it. One that
//! failed, panicked, passed its time-out, or lost its runtime is forgotten: the next load starts a new one.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{runtime::Handle, sync::watch, task::AbortHandle};

use super::{SessionCore, groups};
use crate::{
    SkippedTool, Tool, ToolContext,
    group::GroupBuilder,
    guard::{caught, within},
    registry::{Entry, Group},
};

/// What a build made: tools as the session holds them, and those that cannot work.
#[derive(Default)]
pub(crate) struct Built {
    pub(crate) entries: Vec<Arc<Entry>>,
    pub(crate) skipped: Vec<SkippedTool>,
}

type Outcome = Result<Arc<Built>, String>;

/// The builds of one session.
#[derive(Default)]
pub(crate) struct Builds(Mutex<State>);

#[derive(Default)]
struct State {
    running: HashMap<String, Build>,
    /// Which build waits for which: never a circle.
    waits: HashMap<String, String>,
    /// Groups that the builder of a group loaded.
    with: HashMap<String, Vec<String>>,
}

struct Build {
    outcome: watch::Receiver<Option<Outcome>>,
    task: AbortHandle,
}

impl Build {
    /// Whether a load may join: it runs, or it has succeeded.
    fn is_of_use(&self) -> bool {
        match &*self.outcome.borrow() {
            Some(outcome) => outcome.is_ok(),
            None => !self.task.is_finished(),
        }
    }
}

impl Builds {
    fn lock(&self) -> MutexGuard<'_, State> {
        // No user code runs under this lock, so a poisoned state is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the build of a group, unless one runs or has succeeded. `chain` are the builds that this one is part of.
    pub(crate) fn start(
        &self,
        core: &Arc<SessionCore>,
        group: &Group,
        builder: &GroupBuilder,
        chain: &[String],
    ) -> Result<watch::Receiver<Option<Outcome>>, String> {
        let name = group.name.as_ref();
        let mut state = self.lock();
        if let Some(build) = state.running.get(name).filter(|build| build.is_of_use()) {
            return Ok(build.outcome.clone());
        }
        let runtime =
            Handle::try_current().map_err(|_| "a group is loaded inside a tokio runtime only".to_owned())?;
        let (sender, outcome) = watch::channel(None);
        let (core, builder, timeout) = (Arc::clone(core), Arc::clone(builder), group.timeout);
        let (context, late) = (groups::building_context(&core, chain, name), groups::late_tools_of(group));
        let label = name.to_owned();
        state.with.remove(name);
        let task = runtime.spawn(async move {
            let make = |tools| {
                let (entries, skipped) = groups::late_entries(&core, tools, &late);
                Built { entries, skipped }
            };
            let built = guarded(&builder, context, timeout, make).await;
            if let Err(error) = &built {
                tracing::warn!(group = %label, %error, "a tool group could not be built");
                groups::tell_failure(&core, &label, error);
            }
            sender.send_replace(Some(built));
        });
        state.running.insert(name.to_owned(), Build { outcome: outcome.clone(), task: task.abort_handle() });
        Ok(outcome)
    }

    /// The groups that the builder of a group loaded.
    pub(crate) fn loaded_with(&self, group: &str) -> Vec<String> {
        self.lock().with.get(group).cloned().unwrap_or_default()
    }

    /// Waits for a build, for the builder of `waiting` or for nobody in particular. The build itself tells the host why
    /// it failed, unless it is gone with its runtime.
    pub(crate) async fn wait(
        &self,
        core: &SessionCore,
        waiting: Option<&str>,
        group: &str,
        mut outcome: watch::Receiver<Option<Outcome>>,
    ) -> Outcome {
        let _edge = match waiting {
            Some(waiting) => Some(self.waits_for(waiting, group)?),
            None => None,
        };
        if let Ok(outcome) = outcome.wait_for(Option::is_some).await
            && let Some(outcome) = &*outcome
        {
            return outcome.clone();
        }
        let error = "the runtime that built it is gone".to_owned();
        groups::tell_failure(core, group, &error);
        Err(error)
    }

    /// Notes that the builder of `waiting` waits for `group`, unless that closes a circle.
    fn waits_for(&self, waiting: &str, group: &str) -> Result<Edge<'_>, String> {
        let mut state = self.lock();
        let mut at = group;
        let mut way = vec![waiting, group];
        while at != waiting {
            let Some(next) = state.waits.get(at) else { break };
            at = next;
            way.push(next);
        }
        if at == waiting {
            return Err(format!("the build would wait for itself: {}", way.join(" → ")));
        }
        state.waits.insert(waiting.to_owned(), group.to_owned());
        Ok(Edge { builds: self, waiting: waiting.to_owned() })
    }

    /// Remembers that the builder of `of` loaded `group`: never a circle, which a context that is kept after its build
    /// could close.
    pub(crate) fn loaded_by(&self, of: &str, group: &str) {
        let mut state = self.lock();
        let mut reached = vec![group];
        let mut at = 0;
        while let Some(next) = reached.get(at) {
            if *next == of {
                return;
            }
            for more in state.with.get(*next).into_iter().flatten() {
                if !reached.contains(&more.as_str()) {
                    reached.push(more);
                }
            }
            at += 1;
        }
        let with = state.with.entry(of.to_owned()).or_default();
        if !with.iter().any(|known| known == group) {
            with.push(group.to_owned());
        }
    }

    /// Ends all builds: the session is gone.
    pub(crate) fn abort(&self) {
        for build in self.lock().running.values() {
            build.task.abort();
        }
    }
}

struct Edge<'a> {
    builds: &'a Builds,
    waiting: String,
}

impl Drop for Edge<'_> {
    fn drop(&mut self) {
        self.builds.lock().waits.remove(&self.waiting);
    }
}

/// Runs a builder, and asks what its tools are, within its time-out: both are code of their author, so a panic of either
/// is an error.
async fn guarded(
    builder: &GroupBuilder,
    context: ToolContext,
    timeout: std::time::Duration,
    make: impl FnOnce(Vec<Arc<dyn Tool>>) -> Built + Send,
) -> Outcome {
    let built = caught("the builder of a group", || {
        let building = builder(context);
        Box::pin(async move { building.await.map(make) })
    });
    match within(timeout, built).await {
        Some(Ok(Ok(built))) => Ok(Arc::new(built)),
        Some(Ok(Err(error))) => Err(error.to_string()),
        Some(Err(_)) => Err("the builder panicked".to_owned()),
        None => Err(format!("the build took more than {timeout:?}")),
    }
}

impl std::fmt::Debug for Builds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Builds")
    }
}
