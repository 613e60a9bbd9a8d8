//! Results as they came on the wire, before any typed model drops or reorders what is in them.
//!
//! The transports look at what goes out: of each `tools/list` and `tools/call` the id is noted. When the answer comes, its
//! text is kept here, and rmcp gets what it can read of it or an empty result; whoever sent the request takes the text by
//! its id.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The answer to one request.
#[derive(Debug, Clone)]
pub(super) enum RawAnswer {
    /// The JSON text of `result`.
    Result(Box<RawValue>),
    /// The JSON text of `error`.
    Error(Box<RawValue>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    List,
    Call,
}

type Noted = HashMap<RequestId, (Expected, Option<RawAnswer>)>;

/// The answers of one connection.
#[derive(Debug, Default)]
pub(super) struct RawAnswers {
    /// Without an answer until it comes.
    noted: Mutex<Noted>,
    /// Lines and messages that were no MCP.
    skipped: AtomicU64,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(default)]
    result: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<Box<RawValue>>,
}

impl RawAnswers {
    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a message that goes out; `true` says that its answer will be kept.
    pub(super) fn note(&self, message: &ClientJsonRpcMessage) -> bool {
        let JsonRpcMessage::Request(request) = message else { return false };
        let expected = match request.request {
            ClientRequest::ListToolsRequest(_) => Expected::List,
            ClientRequest::CallToolRequest(_) => Expected::Call,
            _ => return false,
        };
        self.lock().insert(request.id.clone(), (expected, None));
        true
    }

    /// Takes the answer to a request, or forgets the request.
    pub(super) fn take(&self, id: &RequestId) -> Option<RawAnswer> {
        self.lock().remove(id).and_then(|(_, answer)| answer)
    }

    /// How many lines were no messages.
    pub(super) fn skipped(&self) -> u64 {
        self.skipped.load(Ordering::Relaxed)
    }

    pub(super) fn skip(&self) {
        self.skipped.fetch_add(1, Ordering::Relaxed);
    }

    /// The messages in a text that came in: one, several in a batch, or none if it is noise.
    pub(super) fn receive(&self, text: &str) -> Vec<ServerJsonRpcMessage> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Vec::new();
        }
        if text.starts_with('[')
            && let Ok(batch) = serde_json::from_str::<Vec<&RawValue>>(text)
        {
            return batch.into_iter().filter_map(|message| self.receive_one(message.get())).collect();
        }
        self.receive_one(text).into_iter().collect()
    }

    fn receive_one(&self, text: &str) -> Option<ServerJsonRpcMessage> {
        let kept = serde_json::from_str(text).ok().and_then(|envelope| self.keep(envelope));
        let message = match kept {
            // Of a list of tools rmcp wants to know the headers that its calls need.
            Some((id, Expected::List)) => match serde_json::from_str(text) {
                Ok(message @ JsonRpcMessage::Response(_)) => Some(message),
                _ => Some(JsonRpcMessage::response(ServerResult::empty(()), id)),
            },
            Some((id, Expected::Call)) => Some(JsonRpcMessage::response(ServerResult::empty(()), id)),
            None => serde_json::from_str(text).ok(),
        };
        if message.is_none() {
            self.skip();
        }
        message
    }

    /// Keeps the answer to a noted request.
    fn keep(&self, envelope: Envelope<'_>) -> Option<(RequestId, Expected)> {
        if envelope.method.is_some() {
            return None;
        }
        let id = self.noted_id(envelope.id?.get())?;
        let answer = match (envelope.error, envelope.result) {
            (Some(error), _) if error.get() != "null" => RawAnswer::Error(error),
            (_, Some(result)) => RawAnswer::Result(result),
            // `result` is null, or missing.
            _ => RawAnswer::Result(RawValue::NULL.to_owned()),
        };
        let mut noted = self.lock();
        let (expected, place) = noted.get_mut(&id)?;
        // A second answer to the same request changes nothing.
        place.get_or_insert(answer);
        Some((id, *expected))
    }

    /// The request that an answer is for; some servers turn the number into a string.
    fn noted_id(&self, text: &str) -> Option<RequestId> {
        let id: RequestId = serde_json::from_str(text).ok()?;
        let noted = self.lock();
        if noted.contains_key(&id) {
            return Some(id);
        }
        let as_number = match &id {
            RequestId::String(text) => RequestId::Number(text.parse().ok()?),
            RequestId::Number(_) => return None,
        };
        noted.contains_key(&as_number).then_some(as_number)
    }
}
