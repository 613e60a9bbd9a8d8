//! A run that is about to start: options are set on it, then it is awaited or streamed.

use std::{
    fmt,
    future::{Future, IntoFuture},
    pin::Pin,
};

use super::{
    Agent, AgentStream, RunError, RunOptions, RunResult,
    drive::{Drive, Target},
};

/// The future of a whole run. Dropping it ends the run; calls that were open are answered at the next use of the
/// conversation.
pub type RunFuture<'c> = Pin<Box<dyn Future<Output = Result<RunResult, RunError>> + Send + 'c>>;

/// A run that does nothing until it is awaited, or streamed with [`stream`](Self::stream).
///
/// `Err` is only a fault of the host ([`RunError`]); whatever the model or a tool does is a
/// [`StopReason`](super::StopReason).
#[must_use = "a run does nothing until it is awaited or streamed"]
pub struct Run<'c>(Drive<'c>);

impl<'c> Run<'c> {
    pub(super) fn new(agent: Agent, target: Target<'c>, input: Option<String>) -> Self {
        Self(Drive::new(agent, target, input))
    }

    /// Sets cancellation, limits, event sink and request hook.
    pub fn options(mut self, options: RunOptions) -> Self {
        self.0.set_options(options);
        self
    }

    /// The events of the run, pulled: nothing happens unless the stream is polled. Dropping it ends the run.
    pub fn stream(self) -> AgentStream<'c> {
        AgentStream::new(self.0)
    }
}

impl<'c> IntoFuture for Run<'c> {
    type Output = Result<RunResult, RunError>;
    type IntoFuture = RunFuture<'c>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.0.finish())
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Run").field(&self.0).finish()
    }
}
