//! Keeps messages acceptable to a provider, whatever a model sent.
//!
//! A broken call that is sent back fails each later request of its conversation, so it never enters the history: there,
//! arguments are a JSON object, names are legal, ids are unique, and each call has exactly one result after it.

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use serde_json::Value;

use super::{Message, ResultStatus};
use crate::{Arguments, CallResult, ToolCall, ToolName, ToolOutput};

/// The calls of one reply, once for the gate and once for the history, in the same order.
pub(super) struct ReplyCalls {
    /// As the model sent them. One without an id has one, and one with an id of an earlier reply has a new one; two
    /// with the same id in this reply keep it, for the gate to judge.
    pub(super) judged: Vec<ToolCall>,
    /// Fit to be sent back.
    pub(super) recorded: Vec<ToolCall>,
}

impl ReplyCalls {
    /// `messages` are those before the reply.
    pub(super) fn new(messages: &[Message], calls: &[ToolCall]) -> Self {
        let mut taken: HashSet<String> = HashSet::new();
        if !calls.is_empty() {
            taken.extend(messages.iter().flat_map(calls_of).map(|call| call.id.clone()));
        }
        let mut first_with: HashMap<&str, String> = HashMap::new();
        let mut this =
            Self { judged: Vec::with_capacity(calls.len()), recorded: Vec::with_capacity(calls.len()) };
        for call in calls {
            let given = call.id.trim();
            let unique = claim_id(&mut taken, given);
            let judged = if given.is_empty() {
                unique.clone()
            } else {
                first_with.entry(given).or_insert_with(|| unique.clone()).clone()
            };
            this.judged.push(ToolCall { id: judged, ..call.clone() });
            this.recorded.push(ToolCall { id: unique, ..repaired(call) });
        }
        this
    }
}

/// `wanted`, or an id made up where that is empty or taken. Depends on the history alone: same state, same bytes.
fn claim_id(taken: &mut HashSet<String>, wanted: &str) -> String {
    let mut id = wanted.to_owned();
    let mut number = taken.len();
    while id.is_empty() || !taken.insert(id.clone()) {
        number += 1;
        id = format!("call_{number}");
    }
    id
}

fn calls_of(message: &Message) -> &[ToolCall] {
    match message {
        Message::Assistant { calls, .. } => calls,
        _ => &[],
    }
}

/// Makes messages from elsewhere fit to be sent.
pub(super) fn repair_messages(messages: &mut [Message]) {
    for message in messages {
        match message {
            Message::Assistant { calls, .. } => calls.iter_mut().for_each(|call| *call = repaired(call)),
            Message::Tool { name, .. } => *name = legal_name(name),
            _ => {}
        }
    }
}

/// The call with arguments and a name that every provider takes back.
fn repaired(call: &ToolCall) -> ToolCall {
    let arguments = match &call.arguments {
        Arguments::Text(text) | Arguments::Value(Value::String(text)) => object_text(text),
        Arguments::Value(value) => value.is_object().then(|| value.clone().into()),
    };
    ToolCall {
        id: call.id.clone(),
        name: legal_name(&call.name),
        arguments: arguments.unwrap_or_else(|| "{}".into()),
    }
}

/// `text` as it is if it holds a JSON object, or the object in the JSON string that it holds.
fn object_text(text: &str) -> Option<Arguments> {
    match serde_json::from_str(text).ok()? {
        Value::Object(_) => Some(text.into()),
        Value::String(inner) => {
            let object: Value = serde_json::from_str(&inner).ok()?;
            object.is_object().then(|| inner.into())
        }
        _ => None,
    }
}

fn legal_name(name: &str) -> String {
    ToolName::new(name).unwrap_or_else(|_| ToolName::from_wire("", name)).into()
}

/// The message that answers a call.
pub(super) fn answer(call: ToolCall, result: &CallResult) -> Message {
    Message::Tool { call_id: call.id, name: call.name, output: result.to_output(), status: result.status() }
}

/// Answers the last calls with the results of their batch, which was suspended, and says how many messages that added.
/// Calls that have a result keep it; results of another batch are left.
pub(super) fn answer_last_calls(messages: &mut Vec<Message>, results: &[CallResult]) -> usize {
    let Some(at) = messages.iter().rposition(|message| !calls_of(message).is_empty()) else { return 0 };
    let (before, after) = messages.split_at(at + 1);
    let calls = before.last().map(calls_of).unwrap_or_default();
    let is_their_batch = calls.len() == results.len()
        && calls.first().map(|call| &call.id) == results.first().map(|result| &result.call_id);
    if !is_their_batch {
        return 0;
    }
    let answered: HashSet<&str> = after
        .iter()
        .map_while(|message| match message {
            Message::Tool { call_id, .. } => Some(call_id.as_str()),
            _ => None,
        })
        .collect();
    let missing: Vec<Message> = calls
        .iter()
        .zip(results)
        .filter(|(call, _)| !answered.contains(call.id.as_str()))
        .map(|(call, result)| answer(call.clone(), result))
        .collect();
    let (place, added) = (at + 1 + answered.len(), missing.len());
    messages.splice(place..place, missing);
    added
}

/// Answers each call that has no result with `text`, at its place, and drops results that belong to no call.
pub(super) fn pair_results(messages: &mut Vec<Message>, text: &str) {
    let mut open: Vec<ToolCall> = Vec::new();
    let mut paired = Vec::with_capacity(messages.len());
    for message in mem::take(messages) {
        if let Message::Tool { call_id, .. } = &message {
            let Some(index) = open.iter().position(|call| call.id == *call_id) else { continue };
            open.remove(index);
        } else {
            paired.extend(open.drain(..).map(|call| unanswered(call, text)));
            open.extend_from_slice(calls_of(&message));
        }
        paired.push(message);
    }
    paired.extend(open.drain(..).map(|call| unanswered(call, text)));
    *messages = paired;
}

fn unanswered(call: ToolCall, text: &str) -> Message {
    Message::Tool {
        call_id: call.id,
        name: call.name,
        output: ToolOutput::text(text),
        status: ResultStatus::Cancelled,
    }
}

#[cfg(test)]
mod tests;
