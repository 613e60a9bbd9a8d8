//! Code of the host and of tool authors that must not take its caller down: a panic is a value, and waiting has an end.
//!
//! Used for calls, approval policies, rankers and builders of groups alike, so that what one of them survives all do.

use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use futures_util::future::{self, Either};

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
/// What a panic carries.
pub(crate) type Panic = Box<dyn Any + Send>;

/// Makes a future and runs it. No panic of making, polling or dropping it leaves this one; `what` names it in the log.
pub(crate) async fn caught<'a, T>(
    what: &'a str,
    make: impl FnOnce() -> BoxFuture<'a, T>,
) -> Result<T, Panic> {
    let future = catch_unwind(AssertUnwindSafe(make))?;
    Guarded { what, future: Some(future) }.await
}

struct Guarded<'a, T> {
    what: &'a str,
    /// There until the drop.
    future: Option<BoxFuture<'a, T>>,
}

impl<T> Future for Guarded<'_, T> {
    type Output = Result<T, Panic>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(future) = &mut self.future else { return Poll::Pending };
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(task))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}

impl<T> Drop for Guarded<'_, T> {
    fn drop(&mut self) {
        let future = self.future.take();
        if catch_unwind(AssertUnwindSafe(|| drop(future))).is_err() {
            tracing::warn!(what = self.what, "panicked when it was dropped");
        }
    }
}

/// Waits at most `timeout`. The timer is armed only if the future is not ready at once.
///
/// Where no tokio timer is there, nothing can be timed: it waits as long as it takes.
pub(crate) async fn within<F: Future>(timeout: Duration, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    if let Poll::Ready(output) = poll_fn(|task| Poll::Ready(future.as_mut().poll(task))).await {
        return Some(output);
    }
    let Some(timer) = timer(timeout) else {
        tracing::warn!("there is no tokio timer here: a time-out of {timeout:?} does not hold");
        return Some(future.await);
    };
    match future::select(future, timer).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(_) => None,
    }
}

/// A timer, if the runtime has one. In a box, so that the future of a call without a time-out is small.
fn timer(timeout: Duration) -> Option<Pin<Box<tokio::time::Sleep>>> {
    // Whether a runtime has its timers enabled is told by a panic only.
    tokio::runtime::Handle::try_current().ok()?;
    catch_unwind(|| Box::pin(tokio::time::sleep(timeout))).ok()
}
