//! What one run may be given beside its input: cancellation, limits, an event sink, a hook on its requests.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use tokio_util::sync::CancellationToken;

use super::{AgentEvent, Message, sub_agent::Observer};
use crate::{ToolDefinition, budget::TokenCounter};

/// Most levels of sub-agents: each is polled on the stack of the ones above.
const MAX_DEPTH: usize = 8;

/// How long a run may go on, and what it may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    pub(super) turns: usize,
    pub(super) spawns: usize,
    pub(super) depth: usize,
}

impl RunLimits {
    /// The limits that [`AgentBuilder`](super::AgentBuilder) starts with: 20 turns, 20 sub-agents, 2 levels of them.
    pub const DEFAULT: Self = Self { turns: 20, spawns: 20, depth: 2 };

    /// At most this many model requests in one run. The calls of the last reply still run.
    #[must_use]
    pub fn turns(mut self, turns: usize) -> Self {
        self.turns = turns;
        self
    }

    /// At most this many sub-agents in one run, those that sub-agents start included. One more is an error that the
    /// model reads.
    #[must_use]
    pub fn spawns(mut self, spawns: usize) -> Self {
        self.spawns = spawns;
        self
    }

    /// At most this many levels of sub-agents below a run, and never more than 8. On the last one there is no `spawn`; 0
    /// leaves it out at all.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.depth = depth.min(MAX_DEPTH);
        self
    }
}

impl Default for RunLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

type Sink = dyn Fn(&AgentEvent) + Send + Sync;
type Hook = dyn Fn(&mut Vec<Message>) + Send + Sync;

/// What one run is given beside its input, by [`Run::options`](super::Run::options).
///
/// # Examples
/// ```
/// use tool_core::{CancellationToken, RunLimits, RunOptions};
///
/// let stop = CancellationToken::new();
/// let options = RunOptions::new()
///     .cancellation(stop.clone())
///     .limits(RunLimits::DEFAULT.turns(5))
///     .on_event(|event| println!("{event:?}"))
///     .before_request(|messages| drop(messages.drain(..messages.len().saturating_sub(40))));
/// ```
#[derive(Clone, Default)]
#[must_use = "options do nothing until `Run::options`"]
pub struct RunOptions {
    pub(super) cancellation: CancellationToken,
    pub(super) limits: Option<RunLimits>,
    sink: Option<Arc<Sink>>,
    hook: Option<Arc<Hook>>,
    counter: Option<TokenCounter>,
}

impl RunOptions {
    /// Nothing set: never cancelled, the agent's limits.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the run when the token is cancelled: the model request or the batch of calls that it waits for is dropped.
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Limits of this run instead of the agent's.
    pub fn limits(mut self, limits: RunLimits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Called for each event of this run, on the task that runs it, and for those of its sub-agents, as
    /// [`AgentEvent::SubAgent`]. A panic is caught and ignored.
    pub fn on_event(mut self, sink: impl Fn(&AgentEvent) + Send + Sync + 'static) -> Self {
        self.sink = Some(Arc::new(sink));
        self
    }

    /// May trim a copy of the messages before each request, without the agent's instructions, which stay first. The
    /// conversation keeps all of its messages. Results whose call was trimmed away are not sent, and calls whose result
    /// was trimmed away are sent with the result `removed`.
    pub fn before_request(mut self, hook: impl Fn(&mut Vec<Message>) + Send + Sync + 'static) -> Self {
        self.hook = Some(Arc::new(hook));
        self
    }

    /// Counts the tokens of the definitions of each turn, for [`RunResult::ledgers`](super::RunResult::ledgers): `count`
    /// renders a definition for the provider and counts that. Each definition is counted once a run. The turns of
    /// sub-agents are not counted.
    pub fn ledger(mut self, count: impl Fn(&ToolDefinition) -> usize + Send + Sync + 'static) -> Self {
        self.counter = Some(Arc::new(count));
        self
    }

    pub(super) fn counter(&self) -> Option<&TokenCounter> {
        self.counter.as_ref()
    }

    pub(super) fn has_sink(&self) -> bool {
        self.sink.is_some()
    }

    pub(super) fn emit(&self, event: &AgentEvent) {
        if let Some(sink) = &self.sink
            && catch_unwind(AssertUnwindSafe(|| sink(event))).is_err()
        {
            tracing::warn!("the event sink of a run panicked; the event is lost");
        }
    }

    /// The sink, for events of sub-agents.
    pub(super) fn observer(&self) -> Option<Observer> {
        self.has_sink().then(|| {
            let options = self.clone();
            Arc::new(move |event| options.emit(&event)) as Observer
        })
    }

    pub(super) fn hook(&self) -> Option<&Hook> {
        self.hook.as_deref()
    }
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOptions")
            .field("limits", &self.limits)
            .field("on_event", &self.sink.is_some())
            .field("before_request", &self.hook.is_some())
            .field("ledger", &self.counter.is_some())
            .finish_non_exhaustive()
    }
}
