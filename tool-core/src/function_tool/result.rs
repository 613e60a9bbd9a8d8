//! What a closure may return.
//!
//! The macro chooses by the written type; here the choice is by traits, so a value that is no `Result` must be of a type
//! in the list below, and all else that serialises goes into `Ok`.

use std::{any::Any, borrow::Cow, error::Error};

use serde::Serialize;
use serde_json::Value;

use crate::{
    Json, ToolError, ToolOutput,
    declare::{JsonValue, SchemaFn, from_boxed, serialised, structured},
    schema,
};

/// What the closure of a [`FunctionTool`](crate::FunctionTool) returns: text, `()`, numbers, lists, JSON values,
/// [`Json`], [`ToolOutput`], or a `Result` of one of these or of any type that serialises.
///
/// An error is whatever `?` turns into a `Box<dyn Error + Send + Sync>`: the model reads its text, its sources are for
/// the host; a [`ToolError`] keeps its two texts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "not a result of a tool",
    note = "return text, `Json<_>`, `ToolOutput`, or a `Result` of a type that serialises"
)]
pub trait IntoToolResult {
    /// What the model reads, or why the call failed.
    ///
    /// # Errors
    /// The closure's own error, or that of serialising what it returned.
    fn into_tool_result(self) -> Result<ToolOutput, ToolError>;

    /// Makes the output schema, for `Json<_>`.
    #[doc(hidden)]
    fn output_schema() -> Option<SchemaFn> {
        None
    }
}

/// What can be in the `Ok` of a tool: every type that serialises, [`Json`], and [`ToolOutput`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "not a result type of a tool",
    note = "derive `serde::Serialize` for `{Self}`, or return text or `tool_core::ToolOutput`"
)]
pub trait IntoToolOutput {
    /// What the model reads: strings without quotes, `()` as `ok`, all else as JSON.
    ///
    /// # Errors
    /// Where the value's own `Serialize` fails.
    fn into_tool_output(self) -> Result<ToolOutput, ToolError>;

    /// Makes the output schema, for `Json<_>`.
    #[doc(hidden)]
    fn output_schema() -> Option<SchemaFn> {
        None
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + 'static> IntoToolOutput for T {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        // `ToolOutput` serialises too, for transcripts, so it is told apart here.
        let mut value = Some(self);
        match (&mut value as &mut dyn Any).downcast_mut::<Option<ToolOutput>>().and_then(Option::take) {
            Some(output) => Ok(output),
            None => serialised(&value),
        }
    }
}

impl<T: JsonValue> IntoToolOutput for Json<T> {
    fn into_tool_output(self) -> Result<ToolOutput, ToolError> {
        structured(&self.0)
    }

    fn output_schema() -> Option<SchemaFn> {
        Some(schema::output_schema::<T>)
    }
}

impl<T: IntoToolOutput, E: Into<Box<dyn Error + Send + Sync>>> IntoToolResult for Result<T, E> {
    fn into_tool_result(self) -> Result<ToolOutput, ToolError> {
        self.map_err(|error| from_boxed(error.into().as_ref()))?.into_tool_output()
    }

    fn output_schema() -> Option<SchemaFn> {
        T::output_schema()
    }
}

impl<T: JsonValue> IntoToolResult for Json<T> {
    fn into_tool_result(self) -> Result<ToolOutput, ToolError> {
        self.into_tool_output()
    }

    fn output_schema() -> Option<SchemaFn> {
        <Self as IntoToolOutput>::output_schema()
    }
}

macro_rules! plain {
    ($([$($generics:tt)*] $type:ty),+ $(,)?) => {$(
        impl<$($generics)*> IntoToolResult for $type {
            fn into_tool_result(self) -> Result<ToolOutput, ToolError> {
                self.into_tool_output()
            }
        }
    )+};
}
plain! {
    [] (), [] bool, [] char, [] i8, [] i16, [] i32, [] i64, [] i128, [] isize, [] u8, [] u16, [] u32, [] u64, [] u128,
    [] usize, [] f32, [] f64, [] String, [] &'static str, [] Cow<'static, str>, [] Value, [] ToolOutput,
    [T: Serialize + 'static] Vec<T>, [T: Serialize + 'static] Option<T>,
}
