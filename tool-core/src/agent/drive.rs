//! The state machine of a run: one event at a time, whether it is awaited as a whole or streamed.
//!
//! Each step leaves the conversation in a state that a later run can go on from, so a step may be dropped anywhere.

use std::{borrow::Cow, collections::HashMap, fmt, mem, sync::Arc, vec};

use tracing::{Instrument, Span};

use super::{
    Agent, AgentEvent, Conversation, FinishReason, ForeignSession, Message, ModelReply, ModelRequest,
    RunError, RunOptions, RunResult, StopReason, Usage,
    history::{self, ReplyCalls},
    sub_agent::Spawning,
};
use crate::{
    Batch, CallOutcome, CallResult, Fingerprint, Ledger, ToolCall, ToolError, ToolErrorKind, Turn, TurnError,
    span,
};

/// What the model reads as the result of a call that its run left open.
const CANCELLED: &str = "cancelled";
/// What the model reads as the result that a request hook removed.
const REMOVED: &str = "removed";

/// The conversation of a run.
pub(super) enum Target<'c> {
    /// Made for this run.
    Own(Conversation),
    /// The host's.
    Borrowed(&'c mut Conversation),
}

impl Target<'_> {
    fn get(&self) -> &Conversation {
        match self {
            Self::Own(conversation) => conversation,
            Self::Borrowed(conversation) => conversation,
        }
    }

    fn get_mut(&mut self) -> &mut Conversation {
        match self {
            Self::Own(conversation) => conversation,
            Self::Borrowed(conversation) => conversation,
        }
    }
}

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

    /// Ends the batch that an earlier run left suspended, as far as the host has decided.
    async fn open(&mut self, input: Option<String>) -> Result<(), RunError> {
        let session = &self.target.get().session;
        if !self.agent.owns(session) {
            return Err(ForeignSession.into());
        }
        self.let_spawn();
        let session = &self.target.get().session;
        match session.is_ready() {
            Ok(()) => {}
            Err(TurnError::OpenCalls { .. }) => {
                let requests = session.undecided();
                if input.is_some() && !requests.is_empty() {
                    return Err(RunError::Undecided { requests });
                }
                match self.options.cancellation.run_until_cancelled(session.finish()).await {
                    None => return Ok(()),
                    Some(Err(error)) => return Err(error.into()),
                    Some(Ok(Batch::Suspended(requests))) if input.is_some() => {
                        return Err(RunError::Undecided { requests });
                    }
                    Some(Ok(Batch::Suspended(requests))) => {
                        self.phase = Phase::Stop(StopReason::AwaitingApproval(requests));
                        return Ok(());
                    }
                    Some(Ok(Batch::Done(_))) => {}
                }
            }
            Err(error) => return Err(error.into()),
        }
        if input.is_some() {
            session.begin_input();
        }
        let (results, answered) = self.target.get_mut().take_finished();
        self.answered = answered;
        let turn = Phase::Turn(input.map_or(Opening::Resume, Opening::Input));
        self.phase = self.results_then(results, turn);
        Ok(())
    }

    /// Lets the session of this run start sub-agents.
    fn let_spawn(&mut self) {
        let types = &self.agent.0.sub_agents;
        if self.spawning.is_none() && !types.is_empty() {
            let limits = self.options.limits.unwrap_or(self.agent.0.limits);
            self.spawning = Some(Spawning::root(types, limits, self.options.observer()));
        }
        if let Some(spawning) = &self.spawning {
            self.target.get_mut().session.set_value(Arc::clone(spawning));
        }
    }

    /// The events of results, if somebody wants them, then `then`.
    fn results_then(&self, results: Vec<CallResult>, then: Phase) -> Phase {
        if self.observed { Phase::Results(results.into_iter(), Box::new(then)) } else { then }
    }

    async fn open_turn(&mut self, opening: Opening) -> Result<Option<AgentEvent>, RunError> {
        let conversation = self.target.get();
        if let (Opening::Resume, Some(Message::Assistant { text, calls, .. })) =
            (&opening, conversation.messages.last())
            && calls.is_empty()
        {
            self.text.clone_from(text);
            self.phase = Phase::Stop(StopReason::Answered);
            return Ok(None);
        }
        let limits = self.options.limits.unwrap_or(self.agent.0.limits);
        let cancellation = &self.options.cancellation;
        if self.turns >= limits.turns && !cancellation.is_cancelled() {
            self.phase = Phase::Stop(StopReason::TurnLimit);
            return Ok(None);
        }
        let Some(turn) = cancellation.run_until_cancelled(conversation.session.turn()).await else {
            return Ok(None);
        };
        let turn = turn?;
        match opening {
            Opening::Input(text) => self.open_conversation(Some(text)),
            Opening::Resume => self.open_conversation(None),
            Opening::Next => {}
        }
        self.turns += 1;
        if let Some(counter) = self.options.counter() {
            let counted = &mut self.counted;
            let ledger = turn.ledger_of(|entry| {
                *counted.entry(entry.fingerprint().clone()).or_insert_with(|| counter(&entry.definition))
            });
            self.ledgers.push(ledger);
        }
        let event = self.observed.then(|| AgentEvent::TurnStarted {
            turn: self.turns,
            tools: turn.tools().map(|definition| definition.name().clone()).collect(),
        });
        self.phase = Phase::Reply(turn);
        Ok(event)
    }

    /// Makes the messages ready for the first request of this run.
    fn open_conversation(&mut self, input: Option<String>) {
        let conversation = self.target.get_mut();
        history::pair_results(&mut conversation.messages, CANCELLED);
        if let Some(instructions) = self.agent.instructions() {
            conversation.set_instructions(instructions);
        }
        self.start = conversation.messages.len().saturating_sub(self.answered);
        conversation.messages.extend(input.map(|text| Message::User { text }));
    }

    async fn ask(&mut self, turn: Turn) -> Option<AgentEvent> {
        let messages = self.request_messages();
        let model = &self.agent.0.model;
        let span = span::chat(model.identity(), self.target.get().session.core());
        let request = span.in_scope(|| model.respond(ModelRequest::new(&messages, &turn)));
        let request = request.instrument(span.clone());
        let Some(reply) = self.options.cancellation.run_until_cancelled(request).await else {
            span::failed(&span, "cancelled");
            return None;
        };
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                span::failed(&span, span::kind_of_model_error(&error));
                self.phase = Phase::Stop(StopReason::ModelError(error));
                return None;
            }
        };
        span::used(&span, reply.usage);
        drop((messages, span));
        let conversation = self.target.get_mut();
        let calls = ReplyCalls::new(&conversation.messages, &reply.calls);
        // Providers refuse blank texts and empty messages.
        let text = if reply.text.trim().is_empty() { String::new() } else { reply.text.clone() };
        if !(text.is_empty() && calls.recorded.is_empty()) {
            conversation.messages.push(Message::Assistant {
                text: text.clone(),
                calls: calls.recorded.clone(),
                continuation: reply.continuation.clone(),
            });
        }
        self.usage += reply.usage;
        if let Some(spawning) = &self.spawning {
            spawning.spend(reply.usage);
        }
        self.finish = reply.finish;
        let event = self.observed.then(|| AgentEvent::ModelReplied {
            turn: self.turns,
            reply: ModelReply { calls: calls.judged.clone(), ..reply },
        });
        self.phase = if !calls.judged.is_empty() {
            Phase::Calls(turn, calls)
        } else if text.is_empty() && turn.deferred().next().is_some() {
            Phase::Stop(StopReason::EmptyAnswer)
        } else {
            Phase::Stop(StopReason::Answered)
        };
        self.text = text;
        event
    }

    /// The messages to send: the conversation's, or what the hook leaves of them.
    fn request_messages(&self) -> Cow<'_, [Message]> {
        let all = &self.target.get().messages;
        let Some(hook) = self.options.hook() else { return Cow::Borrowed(all) };
        let instructions = usize::from(self.agent.instructions().is_some());
        let mut trimmed = all.iter().skip(instructions).cloned().collect();
        hook(&mut trimmed);
        history::pair_results(&mut trimmed, REMOVED);
        trimmed.splice(..0, all.iter().take(instructions).cloned());
        Cow::Owned(trimmed)
    }

    async fn call(&mut self, turn: &Turn, calls: ReplyCalls) -> Option<AgentEvent> {
        let ReplyCalls { judged, recorded } = calls;
        let results = match self.options.cancellation.run_until_cancelled(turn.call_all(judged)).await {
            Some(Batch::Done(results)) => results,
            Some(Batch::Suspended(requests)) => {
                self.phase = Phase::Stop(StopReason::AwaitingApproval(requests));
                return None;
            }
            None => recorded.iter().map(cancelled).collect(),
        };
        let answers = recorded.into_iter().zip(&results).map(|(call, result)| history::answer(call, result));
        self.target.get_mut().messages.extend(answers);
        let then = match turn.stop_reason() {
            Some(stop) => Phase::Stop(StopReason::NoProgress(stop)),
            // The next turn sees a cancellation.
            None => Phase::Turn(Opening::Next),
        };
        self.phase = self.results_then(results, then);
        None
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

fn cancelled(call: &ToolCall) -> CallResult {
    let error = ToolError::of_kind(ToolErrorKind::Cancelled, CANCELLED);
    CallResult::new(call.id.clone(), call.name.clone(), CallOutcome::Failed(error))
}

impl fmt::Debug for Drive<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drive")
            .field("options", &self.options)
            .field("turns", &self.turns)
            .finish_non_exhaustive()
    }
}
