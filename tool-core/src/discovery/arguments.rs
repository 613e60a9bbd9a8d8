//! Reads the few arguments of the library's own tools, with a text for each way to get them wrong.

use serde_json::{Map, Value};

use crate::{Arguments, ToolError, ToolErrorKind, text};

/// The members that are still to be read.
pub(crate) struct Members(Map<String, Value>);

pub(crate) fn invalid(message: impl Into<String>) -> ToolError {
    ToolError::of_kind(ToolErrorKind::InvalidArguments, message)
}

impl Members {
    pub(crate) fn of(arguments: &Arguments) -> Result<Self, ToolError> {
        match arguments.to_value()? {
            Value::Object(members) => Ok(Self(members)),
            _ => Err(invalid("the arguments must be a JSON object")),
        }
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<String, ToolError> {
        self.optional_text(name)?.ok_or_else(|| invalid(format!("missing argument `{name}`")))
    }

    pub(crate) fn optional_text(&mut self, name: &str) -> Result<Option<String>, ToolError> {
        match self.0.remove(name) {
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(invalid(format!("Invalid '{name}': must be a string."))),
            None => Ok(None),
        }
    }

    /// A JSON number without a fraction, clamped to 1..=`max`.
    pub(crate) fn clamped(&mut self, name: &str, default: usize, max: usize) -> Result<usize, ToolError> {
        let Some(value) = self.0.remove(name) else { return Ok(default) };
        #[allow(clippy::cast_precision_loss, reason = "small")]
        let float =
            value.as_f64().filter(|float| float.fract() == 0.0).map(|float| float.clamp(1.0, max as f64));
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped, without a fraction"
        )]
        float
            .map(|float| float as usize)
            .ok_or_else(|| invalid(format!("Invalid '{name}': must be an integer between 1 and {max}.")))
    }

    pub(crate) fn value(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// Refuses what is left over.
    pub(crate) fn end(self, expected: &str) -> Result<(), ToolError> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(unknown) => {
                Err(invalid(format!("unknown argument `{}`; expected {expected}", text::echo(unknown))))
            }
        }
    }
}
