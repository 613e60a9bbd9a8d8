//! Messages of a conversation, independent of any provider, serialisable.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ToolCall, ToolOutput};

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Message {
    /// Instructions of the operator.
    System {
        /// The text.
        text: String,
    },
    /// Input of the user.
    User {
        /// The text.
        text: String,
    },
    /// What the model answered: text, calls, or both.
    Assistant {
        /// The text; may be empty.
        text: String,
        /// The calls, in the model's order. Their arguments are well-formed JSON, whatever the model sent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        /// What the provider wants back with this message, as [`ModelReply::continuation`](crate::ModelReply) had it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        continuation: Option<Value>,
    },
    /// The result of one call.
    Tool {
        /// The id of the call.
        call_id: String,
        /// The name as called.
        name: String,
        /// What the model reads.
        output: ToolOutput,
        /// Whether the call succeeded, failed or was refused.
        status: ResultStatus,
    },
}

/// How the call behind a [`Message::Tool`] ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ResultStatus {
    /// The tool ran and returned.
    Succeeded,
    /// The gate refused the name.
    Refused,
    /// The tool failed, or its arguments could not be decoded.
    Failed,
    /// The run ended before the call did.
    Cancelled,
}
