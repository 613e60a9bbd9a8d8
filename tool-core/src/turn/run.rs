//! Runs one call that is allowed: context, panic, time-out, size of the result, events.

use std::{
    any::Any,
    sync::Arc,
    time::{Duration, Instant},
};

use tracing::Instrument;

use super::{
    View, approve,
    batch::Allowed,
    gate::{self, Verdict},
};
use crate::{
    Arguments, CallOutcome, CallResult, ContentPart, SessionEvent, SessionOperations, ToolCall, ToolContext,
    ToolError, ToolErrorKind, ToolKind, ToolOutput,
    context::ContextInner,
    discovery,
    guard::{caught, within},
    registry::{Entry, Place},
    session::{BatchOperations, SessionCore},
    span::CallSpan,
    text,
};

/// Longest result that a model reads, in bytes of text.
const MAX_RESULT: usize = 64 * 1024;
/// How many calls from inside of tools may be in each other: more is a circle, and would end with the stack.
const MAX_DEPTH: usize = 16;
/// Longest panic message that a host reads, in bytes.
const MAX_PANIC: usize = 500;

/// Runs a call of a batch, or one from inside of `depth` others.
pub(super) async fn in_turn(
    core: &Arc<SessionCore>,
    view: &Arc<View>,
    operations: Option<SessionOperations>,
    entry: Arc<Entry>,
    call: ToolCall,
    depth: usize,
) -> CallResult {
    let mut inner = ContextInner::new(Arc::clone(core), call.id);
    inner.depth = depth;
    inner.view = Some(Arc::clone(view));
    inner.operations = operations;
    let (call_id, outcome) = run(entry, inner, &call.arguments).await;
    CallResult::new(call_id, call.name, outcome)
}

/// Runs a call that a tool makes: judged by the list of its own turn. Host calls have no list: all but denied tools run.
pub(crate) async fn call_from_inside(outer: &ContextInner, call: ToolCall) -> Result<CallResult, ToolError> {
    let core = &outer.session;
    let depth = outer.depth + 1;
    let Some(view) = &outer.view else {
        let (id, name) = (call.id.clone(), call.name.clone());
        let output = Box::pin(host_call(depth, core, call)).await?;
        return Ok(CallResult::new(id, name, CallOutcome::Succeeded(output)));
    };
    let (call, verdict) = gate::judge(core, view, call);
    match verdict {
        Verdict::Refused(text) => Ok(CallResult::new(call.id, call.name, CallOutcome::Refused(text))),
        Verdict::Invalid(error) => Err(error),
        Verdict::Allowed(entry) if entry.options.kind == ToolKind::Discovery => {
            let message = format!("Tool '{}' cannot be called from inside a tool.", entry.name());
            Err(not_run(core, &entry, &call.id, message))
        }
        Verdict::Allowed(entry) if depth > MAX_DEPTH => Err(too_deep(core, &entry, &call.id)),
        Verdict::Allowed(entry) => {
            let mut results = vec![None];
            let allowed = vec![Allowed { index: 0, entry, call }];
            let approved = Box::pin(approve::all(core, view, allowed, &mut results)).await;
            if let Some(waiting) = approved.waiting.into_iter().next() {
                let reason = "a call from inside a tool cannot wait for a person";
                return Ok(approve::not_approved(core, view, &waiting.call, &waiting.request.tool, reason));
            }
            if let Some(Allowed { entry, call, .. }) = approved.allowed.into_iter().next() {
                return Ok(Box::pin(in_turn(core, view, None, entry, call, depth)).await);
            }
            results.into_iter().flatten().next().ok_or_else(|| ToolError::new("the call has no result"))
        }
    }
}

/// The error of a call that is not run, told to the host.
pub(super) fn not_run(
    core: &SessionCore,
    entry: &Entry,
    call_id: &str,
    message: impl Into<String>,
) -> ToolError {
    let error = ToolError::new(message);
    tell_failure(core, entry, call_id, &error, Duration::ZERO);
    error
}

fn too_deep(core: &SessionCore, entry: &Entry, call_id: &str) -> ToolError {
    let name = entry.name();
    let message =
        format!("Tool '{name}' was not called: calls from inside of tools are {MAX_DEPTH} deep already.");
    not_run(core, entry, call_id, message)
}

/// The context of a call of the model, for questions about it.
pub(super) fn context_of(
    core: &Arc<SessionCore>,
    view: &Arc<View>,
    call: &ToolCall,
    entry: &Arc<Entry>,
) -> ToolContext {
    let mut inner = ContextInner::new(Arc::clone(core), call.id.clone());
    inner.tool = Some(Arc::clone(entry));
    inner.view = Some(Arc::clone(view));
    ToolContext::new(inner)
}

/// Runs a call of the host: no gate; what a discovery tool reveals is committed when it ends.
pub(crate) async fn call_for_host(core: &Arc<SessionCore>, call: ToolCall) -> Result<ToolOutput, ToolError> {
    host_call(0, core, call).await
}

async fn host_call(
    depth: usize,
    core: &Arc<SessionCore>,
    mut call: ToolCall,
) -> Result<ToolOutput, ToolError> {
    core.sync();
    let reveals = core.state.reveals();
    let find = |name: &str| {
        let found = reveals.find(&core.registry, name).filter(|entry| entry.place != Place::Denied);
        found.cloned().ok_or_else(|| ToolError::new(format!("no tool is called '{}'", text::echo(name))))
    };
    let mut entry = find(&call.name)?;
    if discovery::is_bridge(&entry) {
        call = discovery::unwrap(&call)?;
        entry = find(&call.name)?;
    }
    if depth > MAX_DEPTH {
        return Err(too_deep(core, &entry, &call.id));
    }
    if !gate::is_enabled(core, &call, &entry) {
        return Err(ToolError::new(format!("tool '{}' is disabled for this session", entry.name())));
    }
    let operations = (entry.options.kind == ToolKind::Discovery).then(|| BatchOperations::begin(core));
    let mut inner = ContextInner::new(Arc::clone(core), call.id);
    inner.depth = depth;
    inner.operations = operations.as_deref().cloned();
    let (call_id, outcome) = run(entry, inner, &call.arguments).await;
    if let Some(operations) = operations {
        operations.commit_for_host();
    }
    CallResult::new(call_id, call.name, outcome).into_result()
}

/// Runs the tool and gives the id of the call back.
async fn run(entry: Arc<Entry>, mut inner: ContextInner, arguments: &Arguments) -> (String, CallOutcome) {
    let clock = Clock::start(&inner.session, &entry);
    inner.deadline = clock.deadline(&entry);
    inner.tool = Some(Arc::clone(&entry));
    let span = CallSpan::new(&inner.session, &entry, &inner.call_id, arguments);
    let mut inner = Arc::new(inner);
    let outcome = {
        let guard = CancelOnDrop { inner: &inner, entry: &entry, clock, span: &span };
        let outcome = call_tool(&entry, &inner, arguments).instrument(span.span()).await;
        std::mem::forget(guard);
        outcome
    };
    tell(&entry, &inner, clock.elapsed(), &outcome);
    let outcome = match outcome {
        Ok(mut output) => {
            cap(&mut output);
            span.returned(&output);
            CallOutcome::Succeeded(output)
        }
        Err(error) => {
            span.failed(&error);
            CallOutcome::Failed(error)
        }
    };
    // The tool is done with its context, unless it kept a clone.
    let call_id = match Arc::get_mut(&mut inner) {
        Some(inner) => std::mem::take(&mut inner.call_id),
        None => inner.call_id.clone(),
    };
    (call_id, outcome)
}

/// When a call started. Nobody looks at the clock if nobody wants to know.
#[derive(Clone, Copy)]
struct Clock(Option<Instant>);

impl Clock {
    fn start(core: &SessionCore, entry: &Entry) -> Self {
        let wanted = entry.options.timeout.is_some() || core.registry.inner().events.are_wanted();
        Self(wanted.then(Instant::now))
    }

    fn deadline(self, entry: &Entry) -> Option<Instant> {
        self.0?.checked_add(entry.options.timeout?)
    }

    fn elapsed(self) -> Duration {
        self.0.map(|started| started.elapsed()).unwrap_or_default()
    }
}

async fn call_tool(
    entry: &Entry,
    inner: &Arc<ContextInner>,
    arguments: &Arguments,
) -> Result<ToolOutput, ToolError> {
    let context = ToolContext::of(Arc::clone(inner));
    // Decoding runs user code too, before there is a future.
    let caught = caught(entry.name().as_str(), || entry.tool.call(arguments, context));
    let answered = match entry.options.timeout {
        None => Some(caught.await),
        Some(timeout) => within(timeout, caught).await,
    };
    match answered {
        Some(Ok(result)) => result,
        Some(Err(panic)) => Err(panicked(panic.as_ref())),
        None => {
            inner.cancel();
            let limit = entry.options.timeout.unwrap_or_default();
            let message = format!("the tool did not answer within {limit:?}");
            Err(ToolError::of_kind(ToolErrorKind::TimedOut, message))
        }
    }
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
fn cap(output: &mut ToolOutput) {
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
    if cut > 0 {
        *output = std::mem::take(output).with_text(format!("[cut: {cut} more bytes]"));
    }
}

fn tell(entry: &Entry, inner: &ContextInner, elapsed: Duration, outcome: &Result<ToolOutput, ToolError>) {
    match outcome {
        Ok(_) => inner.session.emit(|| SessionEvent::Called {
            call_id: inner.call_id.clone(),
            tool: entry.name().clone(),
            elapsed,
        }),
        Err(error) => tell_failure(&inner.session, entry, &inner.call_id, error, elapsed),
    }
}

pub(super) fn tell_failure(
    core: &SessionCore,
    entry: &Entry,
    call_id: &str,
    error: &ToolError,
    elapsed: Duration,
) {
    core.emit(|| SessionEvent::Failed {
        call_id: call_id.to_owned(),
        tool: entry.name().clone(),
        kind: error.kind(),
        message: error.to_string(),
        elapsed,
    });
}

/// Cancels the call's context unless the call ended, and tells the host.
struct CancelOnDrop<'a> {
    inner: &'a ContextInner,
    entry: &'a Entry,
    clock: Clock,
    span: &'a CallSpan,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.inner.cancel();
        let error = ToolError::of_kind(ToolErrorKind::Cancelled, "nobody waited for the call any more");
        self.span.failed(&error);
        tell_failure(&self.inner.session, self.entry, &self.inner.call_id, &error, self.clock.elapsed());
    }
}
