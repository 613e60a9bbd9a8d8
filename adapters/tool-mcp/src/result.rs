//! The result of a call as MCP sends it. Whatever happens, the model must see it: never a JSON-RPC error.

use rmcp::model::{CallToolResult, ContentBlock};
use tool_core::{CallResult, ContentPart};

/// A result for `tools/call`: refused, failed and not approved calls are errors of the tool.
pub(crate) fn to_mcp(result: CallResult) -> CallToolResult {
    let succeeded = result.succeeded();
    let output = result.into_output();
    let content = output
        .parts()
        .iter()
        .map(|part| match part {
            ContentPart::Image { media_type, data } => ContentBlock::image(data.clone(), media_type.clone()),
            ContentPart::Text { text } => ContentBlock::text(text.clone()),
            other => ContentBlock::text(format!("{other:?}")),
        })
        .collect();
    let mut sent = if succeeded { CallToolResult::success(content) } else { CallToolResult::error(content) };
    if succeeded {
        sent.structured_content = output.structured().cloned();
    }
    sent
}
