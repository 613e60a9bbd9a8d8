//! First step: what a function returned, split into a value and a [`ToolError`].
//!
//! The model reads the error's `Display`; its sources, and the alternate form of what has none, are for the host.

#![allow(clippy::unused_self, reason = "the tag that was chosen is the receiver")]

use std::{error::Error, fmt::Display};

use super::Probe;
use crate::ToolError;

/// `Result<_, ToolError>`: the author chose the words.
#[derive(Debug)]
pub struct Kept;
/// An error with sources.
#[derive(Debug)]
pub struct Chained;
/// A box or a report that holds an error.
#[derive(Debug)]
pub struct Boxed;
/// As [`Boxed`], for what only lends an error that may cross threads.
#[derive(Debug)]
pub struct SendBoxed;
/// Any other error.
#[derive(Debug)]
pub struct Displayed;
/// No `Result`.
#[derive(Debug)]
pub struct Plain;

/// An error that a tool can return. Implemented for every type that displays.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a tool",
    label = "not an error type of a tool",
    note = "implement `std::fmt::Display` for `{Self}`, or return `tool_core::ToolError`"
)]
pub trait ToolFailure: Display {}

#[diagnostic::do_not_recommend]
impl<E: Display> ToolFailure for E {}

impl<T> Probe<Result<T, ToolError>, 0> {
    /// The first choice.
    pub fn tag(&self) -> Kept {
        Kept
    }
}

impl<T, E: Error> Probe<Result<T, E>, 1> {
    /// The second choice.
    pub fn tag(&self) -> Chained {
        Chained
    }
}

impl<T, E: AsRef<dyn Error>> Probe<Result<T, E>, 2> {
    /// The third choice: `Box<dyn Error>`, `anyhow::Error`.
    pub fn tag(&self) -> Boxed {
        Boxed
    }
}

impl<T, E: AsRef<dyn Error + Send + Sync>> Probe<Result<T, E>, 3> {
    /// The fourth choice: `Box<dyn Error + Send + Sync>`.
    pub fn tag(&self) -> SendBoxed {
        SendBoxed
    }
}

impl<T, E> Probe<Result<T, E>, 4> {
    /// The last choice for a `Result`.
    pub fn tag(&self) -> Displayed {
        Displayed
    }
}

impl<T> Probe<T, 5> {
    /// No `Result`.
    pub fn tag(&self) -> Plain {
        Plain
    }
}

impl Kept {
    /// The result as it is.
    ///
    /// # Errors
    /// The function's.
    pub fn split<T>(self, result: Result<T, ToolError>) -> Result<T, ToolError> {
        result
    }
}

impl Chained {
    /// The error's text for the model, its sources for the host.
    ///
    /// # Errors
    /// The function's.
    pub fn split<T, E: Error>(self, result: Result<T, E>) -> Result<T, ToolError> {
        result.map_err(|error| with_sources(&error.to_string(), error.source()))
    }
}

impl Boxed {
    /// As [`Chained`]; a boxed [`ToolError`] keeps its two texts.
    ///
    /// # Errors
    /// The function's.
    pub fn split<T, E: AsRef<dyn Error>>(self, result: Result<T, E>) -> Result<T, ToolError> {
        result.map_err(|error| from_boxed(error.as_ref()))
    }
}

impl SendBoxed {
    /// As [`Boxed`].
    ///
    /// # Errors
    /// The function's.
    pub fn split<T, E: AsRef<dyn Error + Send + Sync>>(self, result: Result<T, E>) -> Result<T, ToolError> {
        result.map_err(|error| from_boxed(error.as_ref()))
    }
}

impl Displayed {
    /// The error's text for the model, its alternate form for the host.
    ///
    /// # Errors
    /// The function's.
    pub fn split<T, E: ToolFailure>(self, result: Result<T, E>) -> Result<T, ToolError> {
        result.map_err(|error| ToolError::new(format!("{error:#}")).for_model(error.to_string()))
    }
}

impl Plain {
    /// Nothing can fail.
    ///
    /// # Errors
    /// None.
    #[allow(clippy::unnecessary_wraps, reason = "as the other tags")]
    pub fn split<T>(self, value: T) -> Result<T, ToolError> {
        Ok(value)
    }
}

/// An error behind a pointer.
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
