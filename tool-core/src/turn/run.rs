//! Runs one call that is allowed: context, panic, time-out, size of the result, events.

use std::{
    any::Any,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use super::{
    View, approve,
    batch::Allowed,
    gate::{self, Verdict},
};
use crate::{
    CallOutcome, CallResult, ContentPart, SessionEvent, SessionOperations, ToolCall, ToolContext, ToolError,
    ToolErrorKind, ToolKind, ToolName, ToolOutput,
    context::ContextInner,
    discovery,
    registry::{Entry, Place},
    session::SessionCore,
    text,
};

/// Longest result that a model reads, in bytes of text.
const MAX_RESULT: usize = 64 * 1024;
/// Longest panic message that a host reads, in bytes.
const MAX_PANIC: usize = 500;

/// Runs a call of a batch.
pub(super) async fn in_turn(
    core: &Arc<SessionCore>,
    view: &Arc<View>,
    operations: Option<SessionOperations>,
    entry: &Entry,
    call: ToolCall,
) -> CallResult {
    let mut inner = ContextInner::new(Arc::clone(core), call);
    inner.view = Some(Arc::clone(view));
    inner.operations = operations;
    run(entry, inner).await
}

/// Runs a call that a tool makes: judged by the list of its own turn. Host calls have no list: all but denied tools run.
pub(crate) async fn call_from_inside(outer: &ContextInner, call: ToolCall) -> Result<CallResult, ToolError> {
    let core = &outer.session;
    let Some(view) = &outer.view else {
        let (id, name) = (call.id.clone(), call.name.clone());
        let output = Box::pin(call_for_host(core, call)).await?;
        return Ok(CallResult::new(id, name, CallOutcome::Succeeded(output)));
    };
    let (call, verdict) = gate::judge(core, view, call);
    match verdict {
        Verdict::Refused(text) => Ok(CallResult::new(call.id, call.name, CallOutcome::Refused(text))),
        Verdict::Invalid(error) => Err(error),
        Verdict::Allowed(entry) if entry.options.kind == ToolKind::Discovery => {
            let message = format!("Tool '{}' cannot be called from inside a tool.", text::echo(&call.name));
            Err(ToolError::new(message))
        }
        Verdict::Allowed(entry) => {
            let mut results = vec![None];
            let allowed = vec![Allowed { index: 0, entry, call }];
            let approved = Box::pin(approve::all(core, view, allowed, &mut results)).await;
            if let Some(waiting) = approved.waiting.into_iter().next() {
                let reason = "a call from inside a tool cannot wait for a person";
                return Ok(approve::not_approved(core, &waiting.call, &waiting.request.tool, reason));
            }
            if let Some(Allowed { entry, call, .. }) = approved.allowed.into_iter().next() {
                return Ok(Box::pin(in_turn(core, view, None, &entry, call)).await);
            }
            results.into_iter().flatten().next().ok_or_else(|| ToolError::new("the call has no result"))
        }
    }
}

/// The context of a call of the model, for questions about it.
pub(super) fn context_of(
    core: &Arc<SessionCore>,
    view: &Arc<View>,
    call: &ToolCall,
    tool: &ToolName,
) -> ToolContext {
    let mut inner = ContextInner::new(Arc::clone(core), call.clone());
    inner.tool = Some(tool.clone());
    inner.view = Some(Arc::clone(view));
    ToolContext::new(inner)
}

/// Runs a call of the host: no gate; what a discovery tool reveals is committed when it ends.
pub(crate) async fn call_for_host(core: &Arc<SessionCore>, call: ToolCall) -> Result<ToolOutput, ToolError> {
    let reveals = core.state.reveals();
    let find = |name: &str| {
        let found = reveals.find(&core.registry, name).filter(|entry| entry.place != Place::Denied);
        found.cloned().ok_or_else(|| ToolError::new(format!("no tool is called '{}'", text::echo(name))))
    };
    let (mut call, mut entry) = (call.clone(), find(&call.name)?);
    if discovery::is_bridge(&entry) {
        call = discovery::unwrap(&call)?;
        entry = find(&call.name)?;
    }
    if !gate::is_enabled(core, &call, &entry) {
        return Err(ToolError::new(format!("tool '{}' is disabled for this session", entry.name())));
    }
    let operations =
        (entry.options.kind == ToolKind::Discovery).then(|| SessionOperations::new(Arc::clone(core)));
    let mut inner = ContextInner::new(Arc::clone(core), call);
    inner.operations.clone_from(&operations);
    let result = run(&entry, inner).await;
    if let Some(operations) = operations {
        operations.commit();
    }
    result.into_result()
}

async fn run(entry: &Entry, mut inner: ContextInner) -> CallResult {
    let started = Instant::now();
    inner.tool = Some(entry.definition.name().clone());
    inner.deadline = entry.options.timeout.and_then(|timeout| started.checked_add(timeout));
    let inner = Arc::new(inner);
    let outcome = {
        let guard = CancelOnDrop(&inner);
        let outcome = call_tool(entry, &inner).await;
        std::mem::forget(guard);
        outcome
    };
    emit(entry, &inner, started, &outcome);
    let outcome = match outcome {
        Ok(output) => CallOutcome::Succeeded(capped(output)),
        Err(error) => CallOutcome::Failed(error),
    };
    // The tool is done with its context, unless it kept a clone.
    let (id, name) = match Arc::try_unwrap(inner) {
        Ok(inner) => (inner.call.id, inner.call.name),
        Err(shared) => (shared.call.id.clone(), shared.call.name.clone()),
    };
    CallResult::new(id, name, outcome)
}

async fn call_tool(entry: &Entry, inner: &Arc<ContextInner>) -> Result<ToolOutput, ToolError> {
    let context = ToolContext::of(Arc::clone(inner));
    // Decoding runs user code too, before there is a future.
    let made = catch_unwind(AssertUnwindSafe(|| entry.tool.call(&inner.call.arguments, context)));
    let mut future = made.map_err(|panic| panicked(panic.as_ref()))?;
    let caught = poll_fn(move |task| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(task))) {
        Ok(poll) => poll,
        Err(panic) => Poll::Ready(Err(panicked(panic.as_ref()))),
    });
    match entry.options.timeout {
        None => caught.await,
        Some(timeout) => within(timeout, caught).await.unwrap_or_else(|| {
            inner.cancel();
            let message = format!("the tool did not answer within {timeout:?}");
            Err(ToolError::of_kind(ToolErrorKind::TimedOut, message))
        }),
    }
}

/// Waits at most `timeout`. The timer is armed only if the future is not ready at once.
pub(crate) async fn within<F: Future>(timeout: Duration, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    if let Poll::Ready(output) = poll_fn(|task| Poll::Ready(future.as_mut().poll(task))).await {
        return Some(output);
    }
    tokio::time::timeout(timeout, future).await.ok()
}

fn panicked(panic: &(dyn Any + Send)) -> ToolError {
    let message = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a value that is no text".to_owned());
    ToolError::of_kind(
        ToolErrorKind::Panicked,
        format!("the tool panicked: {}", text::one_line(&message, MAX_PANIC)),
    )
    .for_model("The tool failed unexpectedly.")
}

/// Cuts the text parts so that together they have at most [`MAX_RESULT`] bytes, and says so.
fn capped(mut output: ToolOutput) -> ToolOutput {
    let mut room = MAX_RESULT;
    let mut cut = 0;
    for part in output.parts_mut() {
        if let ContentPart::Text { text } = part {
            let before = text.len();
            text::truncate(text, room);
            cut += before - text.len();
            room -= text.len();
        }
    }
    if cut > 0 { output.with_text(format!("[cut: {cut} more bytes]")) } else { output }
}

fn emit(entry: &Entry, inner: &ContextInner, started: Instant, outcome: &Result<ToolOutput, ToolError>) {
    inner.session.emit(|| {
        let (call_id, tool, elapsed) =
            (inner.call.id.clone(), entry.definition.name().clone(), started.elapsed());
        match outcome {
            Ok(_) => SessionEvent::Called { call_id, tool, elapsed },
            Err(error) => {
                let (kind, message) = (error.kind(), error.to_string());
                SessionEvent::Failed { call_id, tool, kind, message, elapsed }
            }
        }
    });
}

/// Cancels the call's context unless the call ended.
struct CancelOnDrop<'a>(&'a ContextInner);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}
