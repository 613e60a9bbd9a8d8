//! What the expansion of `#[function_tool]` names, under one path that also works with the crate renamed. Not for
//! people, and no part of the public interface: it changes with the macro.

pub use std::{sync::Arc, time::Duration};

#[cfg(feature = "inventory")]
pub use inventory;
pub use schemars;
pub use serde;
pub use serde_json;

pub use super::{
    Declaration, FunctionCall, Made, ToolRef,
    arg::ToolArg,
    distinct::refuse_duplicate,
    future::{blocking, ready_err},
    method::{MethodCall, MethodDeclaration, MethodRef, MethodTool},
    read::read_args,
    returned::{Out, SchemaFn, default_of, no_output_schema, probe, shape},
    root::read_whole,
    slot::{Part, Slot, got, got_or, got_part, part_slot, slot},
};
pub use crate::{
    __submit as submit, Approval, Arguments, EnabledFn, FromContext, Json, Loading, Location, Requirements,
    Schema, SchemaError, Tool, ToolAnnotations, ToolContext, ToolError, ToolFuture, ToolKind, ToolOutput,
    schema::{Param, args, input_schema, param, param_with_default, part},
};
