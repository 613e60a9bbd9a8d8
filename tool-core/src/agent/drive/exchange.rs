//! One exchange with the model: the request, its reply, and the batch of the reply's calls.
//!
//! Called by the state machine. What is appended to the messages is whole: a reply's calls never lack a result that a
//! later run could not give.

use std::borrow::Cow;

use tracing::Instrument;

use super::{CANCELLED, Drive, Opening, Phase};
use crate::{
    Batch, CallOutcome, CallResult, ToolCall, ToolError, ToolErrorKind, Turn,
    agent::{
        AgentEvent, Message, ModelReply, ModelRequest, StopReason,
        history::{self, ReplyCalls},
    },
    span,
};

/// What the model reads as the result that a request hook removed.
const REMOVED: &str = "removed";

impl Drive<'_> {
    pub(super) async fn ask(&mut self, turn: Turn) -> Option<AgentEvent> {
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

    pub(super) async fn call(&mut self, turn: &Turn, calls: ReplyCalls) -> Option<AgentEvent> {
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
}

fn cancelled(call: &ToolCall) -> CallResult {
    let error = ToolError::of_kind(ToolErrorKind::Cancelled, CANCELLED);
    CallResult::new(call.id.clone(), call.name.clone(), CallOutcome::Failed(error))
}
