//! What happens in a run, for the host: items of an [`AgentStream`](super::AgentStream), or given to
//! [`RunOptions::on_event`](super::RunOptions::on_event).

use super::{ModelReply, RunResult};
use crate::{CallResult, ToolName};

/// Something that happened in a run. Turns count from 1; 0 is what a run does about calls that an earlier one left open.
#[derive(Debug)]
#[non_exhaustive]
pub enum AgentEvent {
    /// The next request is about to be sent.
    TurnStarted {
        /// The turn in this run.
        turn: usize,
        /// The tools that the model sees, in the order of the list.
        tools: Vec<ToolName>,
    },
    /// The model replied.
    ModelReplied {
        /// The turn in this run.
        turn: usize,
        /// The reply, its arguments as they came; each call has an id.
        reply: ModelReply,
    },
    /// One call of the reply has its result. They come in call order, when the whole batch has ended.
    CallEnded {
        /// The turn in this run.
        turn: usize,
        /// The result.
        result: CallResult,
    },
    /// Something happened in a sub-agent. Only an event sink is told: the stream of a run has none of these.
    SubAgent {
        /// The name of its type.
        name: String,
        /// The call that started it. Ids are of the run that called.
        call_id: String,
        /// What happened; in its own sub-agents, one more of these is inside.
        event: Box<AgentEvent>,
    },
    /// The run ended; nothing follows.
    Finished(RunResult),
}
