//! What the expansion of `#[function_tool]` names, under one path that also works with the crate renamed. Not for
//! people, and no part of the public interface: it changes with the macro.

pub use std::{boxed::Box, string::String, sync::Arc, time::Duration, vec::Vec};

#[cfg(feature = "inventory")]
pub use inventory;
pub use schemars;
pub use serde;
pub use serde_json;
pub use tool_macros::tools_impl;

pub use super::{
    Declaration, FunctionCall, Made, ToolRef,
    arg::ToolArg,
    distinct::refuse_duplicate,
    future::{blocking, failed},
    method::{MethodDeclaration, MethodRef, method},
    read::read_args,
    returned::{Out, SchemaFn, default_of, probe, shape, unit},
    root::read_all,
    slot::{Part, Slot, got, got_or, got_part, part_slot, slot},
};
pub use crate::{
    __submit as submit, Approval, Arguments, EnabledFn, FromContext, Json, Loading, Location, Requirements,
    Schema, SchemaError, Tool, ToolAnnotations, ToolContext, ToolError, ToolFuture, ToolKind, ToolOutput,
    schema::{Param, args_schema, input_schema, param, part},
};

/// The place of the attribute.
#[track_caller]
pub const fn here() -> Location {
    Location::caller()
}

/// The value of a `#[context]` parameter.
///
/// # Errors
/// Where the host gave no such value.
pub fn context<'c, C: FromContext<'c>>(context: &'c ToolContext) -> Result<C, ToolError> {
    C::from_context(context)
}

/// Names what a `#[context]` parameter looks up.
pub fn requires<'c, C: FromContext<'c>>(requirements: &mut Requirements) {
    C::requires(requirements);
}
