//! What happened in each turn. Both outputs, the table and the JSON lines, are made from this and nothing else.

use serde::{Serialize, Serializer, ser::SerializeStruct};
use tool_core::{AgentEvent, CallResult, Run, RunResult, ToolCall, ToolName};

use crate::{error::QuickstartError, report::Report, tokens::TokenCounts};

/// One turn: the list that the model saw, what it cost, and what the model called.
///
/// As JSON: `{"turn":1,"visible":[…],"tokens_sent":n,"tokens_hidden":n,"calls":[{"name","ok","refused"}]}`.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct TurnRecord {
    pub(crate) turn: usize,
    pub(crate) visible: Vec<ToolName>,
    #[serde(skip)]
    pub(crate) hidden: usize,
    pub(crate) tokens_sent: usize,
    pub(crate) tokens_hidden: usize,
    pub(crate) calls: Vec<CallRecord>,
}

/// One call with its result.
#[derive(Debug, Clone)]
pub(crate) struct CallRecord {
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) result: String,
    pub(crate) ended: Ended,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Ok,
    Failed,
    /// By the gate: the tool was not in the list, so nothing ran.
    Refused,
}

impl Serialize for CallRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("CallRecord", 3)?;
        object.serialize_field("name", &self.name)?;
        object.serialize_field("ok", &(self.ended == Ended::Ok))?;
        object.serialize_field("refused", &(self.ended == Ended::Refused))?;
        object.end()
    }
}

impl TurnRecord {
    pub(crate) fn new(turn: usize, visible: Vec<ToolName>, tokens: &TokenCounts) -> Self {
        let (tokens_sent, tokens_hidden) = (tokens.sent(&visible), tokens.hidden(&visible));
        let hidden = tokens.definitions() - visible.len();
        Self { turn, visible, hidden, tokens_sent, tokens_hidden, calls: Vec::new() }
    }

    pub(crate) fn add(&mut self, call: &ToolCall, result: &CallResult) {
        let ended = match result {
            refused if refused.refused() => Ended::Refused,
            done if done.succeeded() => Ended::Ok,
            _ => Ended::Failed,
        };
        let (name, arguments) = (call.name.clone(), call.arguments.to_text().into_owned());
        self.calls.push(CallRecord { name, arguments, result: result.text().into_owned(), ended });
    }
}

/// Runs to the end and reports each turn as soon as its calls have ended.
pub(crate) async fn watch(
    run: Run<'_>,
    tokens: &TokenCounts,
    report: &mut Report<'_>,
) -> Result<RunResult, QuickstartError> {
    let mut events = run.stream();
    let mut open: Option<TurnRecord> = None;
    let mut calls = Vec::new().into_iter();
    while let Some(event) = events.next().await {
        match event? {
            AgentEvent::TurnStarted { turn, tools } => {
                if let Some(ended) = open.replace(TurnRecord::new(turn, tools, tokens)) {
                    report.turn(ended)?;
                }
            }
            AgentEvent::ModelReplied { reply, .. } => calls = reply.calls.into_iter(),
            // Results come in call order, one for each call.
            AgentEvent::CallEnded { result, .. } => {
                if let (Some(turn), Some(call)) = (&mut open, calls.next()) {
                    turn.add(&call, &result);
                }
            }
            AgentEvent::Finished(result) => {
                if let Some(ended) = open.take() {
                    report.turn(ended)?;
                }
                return Ok(result);
            }
            _ => {}
        }
    }
    Err(QuickstartError::NoResult)
}
