//! The frozen view for one model request: what the model may see and call.

use crate::ToolDefinition;

/// What the model may see and call in one request.
#[derive(Debug)]
pub struct Turn {
    tools: Vec<ToolDefinition>,
}

impl Turn {
    /// The list to send, in order.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &ToolDefinition> {
        self.tools.iter()
    }
}
