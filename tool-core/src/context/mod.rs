//! What a tool may reach while it runs: host values, its call, cancellation, session operations.

mod extract;
mod host_values;

use std::{
    any::{Any, TypeId},
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

pub use extract::{FromContext, Requirement, Requirements};
pub(crate) use host_values::HostValues;
use tokio_util::sync::CancellationToken;

use crate::{
    Arguments, CallResult, GroupOutcome, Registry, SessionOperations, ToolCall, ToolError, ToolName,
    ToolOutput, registry::Entry, session::SessionCore, turn::View,
};

/// What a tool may reach: host values, its call, cancellation. Owned; a clone is cheap.
pub struct ToolContext {
    inner: Arc<ContextInner>,
    /// A second handle for tools that ask for `&ToolContext` or `Arc<ToolContext>`, made when the first one does.
    shared: OnceLock<Arc<ToolContext>>,
}

/// Everything a context points at.
pub(crate) struct ContextInner {
    pub(crate) session: Arc<SessionCore>,
    pub(crate) call_id: String,
    pub(crate) tool: Option<Arc<Entry>>,
    pub(crate) deadline: Option<Instant>,
    /// What calls from inside the tool are judged by; the host's own calls have none.
    pub(crate) view: Option<Arc<View>>,
    pub(crate) operations: Option<SessionOperations>,
    /// The groups whose builds this context belongs to, innermost last.
    pub(crate) building: Vec<String>,
    /// How many calls from inside of tools lead here.
    pub(crate) depth: usize,
    cancelled: AtomicBool,
    token: OnceLock<CancellationToken>,
}

impl ContextInner {
    pub(crate) fn new(session: Arc<SessionCore>, call_id: String) -> Self {
        Self {
            session,
            call_id,
            tool: None,
            deadline: None,
            view: None,
            operations: None,
            building: Vec::new(),
            depth: 0,
            cancelled: AtomicBool::new(false),
            token: OnceLock::new(),
        }
    }

    /// Tells a tool that still runs (a blocking body, a spawned task) that nobody waits for it.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        if let Some(token) = self.token.get() {
            token.cancel();
        }
    }
}

impl ToolContext {
    pub(crate) fn new(inner: ContextInner) -> Self {
        Self::of(Arc::new(inner))
    }

    pub(crate) fn of(inner: Arc<ContextInner>) -> Self {
        Self { inner, shared: OnceLock::new() }
    }

    /// The provider's id of the call; empty outside of a call.
    pub fn call_id(&self) -> &str {
        &self.inner.call_id
    }

    /// The [id](crate::Session::id) of the session.
    pub fn session_id(&self) -> &str {
        self.inner.session.id()
    }

    /// The name under which the tool is registered; `None` outside of a call.
    pub fn tool_name(&self) -> Option<&ToolName> {
        self.inner.tool.as_ref().map(|entry| entry.name())
    }

    /// When the call passes its time-out, if it has one.
    pub fn deadline(&self) -> Option<Instant> {
        self.inner.deadline
    }

    /// Cancelled when nobody waits for the call any more; a blocking body should look at it.
    pub fn cancellation(&self) -> &CancellationToken {
        let token = self.inner.token.get_or_init(CancellationToken::new);
        if self.inner.cancelled.load(Ordering::SeqCst) {
            token.cancel();
        }
        token
    }

    /// The host value of type `T`: the session's, else the registry's. `T` may be `dyn Trait`.
    pub fn get<T: ?Sized + Send + Sync + 'static>(&self) -> Option<&Arc<T>> {
        if TypeId::of::<T>() == TypeId::of::<Self>() {
            let shared: &(dyn Any + Send + Sync) = self.shared.get_or_init(|| Arc::new(self.clone()));
            return shared.downcast_ref();
        }
        let session = &self.inner.session;
        session.values.get().or_else(|| session.registry.inner().values.get())
    }

    /// Search and reveal, for tools marked `discovery`; `None` for all others and outside of a batch.
    pub fn operations(&self) -> Option<&SessionOperations> {
        self.inner.operations.as_ref()
    }

    /// The values of a session over `registry` that is made from inside this call: those of this session, and those of
    /// its registry that the other one has not.
    pub(crate) fn inherited_by(&self, registry: &Registry) -> HostValues {
        let session = &self.inner.session;
        let mut values = session.registry.inner().values.without(&registry.inner().values);
        values.extend(&session.values);
        values
    }

    pub(crate) fn required_operations(&self) -> Result<&SessionOperations, ToolError> {
        self.operations().ok_or_else(|| ToolError::new("a discovery tool works inside a batch of calls only"))
    }

    /// Loads a group from inside the builder of another: waits for its tools, which become visible together with those
    /// of the group that is being built. A build that would wait for itself is an error. Elsewhere, discovery tools load
    /// groups through [`operations`](Self::operations), and hosts through `session.load_group`.
    pub async fn load_group(&self, name: &str) -> GroupOutcome {
        if self.inner.building.is_empty() {
            return GroupOutcome::Failed {
                error: "only the builder of a group loads another one this way".to_owned(),
            };
        }
        crate::session::load_from_builder(&self.inner, name).await
    }

    /// Calls another tool, judged like the model's own calls: what is not in the turn's list is refused.
    /// Discovery tools cannot be called from inside a tool, and calls are at most 16 deep in each other.
    ///
    /// # Errors
    /// As the model would read it: refused, undecodable, failed, too deep.
    pub async fn call(&self, name: &str, arguments: impl Into<Arguments>) -> Result<ToolOutput, ToolError> {
        let call = ToolCall::new(self.call_id(), name, arguments);
        crate::turn::call_from_inside(&self.inner, call).await.and_then(CallResult::into_result)
    }
}

impl Clone for ToolContext {
    fn clone(&self) -> Self {
        Self::of(Arc::clone(&self.inner))
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("call_id", &self.inner.call_id)
            .field("tool", &self.tool_name())
            .finish_non_exhaustive()
    }
}
