//! The seam to a language model: [`Model::respond`] is all that an adapter implements.

use std::{error::Error, fmt, future::Future, pin::Pin, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Message;
use crate::{ToolCall, Turn, text};

/// Longest text of a [`ModelError`], in bytes: room for a provider's whole list of faults of a schema.
const MAX_MESSAGE: usize = 4_000;

/// The future of one model request.
pub type ModelFuture<'a> = Pin<Box<dyn Future<Output = Result<ModelReply, ModelError>> + Send + 'a>>;

/// A language model that can call tools.
pub trait Model: Send + Sync + 'static {
    /// Sends one request and waits for the whole reply. Dropping the future cancels the request.
    fn respond<'a>(&'a self, request: ModelRequest<'a>) -> ModelFuture<'a>;

    /// Who answers, for the `chat` span of each request; not known unless the adapter says it.
    fn identity(&self) -> ModelIdentity<'_> {
        ModelIdentity::default()
    }
}

impl<M: Model + ?Sized> Model for Arc<M> {
    fn respond<'a>(&'a self, request: ModelRequest<'a>) -> ModelFuture<'a> {
        (**self).respond(request)
    }

    fn identity(&self) -> ModelIdentity<'_> {
        (**self).identity()
    }
}

/// Who answers, as spans name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ModelIdentity<'a> {
    /// The provider by its well-known name: `openai`, `anthropic`, `gcp.gemini`, ….
    pub provider: Option<&'a str>,
    /// The model as it is asked for.
    pub model: Option<&'a str>,
}

impl<'a> ModelIdentity<'a> {
    /// A model of a provider.
    pub fn new(provider: Option<&'a str>, model: &'a str) -> Self {
        Self { provider, model: Some(model) }
    }
}

/// One request: the messages so far, and the turn whose tools are offered.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ModelRequest<'a> {
    /// System, user, assistant and tool messages, oldest first.
    pub messages: &'a [Message],
    /// `turn.tools()` is the list to send.
    pub turn: &'a Turn,
    /// Whether the model may, must or must not call.
    pub choice: ToolChoice,
}

impl<'a> ModelRequest<'a> {
    /// A request with [`ToolChoice::Auto`].
    pub fn new(messages: &'a [Message], turn: &'a Turn) -> Self {
        Self { messages, turn, choice: ToolChoice::Auto }
    }
}

/// Whether the model may, must or must not call a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// At least one call.
    Required,
    /// No call.
    None,
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct ModelReply {
    /// Text of the answer; may be empty.
    pub text: String,
    /// Calls in the model's order, arguments as they came.
    pub calls: Vec<ToolCall>,
    /// Tokens as the provider counted them.
    pub usage: Usage,
    /// Why the model stopped.
    pub finish: FinishReason,
    /// What the provider wants back with this reply, such as the signatures of its reasoning. Written and read by the
    /// [`Model`] alone; it travels in the message.
    pub continuation: Option<Value>,
}

impl ModelReply {
    /// A reply of text only.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// A reply of calls only.
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self { calls: calls.into_iter().collect(), finish: FinishReason::ToolCalls, ..Self::default() }
    }

    /// Sets the usage.
    #[must_use]
    pub fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Sets the finish reason.
    #[must_use]
    pub fn with_finish(mut self, finish: FinishReason) -> Self {
        self.finish = finish;
        self
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum FinishReason {
    /// It was done.
    #[default]
    Stop,
    /// It wants tools called.
    ToolCalls,
    /// The token limit cut it; the last call may be broken.
    Length,
    /// The provider withheld the answer.
    Filtered,
    /// Anything else, or not said.
    Other,
}

/// Tokens as a provider counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens of the request.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
}

impl Usage {
    /// Tokens of request and answer.
    pub fn new(input_tokens: u64, output_tokens: u64) -> Self {
        Self { input_tokens, output_tokens }
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}

/// Why a model request failed.
#[derive(Debug)]
pub struct ModelError {
    kind: ModelErrorKind,
    message: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What kind of failure a [`ModelError`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// The provider could not be reached, or the connection broke.
    Connection,
    /// The provider asks to slow down (429).
    RateLimited,
    /// The provider refused the request (other 4xx): sending it again will not help.
    Rejected,
    /// The key is missing or wrong.
    Unauthorized,
    /// The provider failed (5xx).
    Unavailable,
    /// The answer cannot be understood.
    InvalidReply,
    /// Anything else.
    Other,
}

impl ModelError {
    /// An error of a kind, with the provider's own words: kept, but cleaned of control and invisible characters and
    /// cut at 4,000 bytes, as they come from outside.
    pub fn new(kind: ModelErrorKind, message: impl AsRef<str>) -> Self {
        Self { kind, message: text::clean(message.as_ref(), MAX_MESSAGE), source: None }
    }

    /// Keeps the error behind this one.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What kind of failure this is.
    pub fn kind(&self) -> ModelErrorKind {
        self.kind
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for ModelError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}
