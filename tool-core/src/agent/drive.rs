//! The state machine of a run: one event at a time, whether it is awaited as a whole or streamed.
//!
//! Each step leaves the conversation in a state that a later run can go on from, so a step may be dropped anywhere.

mod exchange;
mod opening;
mod target;

use std::{collections::HashMap, fmt, mem, sync::Arc, vec};

use tracing::{Instrument, Span};

pub(super) use self::target::Target;
use super::{
    Agent, AgentEvent, Conversation, FinishReason, RunError, RunOptions, RunResult, StopReason, Usage,
    history::ReplyCalls, sub_agent::Spawning,
};
use crate::{CallResult, Fingerprint, Ledger, Turn, span};

/// What the model reads as the result of a call that its run left open.
const CANCELLED: &str = "cancelled";

/// What comes next.
enum Phase {
    /// Calls that wait since an earlier run, then the first turn, with the input if there is any.
    Open(Option<String>),
    /// A turn.
    Turn(Opening),
    /// The model's reply in this turn.
    Reply(Turn),
    /// The batch of the reply's calls.
    Calls(Turn, ReplyCalls),
    /// Events of results that are in the messages already, then this.
    Results(vec::IntoIter<CallResult>, Box<Phase>),
    /// The last event.
    Stop(StopReason),
}

/// How a turn begins.
enum Opening {
    /// With this input.
    Input(String),
    /// From the messages as they are.
    Resume,
    /// After the results of the turn before.
    Next,
}

/// A run between two of its events.
pub(super) struct Drive<'c> {
    agent: Agent,
    target: Target<'c>,
    options: RunOptions,
    /// Whether somebody sees the events; nothing is copied for them otherwise.
    observed: bool,
    phase: Phase,
    /// Where the messages of this run begin.
    start: usize,
    /// Messages that answer calls of an earlier run.
    answered: usize,
    turns: usize,
    usage: Usage,
    text: String,
    finish: FinishReason,
    /// What runs below this one may do and have spent, if there may be any, or if this is one.
    spawning: Option<Arc<Spawning>>,
    /// One a turn, if the host counts tokens; each definition is counted once.
    ledgers: Vec<Ledger>,
    counted: HashMap<Fingerprint, usize>,
    /// Around each step; made with the first one, where the run begins.
    span: Option<Span>,
}

impl<'c> Drive<'c> {
    pub(super) fn new(agent: Agent, target: Target<'c>, input: Option<String>) -> Self {
        Self {
            start: target.get().messages.len(),
            agent,
            target,
            options: RunOptions::default(),
            observed: false,
            answered: 0,
            phase: Phase::Open(input),
            turns: 0,
            usage: Usage::default(),
            text: String::new(),
            finish: FinishReason::default(),
            spawning: None,
            ledgers: Vec::new(),
            counted: HashMap::new(),
            span: None,
        }
    }

    /// A run that another one starts.
    pub(super) fn spawned(
        agent: Agent,
        conversation: Conversation,
        task: String,
        spawning: Arc<Spawning>,
    ) -> Self {
        let observed = spawning.is_observed();
        let drive = Self::new(agent, Target::Own(conversation), Some(task));
        Self { spawning: Some(spawning), observed, ..drive }
    }

    pub(super) fn set_options(&mut self, options: RunOptions) {
        self.observed = options.has_sink();
        self.options = options;
    }

    pub(super) fn observed(mut self) -> Self {
        self.observed = true;
        self
    }

    /// Runs to the end.
    pub(super) async fn finish(mut self) -> Result<RunResult, RunError> {
        loop {
            if let AgentEvent::Finished(mut result) = self.next_event().await? {
                result.conversation = self.into_conversation();
                return Ok(result);
            }
        }
    }

    /// The conversation that was made for this run.
    pub(super) fn into_conversation(self) -> Option<Conversation> {
        match self.target {
            Target::Own(conversation) => Some(conversation),
            Target::Borrowed(_) => None,
        }
    }

    /// Runs to the next event. Nothing follows [`AgentEvent::Finished`] and errors.
    pub(super) async fn next_event(&mut self) -> Result<AgentEvent, RunError> {
        let span = match &self.span {
            Some(span) => Span::clone(span),
            None => span::invoke_agent(self.agent.name(), self.target.get().session.core()),
        };
        self.span = Some(span.clone());
        let event = self.step().instrument(span.clone()).await;
        match &event {
            Ok(AgentEvent::Finished(result)) => {
                span::used(&span, result.usage);
                span.record("tool_core.stop_reason", tracing::field::display(&result.stop_reason));
                if let StopReason::ModelError(error) = &result.stop_reason {
                    span::failed(&span, span::kind_of_model_error(error));
                }
            }
            Ok(_) => {}
            Err(_) => span::failed(&span, "run_error"),
        }
        event
    }

    async fn step(&mut self) -> Result<AgentEvent, RunError> {
        loop {
            // A step that is dropped before it says what comes next has ended the run.
            let event = match mem::replace(&mut self.phase, Phase::Stop(StopReason::Cancelled)) {
                Phase::Open(input) => {
                    self.open(input).await?;
                    None
                }
                Phase::Turn(opening) => self.open_turn(opening).await?,
                Phase::Reply(turn) => self.ask(turn).await,
                Phase::Calls(turn, calls) => self.call(&turn, calls).await,
                Phase::Results(results, then) => self.next_result(results, then),
                Phase::Stop(reason) => Some(AgentEvent::Finished(self.result(reason))),
            };
            if let Some(event) = event {
                self.options.emit(&event);
                return Ok(event);
            }
        }
    }

    /// The events of results, if somebody wants them, then `then`.
    fn results_then(&self, results: Vec<CallResult>, then: Phase) -> Phase {
        if self.observed { Phase::Results(results.into_iter(), Box::new(then)) } else { then }
    }

    fn next_result(
        &mut self,
        mut results: vec::IntoIter<CallResult>,
        then: Box<Phase>,
    ) -> Option<AgentEvent> {
        let event = results.next().map(|result| AgentEvent::CallEnded { turn: self.turns, result });
        self.phase = if event.is_some() { Phase::Results(results, then) } else { *then };
        event
    }

    fn result(&mut self, stop_reason: StopReason) -> RunResult {
        let messages = self.target.get().messages.iter().skip(self.start).cloned().collect();
        let mut usage = self.usage;
        if let Some(spawning) = &self.spawning {
            usage += spawning.spent();
        }
        RunResult {
            text: mem::take(&mut self.text),
            messages,
            usage,
            turns: self.turns,
            ledgers: mem::take(&mut self.ledgers),
            finish: self.finish,
            stop_reason,
            conversation: None,
        }
    }
}

impl fmt::Debug for Drive<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drive")
            .field("options", &self.options)
            .field("turns", &self.turns)
            .finish_non_exhaustive()
    }
}
