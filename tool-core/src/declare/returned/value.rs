//! Second step: what the model reads of a value.

#![allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "the tag that was chosen is the receiver")]

use schemars::JsonSchema;
use serde::Serialize;

use super::{Shape, text};
use crate::{Json, ToolError, ToolErrorKind, ToolOutput};

/// Several parts, as the author made them.
#[derive(Debug)]
pub struct WholeOutput;
/// JSON text and the value.
#[derive(Debug)]
pub struct Structured;
/// A text that can be moved.
#[derive(Debug)]
pub struct OwnedText;
/// Anything that serialises.
#[derive(Debug)]
pub struct Serialised;

/// A value that a tool can return. Implemented for every type that serialises.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "not a result type of a tool",
    note = "derive `serde::Serialize` for `{Self}`, or return text or `tool_core::ToolOutput`"
)]
pub trait ToolValue: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> ToolValue for T {}

/// A value that `Json` can hold as the result of a tool.
#[diagnostic::on_unimplemented(
    message = "`Json<{Self}>` cannot be the result of a tool",
    label = "not a structured result type",
    note = "every type in `{Self}` needs `serde::Serialize` and `schemars::JsonSchema`: derive both"
)]
pub trait JsonValue: Serialize + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> JsonValue for T {}

impl Shape<ToolOutput, 0> {
    /// A choice by type.
    pub fn tag(&self) -> WholeOutput {
        WholeOutput
    }
}

impl<T> Shape<Json<T>, 0> {
    /// A choice by type.
    pub fn tag(&self) -> Structured {
        Structured
    }
}

impl Shape<String, 0> {
    /// A choice by type.
    pub fn tag(&self) -> OwnedText {
        OwnedText
    }
}

impl<T> Shape<T, 1> {
    /// All other types.
    pub fn tag(&self) -> Serialised {
        Serialised
    }
}

impl WholeOutput {
    /// The output as it is.
    ///
    /// # Errors
    /// None.
    pub fn finish(self, output: ToolOutput) -> Result<ToolOutput, ToolError> {
        Ok(output)
    }
}

impl OwnedText {
    /// The text as it is.
    ///
    /// # Errors
    /// None.
    pub fn finish(self, text: String) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text(text))
    }
}

impl Serialised {
    /// Strings without quotes, `()` as `ok`, all else as JSON.
    ///
    /// # Errors
    /// Where the value's own `Serialize` fails.
    #[allow(clippy::needless_pass_by_value, reason = "as the other tags")]
    pub fn finish<T: ToolValue>(self, value: T) -> Result<ToolOutput, ToolError> {
        serialised(&value)
    }
}

impl Structured {
    /// The value as JSON text, and as the structured value of the output.
    ///
    /// # Errors
    /// Where the value's own `Serialize` fails.
    #[allow(clippy::needless_pass_by_value, reason = "as the other tags")]
    pub fn finish<T: JsonValue>(self, json: Json<T>) -> Result<ToolOutput, ToolError> {
        structured(&json.0)
    }
}

pub(crate) fn serialised<T: Serialize>(value: &T) -> Result<ToolOutput, ToolError> {
    text::of(value).map(ToolOutput::text).map_err(|error| unserialisable(&error))
}

pub(crate) fn structured<T: Serialize>(value: &T) -> Result<ToolOutput, ToolError> {
    let structured = serde_json::to_value(value).map_err(|error| unserialisable(&error))?;
    let text = serde_json::to_string(value).map_err(|error| unserialisable(&error))?;
    Ok(ToolOutput::text(text).with_structured(structured))
}

#[cold]
fn unserialisable(error: &serde_json::Error) -> ToolError {
    ToolError::of_kind(ToolErrorKind::Failed, format!("the result does not serialise: {error}"))
        .for_model("The tool ran, but its result could not be written as JSON.")
}

/// What a function without a result answers.
///
/// # Errors
/// None.
pub fn unit() -> Result<ToolOutput, ToolError> {
    Ok(ToolOutput::text("ok"))
}
