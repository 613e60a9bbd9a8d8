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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;

    #[test]
    fn without_a_runtime_a_blocking_tool_says_so() {
        let mut task = std::task::Context::from_waker(std::task::Waker::noop());
        let polled = blocking(|| Ok(ToolOutput::text("ran"))).as_mut().poll(&mut task);
        let std::task::Poll::Ready(Err(error)) = polled else { panic!("{polled:?}") };
        assert_eq!(error.to_string(), "a `blocking` tool was called outside of a tokio runtime");
    }

    #[tokio::test]
    async fn a_panic_of_the_body_is_a_panic_of_the_future() {
        assert_eq!(blocking(|| Ok(ToolOutput::text("ran"))).await.unwrap().to_text(), "ran");
        let panic = tokio::spawn(blocking(|| panic!("boom"))).await.unwrap_err().into_panic();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"boom"));
    }
}
