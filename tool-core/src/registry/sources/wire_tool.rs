//! A tool of a source as something callable.

use std::sync::Arc;

use serde_json::Value;

use super::HeldSource;
use crate::{
    Arguments, ContentPart, Tool, ToolContext, ToolDefinition, ToolError, ToolErrorKind, ToolFuture,
    ToolOptions, ToolOutput, text,
};

/// Calls its source by the name that the source gave.
pub(super) struct WireTool {
    pub(super) definition: ToolDefinition,
    pub(super) options: ToolOptions,
    pub(super) source: Arc<HeldSource>,
    pub(super) wire_name: Arc<str>,
}

impl Tool for WireTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn options(&self) -> &ToolOptions {
        &self.options
    }

    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a> {
        Box::pin(async move {
            let arguments = match arguments.to_value()? {
                Value::Object(arguments) => arguments,
                other => {
                    let message =
                        format!("the arguments must be an object, not {}", crate::schema::kind_of(&other));
                    return Err(ToolError::of_kind(ToolErrorKind::InvalidArguments, message));
                }
            };
            let output = self.source.source().call(&self.wire_name, arguments, &context).await?;
            Ok(cleaned(output))
        })
    }
}

/// What a source returns is data: nothing that a terminal would obey or a reader would not see.
fn cleaned(mut output: ToolOutput) -> ToolOutput {
    for part in output.parts_mut() {
        if let ContentPart::Text { text } = part {
            *text = text::clean(text, usize::MAX);
        }
    }
    output
}
