//! What went wrong in a call: one text for the model, another for the host.

use std::{error::Error, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::text;

/// Longest error text that a model reads, in bytes.
pub(crate) const MAX_MODEL_MESSAGE: usize = 2_000;

/// What kind of failure a [`ToolError`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolErrorKind {
    /// The arguments are not what the schema says.
    InvalidArguments,
    /// The tool said no.
    Failed,
    /// The tool panicked.
    Panicked,
    /// The call passed its time-out.
    TimedOut,
    /// The call was cancelled before it ended.
    Cancelled,
    /// The host did not give a value that the tool needs.
    MissingContext,
}

/// A failed call. `Display` is the host's text; [`model_message`](Self::model_message) is the model's: one line, cut.
///
/// # Examples
/// ```
/// use tool_core::ToolError;
///
/// let error = ToolError::new("connect to 10.0.0.7: refused").for_model("The gateway is not reachable; try later.");
/// assert_eq!(error.to_string(), "connect to 10.0.0.7: refused");
/// assert_eq!(error.model_message(), "The gateway is not reachable; try later.");
/// ```
///
/// Serialises without its source.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolError(Box<Inner>);

#[derive(Clone, Serialize, Deserialize)]
struct Inner {
    kind: ToolErrorKind,
    message: String,
    model_message: String,
    #[serde(skip)]
    source: Option<Arc<dyn Error + Send + Sync>>,
}

impl ToolError {
    /// An error with the same text for host and model.
    pub fn new(message: impl Into<String>) -> Self {
        Self::of_kind(ToolErrorKind::Failed, message)
    }

    /// An error from any other; the model reads its `Display`, the sources stay with the host.
    pub fn from_error(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        let error = error.into();
        let mut this = Self::new(error.to_string());
        this.0.source = Some(error.into());
        this
    }

    pub(crate) fn of_kind(kind: ToolErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        let model_message = text::one_line(&message, MAX_MODEL_MESSAGE);
        Self(Box::new(Inner { kind, message, model_message, source: None }))
    }

    /// Sets what the model reads instead: one line, control characters removed, cut at 2,000 bytes.
    #[must_use]
    pub fn for_model(mut self, message: impl AsRef<str>) -> Self {
        self.0.model_message = text::one_line(message.as_ref(), MAX_MODEL_MESSAGE);
        self
    }

    /// What kind of failure this is.
    pub fn kind(&self) -> ToolErrorKind {
        self.0.kind
    }

    /// What the model reads.
    pub fn model_message(&self) -> &str {
        &self.0.model_message
    }
}

/// Sources do not count.
impl PartialEq for ToolError {
    fn eq(&self, other: &Self) -> bool {
        (self.kind(), &self.0.message, self.model_message())
            == (other.kind(), &other.0.message, other.model_message())
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolError")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("model_message", &self.0.model_message)
            .field("source", &self.0.source)
            .finish()
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl Error for ToolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}
