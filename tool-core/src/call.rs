//! One invocation: what the model asked for and what it is answered.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ResultStatus, ToolError, ToolErrorKind, ToolOutput};

/// The arguments of a call, as they came: text (well-formed or not) or a JSON value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Arguments {
    /// JSON text as the model wrote it.
    Text(String),
    /// A value that somebody parsed already.
    Value(Value),
}

impl Default for Arguments {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Arguments {
    /// The arguments as JSON text.
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Value(value) => Cow::Owned(value.to_string()),
        }
    }

    /// The arguments as a value: nothing and `null` are an empty object, a JSON string is unpacked once.
    pub(crate) fn to_value(&self) -> Result<Value, ToolError> {
        let value = match self {
            Self::Value(value) => value.clone(),
            Self::Text(text) if text.trim().is_empty() => Value::Null,
            Self::Text(text) => parse(text)?,
        };
        match value {
            Value::String(text) if text.trim().is_empty() => Ok(Value::Object(serde_json::Map::new())),
            Value::String(text) => parse(&text),
            Value::Null => Ok(Value::Object(serde_json::Map::new())),
            value => Ok(value),
        }
    }
}

fn parse(text: &str) -> Result<Value, ToolError> {
    serde_json::from_str(text).map_err(|error| {
        ToolError::of_kind(ToolErrorKind::InvalidArguments, format!("Invalid JSON input: {error}"))
    })
}

impl From<String> for Arguments {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Arguments {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<Value> for Arguments {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

/// A call that the model asked for.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_core::ToolCall;
///
/// let call = ToolCall::new("call_1", "echo", json!({"msg": "hi"}));
/// assert_eq!(call.arguments.to_text(), r#"{"msg":"hi"}"#);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of this call; results are paired by it.
    pub id: String,
    /// The name as the model wrote it.
    pub name: String,
    /// The arguments as the model wrote them.
    pub arguments: Arguments,
}

impl ToolCall {
    /// A call with the given id, tool name and arguments.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: impl Into<Arguments>) -> Self {
        Self { id: id.into(), name: name.into(), arguments: arguments.into() }
    }
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallOutcome {
    /// The tool ran and returned.
    Succeeded(ToolOutput),
    /// The name is not in this turn's list; the text says so. The tool did not run.
    Refused(String),
    /// The host did not approve the call; the text says why. The tool did not run.
    NotApproved(String),
    /// The tool ran and failed, or its arguments could not be decoded.
    Failed(ToolError),
}

/// The one result of one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CallResult {
    /// The id of the call.
    pub call_id: String,
    /// The name as the model wrote it.
    pub name: String,
    /// How it ended.
    pub outcome: CallOutcome,
}

impl CallResult {
    pub(crate) fn new(call_id: String, name: String, outcome: CallOutcome) -> Self {
        Self { call_id, name, outcome }
    }

    /// What the model reads, as text. Images and other parts are described in brackets.
    pub fn text(&self) -> Cow<'_, str> {
        match &self.outcome {
            CallOutcome::Succeeded(output) => output.to_text(),
            CallOutcome::Refused(text) | CallOutcome::NotApproved(text) => Cow::Borrowed(text),
            CallOutcome::Failed(error) => Cow::Borrowed(error.model_message()),
        }
    }

    /// Whether the tool ran and returned.
    pub fn succeeded(&self) -> bool {
        matches!(self.outcome, CallOutcome::Succeeded(_))
    }

    /// Whether the gate refused the name.
    pub fn refused(&self) -> bool {
        matches!(self.outcome, CallOutcome::Refused(_))
    }

    /// The output, or the error as the model reads it.
    pub(crate) fn into_result(self) -> Result<ToolOutput, ToolError> {
        match self.outcome {
            CallOutcome::Succeeded(output) => Ok(output),
            CallOutcome::Refused(text) | CallOutcome::NotApproved(text) => Err(ToolError::new(text)),
            CallOutcome::Failed(error) => Err(error),
        }
    }

    /// Appends a line for the model, unless the tool was an ordinary one that ran.
    pub(crate) fn add_note(&mut self, note: &str) {
        match &mut self.outcome {
            CallOutcome::Succeeded(output) => *output = std::mem::take(output).with_text(note),
            CallOutcome::Refused(text) | CallOutcome::NotApproved(text) => {
                text.push(' ');
                text.push_str(note);
            }
            CallOutcome::Failed(_) => {}
        }
    }

    /// How it ended, for a history.
    pub fn status(&self) -> ResultStatus {
        match &self.outcome {
            CallOutcome::Succeeded(_) => ResultStatus::Succeeded,
            CallOutcome::Refused(_) | CallOutcome::NotApproved(_) => ResultStatus::Refused,
            CallOutcome::Failed(error) if error.kind() == ToolErrorKind::Cancelled => ResultStatus::Cancelled,
            CallOutcome::Failed(_) => ResultStatus::Failed,
        }
    }

    /// What the model reads, part by part; [`into_output`](Self::into_output) without the result.
    pub fn to_output(&self) -> ToolOutput {
        match &self.outcome {
            CallOutcome::Succeeded(output) => output.clone(),
            CallOutcome::Refused(_) | CallOutcome::NotApproved(_) | CallOutcome::Failed(_) => {
                ToolOutput::text(self.text())
            }
        }
    }

    /// What the model reads, part by part.
    pub fn into_output(self) -> ToolOutput {
        match self.outcome {
            CallOutcome::Succeeded(output) => output,
            CallOutcome::Refused(text) | CallOutcome::NotApproved(text) => ToolOutput::text(text),
            CallOutcome::Failed(error) => ToolOutput::text(error.model_message()),
        }
    }
}

impl fmt::Display for CallResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}
