//! All mutable state of one conversation.
//!
//! Nothing of a run is kept anywhere else: no global, thread-local or task-local state. Locks are held for the length
//! of a list update, never across a call or user code.

mod bound;
mod builds;
mod change;
mod decide;
mod finishing;
mod groups;
mod import;
mod late;
mod open_calls;
mod operations;
mod progress;
mod resume;
mod reveals;
mod save;
mod snapshot;
mod sources;
mod state;

use std::sync::Arc;

pub(crate) use change::Change;
pub(crate) use finishing::{Begun, Standing};
pub(crate) use groups::{load_from_builder, start as start_group, states as group_states};
pub use import::ImportReport;
pub use late::Added;
pub use open_calls::DecideError;
pub(crate) use open_calls::{OpenCalls, WaitingCall};
pub(crate) use operations::BatchOperations;
pub use operations::{RevealOutcome, SessionOperations};
pub use progress::TurnStop;
pub(crate) use progress::{CircleStage, TurnKind};
pub use resume::ResumeReport;
pub(crate) use reveals::{Applied, Operation, Reveals};
pub use save::{OpenError, SaveError, SaveReport};
pub use snapshot::{ResumeError, SessionSnapshot};
pub(crate) use state::SharedState;

use crate::{
    Arguments, CallResult, EventContext, GroupOutcome, Registry, SessionEvent, ToolCall, ToolDefinition,
    ToolError, ToolName, ToolOutput, Turn, context::HostValues, turn,
};

/// One conversation over a registry: what was revealed, in which order, and the host values that belong to it.
///
/// Dropping it ends the builds of its groups.
///
/// # Examples
/// ```
/// use tool_core::{FunctionTool, Registry, ToolContext};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let echo = FunctionTool::builder("echo", "Say it again.").handler(async |_: (), _: ToolContext| "hi");
/// let registry = Registry::builder().tool(echo).build()?;
///
/// let session = registry.session();
/// let turn = session.turn().await?;
/// assert_eq!(turn.tools().next().unwrap().name().as_str(), "echo");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Session {
    core: Arc<SessionCore>,
}

/// What turns, contexts and batches of a session share.
#[derive(Debug, Clone)]
pub(crate) struct SessionCore {
    pub(crate) registry: Registry,
    pub(crate) values: HostValues,
    /// The id that the host gave, if only as the key in a store.
    pub(crate) id: Option<Arc<str>>,
    pub(crate) state: Arc<SharedState>,
}

/// Why there is no turn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// A host value that the registry declared with `session_state` was not given.
    #[error("the session has no host value of type `{type_name}`; call `registry.session().with(value)`")]
    MissingHostValue {
        /// The declared type.
        type_name: &'static str,
    },
    /// Calls of a suspended batch wait for `decide` and `finish`.
    #[error("calls are open: {}; call `decide` for each, then `finish`", call_ids.join(", "))]
    OpenCalls {
        /// Their ids.
        call_ids: Vec<String>,
    },
}

impl Session {
    pub(crate) fn new(registry: Registry) -> Self {
        let (values, state) = (HostValues::default(), Arc::default());
        Self { core: Arc::new(SessionCore { registry, values, id: None, state }) }
    }

    /// Gives the session an id of the host's, such as that of its conversation: events carry it, and spans have it as
    /// `gen_ai.conversation.id`. Not in a snapshot: give it again after a resume.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<Arc<str>>) -> Self {
        Arc::make_mut(&mut self.core).id = Some(id.into());
        self
    }

    /// The id that was given, else the key that the session was opened under, else a random one that stays the same as
    /// long as the session lives.
    pub fn id(&self) -> &str {
        self.core.id()
    }

    /// Gives the session a host value: it is found before one of the same type in the registry. Turns that were made
    /// before keep the values they had.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(self, value: T) -> Self {
        self.with_arc(Arc::new(value))
    }

    /// As [`with`](Self::with), for a value that is shared already; `T` may be `dyn Trait`.
    #[must_use]
    pub fn with_arc<T: ?Sized + Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        Arc::make_mut(&mut self.core).values.insert(value);
        self
    }

    /// Gives the session the values of the one that it is made in.
    pub(crate) fn inheriting(mut self, values: HostValues) -> Self {
        Arc::make_mut(&mut self.core).values = values;
        self
    }

    /// As [`with_arc`](Self::with_arc), for the library's own values.
    pub(crate) fn set_value<T: Send + Sync + 'static>(&mut self, value: Arc<T>) {
        Arc::make_mut(&mut self.core).values.insert(value);
    }

    pub(crate) fn core(&self) -> &SessionCore {
        &self.core
    }

    /// The registry of this session.
    pub fn registry(&self) -> &Registry {
        &self.core.registry
    }

    /// What the model may see and call in its next request. Starts the sources, if they have not been; never waits for one.
    ///
    /// # Errors
    /// [`TurnError`] where the host has not done its part: a declared host value is missing, or calls are open.
    #[allow(clippy::unused_async, reason = "it needs the runtime that starts the sources")]
    pub async fn turn(&self) -> Result<Turn, TurnError> {
        self.core.ready()?;
        self.core.start_sources();
        self.core.sync();
        Ok(Turn::new(Arc::clone(&self.core)))
    }

    /// As [`turn`](Self::turn), without one.
    pub(crate) fn is_ready(&self) -> Result<(), TurnError> {
        self.core.ready()
    }

    /// The results of the batch that [`finish`](Self::finish) ended since the last turn, once: they belong into the
    /// messages, whoever called it.
    pub(crate) fn take_finished(&self) -> Vec<CallResult> {
        self.core.state.take_finished()
    }

    /// Tells that what comes is new input: turns before it are not counted with those after it.
    pub(crate) fn begin_input(&self) {
        self.core.state.with_progress(|progress, _| progress.restart());
    }

    /// What the next turn will list, without beginning it.
    pub fn tools(&self) -> Vec<ToolDefinition> {
        turn::View::current(&self.core).listed().iter().map(|entry| entry.definition.clone()).collect()
    }

    /// The revealed tools that exist, in reveal order.
    pub fn revealed(&self) -> Vec<ToolName> {
        let reveals = self.core.state.reveals();
        reveals.entries(&self.core.registry).map(|entry| entry.name().clone()).collect()
    }

    /// The groups that were loaded, in load order.
    pub fn loaded_groups(&self) -> Vec<String> {
        self.core.state.reveals().groups().to_vec()
    }

    /// Reveals a deferred tool for the host: it is in the list from the next turn.
    pub fn reveal(&self, name: &str) -> RevealOutcome {
        let operations = BatchOperations::begin(&self.core);
        let outcome = operations.reveal(name);
        operations.commit();
        outcome
    }

    /// Takes a revealed tool out of the list for the host, from the next turn; says whether it was there.
    pub fn unload(&self, name: &str) -> bool {
        let operations = BatchOperations::begin(&self.core);
        let unloaded = operations.unload(name);
        operations.commit();
        unloaded
    }

    /// Loads a group for the host: no approval, the same build as the model's.
    pub async fn load_group(&self, name: &str) -> GroupOutcome {
        let core = &self.core;
        match groups::load(core, &core.state.reveals(), &[], name).await {
            // Judged by what is committed: another load may have ended meanwhile.
            Ok(operation) => match core.commit([Change::Operation(operation.clone())]).pop() {
                Some(applied) => {
                    let outcome = Reveals::outcome(&operation, &applied);
                    BatchOperations::begin(core).without_unlisted(outcome)
                }
                None => GroupOutcome::NotFound,
            },
            Err(outcome) => outcome,
        }
    }

    /// Calls a tool for the host: any tool that is not denied, whether or not the model can see it.
    ///
    /// Decoding, time-outs and `enabled` hold; there is no gate and no approval.
    ///
    /// # Errors
    /// As the model would read it; an unknown name is an error of kind `Failed`.
    pub async fn call(&self, name: &str, arguments: impl Into<Arguments>) -> Result<ToolOutput, ToolError> {
        turn::call_for_host(&self.core, ToolCall::new("", name, arguments)).await
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.core.state.builds().abort();
    }
}

impl SessionCore {
    pub(crate) fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_else(|| self.state.made_id())
    }

    /// The id that the host gave; a made one says nothing outside of this process.
    pub(crate) fn given_id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    pub(crate) fn emit(&self, event: impl FnOnce() -> SessionEvent) {
        let registry = self.registry.inner();
        let context = || EventContext::new(Some((self.id(), &self.values)), &registry.values);
        registry.events.emit(event, context);
    }

    fn ready(&self) -> Result<(), TurnError> {
        let declared = &self.registry.inner().session_values;
        if let Some(missing) = declared.iter().find(|value| !self.values.contains(value.id)) {
            return Err(TurnError::MissingHostValue { type_name: missing.name });
        }
        match self.state.open_calls() {
            Some(call_ids) => Err(TurnError::OpenCalls { call_ids }),
            None => Ok(()),
        }
    }

    /// Keeps a batch until the host has decided; `false` if another one waits.
    pub(crate) fn suspend(&self, open: OpenCalls) -> bool {
        self.state.suspend(&self.registry, open)
    }

    /// Applies changes for good, and tells the host.
    pub(crate) fn commit(&self, changes: impl IntoIterator<Item = Change>) -> Vec<Applied> {
        let changes: Vec<Change> = changes.into_iter().collect();
        if changes.is_empty() {
            return Vec::new();
        }
        self.sync();
        let all = self.state.apply(&self.registry, changes);
        self.tell(&all);
        all
    }

    fn tell(&self, all: &[Applied]) {
        for applied in all {
            for group in &applied.groups {
                self.emit(|| SessionEvent::GroupLoaded { group: group.clone() });
            }
            for tool in &applied.revealed {
                self.emit(|| SessionEvent::Revealed { tool: tool.clone() });
            }
            for tool in &applied.vanished {
                self.emit(|| SessionEvent::Vanished { tool: tool.clone() });
            }
            for tool in &applied.unloaded {
                self.emit(|| SessionEvent::Unloaded { tool: tool.clone() });
            }
            for tool in &applied.returned {
                self.emit(|| SessionEvent::Returned { tool: tool.clone() });
            }
            for tool in &applied.changed {
                self.emit(|| SessionEvent::Changed { tool: tool.clone() });
            }
            for (tool, limit) in &applied.over {
                self.emit(|| SessionEvent::OverBudget { tool: tool.clone(), limit: *limit });
            }
        }
    }
}
