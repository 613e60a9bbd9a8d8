//! What a tool may reach while it runs: host values, call id, cancellation, deadline.

mod extract;
mod host_values;

use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
};

pub use extract::{FromContext, Requirement, Requirements};
pub(crate) use host_values::HostValues;
use tokio_util::sync::CancellationToken;

use crate::ToolName;

/// What a tool may reach: host values, the call's id, cancellation. Owned; a clone is cheap.
pub struct ToolContext {
    inner: Arc<ContextInner>,
    /// A second handle for tools that ask for `&ToolContext` or `Arc<ToolContext>`, made when the first one does.
    shared: OnceLock<Arc<ToolContext>>,
}

/// Everything a context points at.
pub(crate) struct ContextInner {
    pub(crate) session_values: Arc<HostValues>,
    pub(crate) registry_values: Arc<HostValues>,
    pub(crate) call_id: String,
    pub(crate) tool: Option<ToolName>,
    pub(crate) cancellation: OnceLock<CancellationToken>,
}

impl ToolContext {
    pub(crate) fn new(inner: ContextInner) -> Self {
        Self { inner: Arc::new(inner), shared: OnceLock::new() }
    }

    /// The provider's id of the call; empty outside of a call.
    pub fn call_id(&self) -> &str {
        &self.inner.call_id
    }

    /// The name under which the model called the tool.
    pub fn tool_name(&self) -> Option<&ToolName> {
        self.inner.tool.as_ref()
    }

    /// Cancelled when the call's future is dropped or its run is cancelled; a blocking body should look at it.
    pub fn cancellation(&self) -> &CancellationToken {
        self.inner.cancellation.get_or_init(CancellationToken::new)
    }

    /// The host value of type `T`: the session's, else the registry's. `T` may be `dyn Trait`.
    pub fn get<T: ?Sized + Send + Sync + 'static>(&self) -> Option<&Arc<T>> {
        if std::any::TypeId::of::<T>() == std::any::TypeId::of::<Self>() {
            let shared: &(dyn Any + Send + Sync) = self.shared.get_or_init(|| Arc::new(self.clone()));
            return shared.downcast_ref();
        }
        self.inner.session_values.get().or_else(|| self.inner.registry_values.get())
    }
}

impl Clone for ToolContext {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner), shared: OnceLock::new() }
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("call_id", &self.inner.call_id)
            .field("tool", &self.inner.tool)
            .finish_non_exhaustive()
    }
}
