//! The events of a run as a pull-driven stream.

use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use futures_util::{Stream, StreamExt, stream};

use super::{AgentEvent, RunError, drive::Drive};

/// The events of a run. Nothing happens unless it is polled; dropping it ends the run where it is.
///
/// The last item is [`AgentEvent::Finished`] or an error.
pub struct AgentStream<'c>(Pin<Box<dyn Stream<Item = Result<AgentEvent, RunError>> + Send + 'c>>);

impl<'c> AgentStream<'c> {
    pub(super) fn new(drive: Drive<'c>) -> Self {
        let events = stream::unfold(Some(drive.observed()), async |drive| {
            let mut drive = drive?;
            match drive.next_event().await {
                Ok(AgentEvent::Finished(mut result)) => {
                    result.conversation = drive.into_conversation();
                    Some((Ok(AgentEvent::Finished(result)), None))
                }
                Ok(event) => Some((Ok(event), Some(drive))),
                Err(error) => Some((Err(error), None)),
            }
        });
        Self(Box::pin(events.fuse()))
    }

    /// The next event; `None` after the last one. The same as `StreamExt::next`, without the import.
    pub async fn next(&mut self) -> Option<Result<AgentEvent, RunError>> {
        poll_fn(|context| self.0.as_mut().poll_next(context)).await
    }
}

impl Stream for AgentStream<'_> {
    type Item = Result<AgentEvent, RunError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl fmt::Debug for AgentStream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AgentStream(..)")
    }
}
