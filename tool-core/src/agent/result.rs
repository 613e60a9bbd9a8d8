//! How a run ended.

use std::fmt;

use super::{Conversation, FinishReason, ForeignSession, Message, ModelError, Usage};
use crate::{ApprovalRequest, Ledger, SaveError, TurnError, TurnStop};

/// What a run came to.
#[derive(Debug)]
#[non_exhaustive]
pub struct RunResult {
    /// Text of the last reply; may be empty.
    pub text: String,
    /// The messages that this run added, from its input on.
    pub messages: Vec<Message>,
    /// Tokens of all requests of this run and of its sub-agents, as the providers counted them.
    pub usage: Usage,
    /// Model requests that this run sent.
    pub turns: usize,
    /// What the definitions of each turn cost, in order; empty without [`RunOptions::ledger`](super::RunOptions::ledger).
    pub ledgers: Vec<Ledger>,
    /// Why the model stopped in its last reply: [`FinishReason::Length`] says that the text is cut.
    pub finish: FinishReason,
    /// Why the run ended.
    pub stop_reason: StopReason,
    /// The conversation that [`Agent::run`](super::Agent::run) or [`Agent::stream`](super::Agent::stream) opened, to go
    /// on with. `None` for a conversation of the host, which has it already, and in what an event sink is shown.
    pub conversation: Option<Conversation>,
}

/// Why a run ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum StopReason {
    /// The model replied without calls.
    Answered,
    /// The model replied without text and calls, while tools were hidden that it may have needed.
    EmptyAnswer,
    /// The limit of turns was reached. The calls of the last reply are answered.
    TurnLimit,
    /// The run's token was cancelled. Open calls are answered `cancelled`.
    Cancelled,
    /// Calls wait for the host: `session.decide` for each, then [`Agent::resume`](super::Agent::resume) with the
    /// conversation. The other calls of their reply have run; all results are in the messages when the last one is there.
    AwaitingApproval(Vec<ApprovalRequest>),
    /// The run went in circles: it only searched, or had every call refused, turn after turn.
    NoProgress(TurnStop),
    /// The model request failed. The conversation is as before the request and can go on.
    ModelError(ModelError),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered => f.write_str("answered"),
            Self::EmptyAnswer => f.write_str("empty answer while tools were hidden"),
            Self::TurnLimit => f.write_str("turn limit reached"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::AwaitingApproval(requests) => write!(f, "{} calls await approval", requests.len()),
            Self::NoProgress(TurnStop::Refused) => f.write_str("every call was refused"),
            Self::NoProgress(_) => f.write_str("only searched"),
            Self::ModelError(error) => write!(f, "model error: {error}"),
        }
    }
}

/// Why a run could not be made: a fault of the host, never of the model. The conversation is unchanged by the turn
/// that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The session cannot make a turn: a host value is missing.
    #[error(transparent)]
    Turn(#[from] TurnError),
    /// Input came while calls wait for the host.
    #[error(
        "calls wait for a decision: {}; call `session.decide` for each, then `agent.resume`",
        named(requests)
    )]
    Undecided {
        /// The calls.
        requests: Vec<ApprovalRequest>,
    },
    /// What was decided cannot be saved, so nothing has run.
    #[error(transparent)]
    Save(#[from] SaveError),
    /// The conversation was made over another registry.
    #[error(transparent)]
    ForeignSession(#[from] ForeignSession),
}

fn named(requests: &[ApprovalRequest]) -> String {
    let named = requests.iter().map(|request| format!("`{}` of {}", request.call_id, request.tool));
    named.collect::<Vec<_>>().join(", ")
}
