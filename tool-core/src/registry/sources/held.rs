//! A source in the hands of its registry, and of the registries that are made of that one for sub-agents.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::runtime::Handle;

use crate::{
    SourceSettings, ToolSource,
    guard::{caught, within},
};

/// Closes its source once: when somebody asks, or when nobody has it any more.
pub(crate) struct HeldSource {
    source: Arc<dyn ToolSource>,
    closed: AtomicBool,
    close_timeout: OnceLock<Duration>,
}

impl HeldSource {
    pub(crate) fn new(source: impl ToolSource) -> Arc<Self> {
        let source = Arc::new(source);
        Arc::new(Self { source, closed: AtomicBool::new(false), close_timeout: OnceLock::new() })
    }

    pub(super) fn set_close_timeout(&self, timeout: Duration) {
        self.close_timeout.get_or_init(|| timeout);
    }

    pub(super) fn source(&self) -> &dyn ToolSource {
        &*self.source
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(super) async fn close(&self) {
        if let Some(closing) = self.closing() {
            closing.await;
        }
    }

    /// The closing, for the first who asks.
    fn closing(&self) -> Option<impl Future<Output = ()> + Send + use<>> {
        if self.closed.swap(true, Ordering::AcqRel) {
            return None;
        }
        let limit = self.close_timeout.get().copied().unwrap_or(SourceSettings::default().close_timeout);
        let source = Arc::clone(&self.source);
        Some(async move {
            let closed = within(limit, caught("the closing of a tool source", || source.close())).await;
            match closed {
                Some(Ok(())) => {}
                Some(Err(_)) => tracing::warn!("a tool source panicked when it was closed"),
                None => tracing::warn!("closing a tool source took more than {limit:?}"),
            }
        })
    }
}

/// In the background, where there is a runtime.
impl Drop for HeldSource {
    fn drop(&mut self) {
        if let (Ok(runtime), Some(closing)) = (Handle::try_current(), self.closing()) {
            runtime.spawn(closing);
        }
    }
}
