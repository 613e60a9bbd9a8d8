//! How a run and its turns begin: calls that an earlier run left open, the input, the limits.
//!
//! Called by the state machine; an error leaves the messages as they were.

use std::sync::Arc;

use super::{CANCELLED, Drive, Opening, Phase};
use crate::{
    Batch, TurnError,
    agent::{AgentEvent, ForeignSession, Message, RunError, StopReason, history, sub_agent::Spawning},
};

impl Drive<'_> {
    /// Ends the batch that an earlier run left suspended, as far as the host has decided.
    pub(super) async fn open(&mut self, input: Option<String>) -> Result<(), RunError> {
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

    pub(super) async fn open_turn(&mut self, opening: Opening) -> Result<Option<AgentEvent>, RunError> {
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
}
