//! All mutable state of one conversation.
//!
//! Nothing of a run is kept anywhere else: no global, thread-local or task-local state. Locks are held for the length
//! of a list update, never across a call or user code.

mod operations;
mod state;

use std::sync::Arc;

pub use operations::{RevealOutcome, SessionOperations};
pub(crate) use state::SharedState;

use crate::{
    Arguments, Registry, SessionEvent, ToolCall, ToolError, ToolName, ToolOutput, Turn, context::HostValues,
    turn,
};

/// One conversation over a registry: what was revealed, in which order, and the host values that belong to it.
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
}

impl Session {
    pub(crate) fn new(registry: Registry) -> Self {
        let (values, state) = (HostValues::default(), Arc::default());
        Self { core: Arc::new(SessionCore { registry, values, state }) }
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

    /// The registry of this session.
    pub fn registry(&self) -> &Registry {
        &self.core.registry
    }

    /// What the model may see and call in its next request.
    ///
    /// # Errors
    /// [`TurnError`] where the host has not done its part: a declared host value is missing.
    #[allow(clippy::unused_async, reason = "sources and open calls are waited for here")]
    pub async fn turn(&self) -> Result<Turn, TurnError> {
        let declared = &self.core.registry.inner().session_values;
        if let Some(missing) = declared.iter().find(|value| !self.core.values.contains(value.id)) {
            return Err(TurnError::MissingHostValue { type_name: missing.name });
        }
        Ok(Turn::new(Arc::clone(&self.core)))
    }

    /// The revealed tools, in reveal order.
    pub fn revealed(&self) -> Vec<ToolName> {
        let registry = &self.core.registry;
        self.core
            .state
            .revealed()
            .into_iter()
            .map(|id| registry.entry(id).definition.name().clone())
            .collect()
    }

    /// Reveals a deferred tool for the host: it is in the list from the next turn.
    pub fn reveal(&self, name: &str) -> RevealOutcome {
        let operations = SessionOperations::new(Arc::clone(&self.core));
        let outcome = operations.reveal(name);
        operations.commit();
        outcome
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

impl SessionCore {
    pub(crate) fn emit(&self, event: impl FnOnce() -> SessionEvent) {
        self.registry.inner().events.emit(event);
    }
}
