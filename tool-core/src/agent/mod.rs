//! A run loop over a session: model request, calls, model request, until the model answers.

mod message;
mod model;

pub use message::{Message, ResultStatus};
pub use model::{
    FinishReason, Model, ModelError, ModelErrorKind, ModelFuture, ModelReply, ModelRequest, ToolChoice, Usage,
};
