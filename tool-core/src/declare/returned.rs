//! Turns what a function returns into what a model reads, chosen by the return type after all aliases are resolved.
//!
//! The expansion cannot see through `type Answer = Result<…>`, so the compiler chooses: `probe(&r).tag()` looks for an
//! inherent method on [`Probe<R, 0>`](Probe), then along its `Deref` chain on level 1, 2 …; the first level whose impl
//! fits `R` wins. The last level of each chain has no bounds, and all bounds are on the method that is called next, so
//! that a type that does not fit is one error with our words.

use std::{error::Error, fmt::Display, marker::PhantomData, ops::Deref};

use schemars::JsonSchema;
use serde::Serialize;

use super::returned_text;
use crate::{
    Json, ToolError, ToolErrorKind, ToolOutput,
    schema::{self, Schema, SchemaError},
};

/// Makes a schema.
pub type SchemaFn = fn() -> Result<Schema, SchemaError>;

/// Chooses how `R` is split into a value and an error.
#[derive(Debug)]
pub struct Probe<R, const LEVEL: u8>(PhantomData<fn() -> R>);
/// Chooses how `R` is shown to the model.
#[derive(Debug)]
pub struct Shape<R, const LEVEL: u8>(PhantomData<fn() -> R>);
/// Chooses whether `R` has an output schema.
#[derive(Debug)]
pub struct Out<R, const LEVEL: u8 = 0>(PhantomData<fn() -> R>);
/// Chooses whether a default can be shown in a schema.
#[derive(Debug)]
pub struct DefaultOf<T, const LEVEL: u8>(PhantomData<fn() -> T>);

macro_rules! levels {
    ($chain:ident: $($from:literal -> $to:literal),+) => {$(
        impl<R> Deref for $chain<R, $from> {
            type Target = $chain<R, $to>;

            fn deref(&self) -> &Self::Target {
                &$chain(PhantomData)
            }
        }
    )+};
}
levels!(Probe: 0 -> 1, 1 -> 2, 2 -> 3, 3 -> 4, 4 -> 5);
levels!(Shape: 0 -> 1);
levels!(Out: 0 -> 1);
levels!(DefaultOf: 0 -> 1);

/// First step: value and error.
pub fn probe<R>(_: &R) -> Probe<R, 0> {
    Probe(PhantomData)
}

/// Second step: what the model reads of the value.
pub fn shape<R>(_: &R) -> Shape<R, 0> {
    Shape(PhantomData)
}

/// How to show a default in a schema.
pub fn default_of<T>(_: &T) -> DefaultOf<T, 0> {
    DefaultOf(PhantomData)
}

/// `Result<_, ToolError>`: the author chose the words.
#[derive(Debug)]
pub struct Kept;
/// An error with sources.
#[derive(Debug)]
pub struct Chained;
/// A box or report that holds an error.
#[derive(Debug)]
pub struct Boxed;
/// A box that holds an error that may cross threads.
#[derive(Debug)]
pub struct SendBoxed;
/// Any other error.
#[derive(Debug)]
pub struct Displayed;
/// No `Result`.
#[derive(Debug)]
pub struct Plain;

#[allow(missing_docs, clippy::unused_self, reason = "called by the expansion only; the types say it")]
mod tags {
    use super::*;

    impl<T> Probe<Result<T, ToolError>, 0> {
        pub fn tag(&self) -> Kept {
            Kept
        }
    }
    impl<T, E: Error> Probe<Result<T, E>, 1> {
        pub fn tag(&self) -> Chained {
            Chained
        }
    }
    impl<T, E: AsRef<dyn Error>> Probe<Result<T, E>, 2> {
        pub fn tag(&self) -> Boxed {
            Boxed
        }
    }
    impl<T, E: AsRef<dyn Error + Send + Sync>> Probe<Result<T, E>, 3> {
        pub fn tag(&self) -> SendBoxed {
            SendBoxed
        }
    }
    impl<T, E> Probe<Result<T, E>, 4> {
        pub fn tag(&self) -> Displayed {
            Displayed
        }
    }
    impl<T> Probe<T, 5> {
        pub fn tag(&self) -> Plain {
            Plain
        }
    }

    impl Shape<ToolOutput, 0> {
        pub fn tag(&self) -> WholeOutput {
            WholeOutput
        }
    }
    impl<T> Shape<Json<T>, 0> {
        pub fn tag(&self) -> Structured {
            Structured
        }
    }
    impl Shape<String, 0> {
        pub fn tag(&self) -> OwnedText {
            OwnedText
        }
    }
    impl<T> Shape<T, 1> {
        pub fn tag(&self) -> Value {
            Value
        }
    }
}

impl Kept {
    /// The result as it is.
    pub fn split<T>(self, result: Result<T, ToolError>) -> Result<T, ToolError> {
        result
    }
}

impl Chained {
    /// The error's text for the model, its sources for the host.
    pub fn split<T, E: Error>(self, result: Result<T, E>) -> Result<T, ToolError> {
        result.map_err(|error| with_sources(&error.to_string(), error.source()))
    }
}

impl Boxed {
    /// As [`Chained`]; a boxed [`ToolError`] keeps its two texts.
    pub fn split<T, E: AsRef<dyn Error>>(self, result: Result<T, E>) -> Result<T, ToolError> {
        result.map_err(|error| from_boxed(error.as_ref()))
    }
}

impl SendBoxed {
    /// As [`Boxed`].
    pub fn split<T, E: AsRef<dyn Error + Send + Sync>>(self, result: Result<T, E>) -> Result<T, ToolError> {
        result.map_err(|error| from_boxed(error.as_ref()))
    }
}

impl Displayed {
    /// The error's text for the model; its alternate form for the host.
    pub fn split<T, E: ToolFailure>(self, result: Result<T, E>) -> Result<T, ToolError> {
        result.map_err(|error| ToolError::new(format!("{error:#}")).for_model(error.to_string()))
    }
}

impl Plain {
    /// Nothing can fail.
    ///
    /// # Errors
    /// None.
    pub fn split<T>(self, value: T) -> Result<T, ToolError> {
        Ok(value)
    }
}

#[cold]
pub(crate) fn from_boxed(error: &(dyn Error + 'static)) -> ToolError {
    if let Some(kept) = error.downcast_ref::<ToolError>() {
        return ToolError::of_kind(kept.kind(), kept.to_string()).for_model(kept.model_message());
    }
    with_sources(&error.to_string(), error.source())
}

#[cold]
fn with_sources(text: &str, mut source: Option<&(dyn Error + 'static)>) -> ToolError {
    let mut chain = text.to_owned();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Many errors repeat their source in their own text.
        if !chain.ends_with(&cause_text) {
            chain.push_str(": ");
            chain.push_str(&cause_text);
        }
        source = cause.source();
    }
    ToolError::new(chain).for_model(text)
}

/// An error that a tool can return. Implemented for every type that displays.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "not an error type of a tool",
    note = "implement `std::fmt::Display` for `{Self}`, or return `tool_core::ToolError`"
)]
pub trait ToolFailure: Display {}

#[diagnostic::do_not_recommend]
impl<E: Display> ToolFailure for E {}

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

/// Several parts, as the author made them.
#[derive(Debug)]
pub struct WholeOutput;
/// JSON text and the value.
#[derive(Debug)]
pub struct Structured;
/// A text.
#[derive(Debug)]
pub struct OwnedText;
/// Anything that serialises.
#[derive(Debug)]
pub struct Value;

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

impl Value {
    /// The value as text: strings without quotes, `()` as `ok`, all else as JSON.
    ///
    /// # Errors
    /// Where the value's own `Serialize` fails.
    pub fn finish<T: ToolValue>(self, value: T) -> Result<ToolOutput, ToolError> {
        to_output(&value)
    }
}

impl Structured {
    /// The value as JSON text, and as the structured value of the output.
    ///
    /// # Errors
    /// Where the value's own `Serialize` fails.
    pub fn finish<T: JsonValue>(self, json: Json<T>) -> Result<ToolOutput, ToolError> {
        structured(&json.0)
    }
}

pub(crate) fn to_output<T: Serialize>(value: &T) -> Result<ToolOutput, ToolError> {
    returned_text::to_text(value).map(ToolOutput::text).map_err(unserialisable)
}

pub(crate) fn structured<T: Serialize>(value: &T) -> Result<ToolOutput, ToolError> {
    let structured = serde_json::to_value(value).map_err(unserialisable)?;
    let text = serde_json::to_string(value).map_err(unserialisable)?;
    Ok(ToolOutput::text(text).with_structured(structured))
}

#[cold]
fn unserialisable(error: serde_json::Error) -> ToolError {
    ToolError::of_kind(ToolErrorKind::Failed, format!("the result does not serialise: {error}"))
        .for_model("The tool ran, but its result could not be written as JSON.")
}

impl<R> Out<R, 0> {
    /// For the return type `R`.
    #[allow(clippy::new_without_default, reason = "called by the expansion only")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: JsonValue> Out<Json<T>, 0> {
    /// The schema of `T`.
    pub fn schema(&self) -> Option<SchemaFn> {
        Some(schema::output_schema::<T>)
    }
}

impl<T: JsonValue, E> Out<Result<Json<T>, E>, 0> {
    /// The schema of `T`.
    pub fn schema(&self) -> Option<SchemaFn> {
        Some(schema::output_schema::<T>)
    }
}

impl<R> Out<R, 1> {
    /// No output schema.
    pub fn schema(&self) -> Option<SchemaFn> {
        None
    }
}

/// What a function without a result answers.
///
/// # Errors
/// None.
pub fn unit() -> Result<ToolOutput, ToolError> {
    Ok(ToolOutput::text("ok"))
}

impl<T: Serialize> DefaultOf<T, 0> {
    /// The default as JSON.
    pub fn value(&self, default: &T) -> Option<serde_json::Value> {
        serde_json::to_value(default).ok()
    }
}

impl<T> DefaultOf<T, 1> {
    /// A default that does not serialise is not shown.
    pub fn value(&self, _: &T) -> Option<serde_json::Value> {
        None
    }
}
