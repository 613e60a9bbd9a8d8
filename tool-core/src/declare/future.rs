//! The two futures of a call that the expansion does not write itself.

use crate::{ToolError, ToolErrorKind, ToolFuture, ToolOutput};

/// A call that failed before it began.
#[cold]
pub fn failed(error: ToolError) -> ToolFuture<'static> {
    Box::pin(std::future::ready(Err(error)))
}

/// Runs a body that blocks on the blocking pool of the runtime. A panic of the body is a panic of this future, as it
/// is for an `async` body, so that there is one place that answers it. Dropping the future lets the body run to its end.
pub fn blocking(
    body: impl FnOnce() -> Result<ToolOutput, ToolError> + Send + 'static,
) -> ToolFuture<'static> {
    Box::pin(async move {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return Err(ToolError::new("a `blocking` tool was called outside of a tokio runtime")
                .for_model("This tool is not available right now."));
        };
        let span = tracing::Span::current();
        match runtime.spawn_blocking(move || span.in_scope(body)).await {
            Ok(result) => result,
            Err(stopped) if stopped.is_panic() => std::panic::resume_unwind(stopped.into_panic()),
            Err(_) => Err(ToolError::of_kind(ToolErrorKind::Cancelled, "the runtime is shutting down")),
        }
    })
}
