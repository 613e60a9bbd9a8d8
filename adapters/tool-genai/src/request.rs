//! A [`ModelRequest`] as genai's request and options. Called once per request by the model.
//!
//! The tools are those of the turn, in its order, and nothing else. Their schemas are sent as they are.

use std::fmt::Display;

use genai::{
    adapter::AdapterKind,
    chat::{ChatOptions, ChatRequest, Tool, ToolChoice as GenaiChoice},
};
use serde_json::{Map, Value, json};
use tool_core::{ModelError, ModelErrorKind, ModelRequest, ToolChoice, ToolDefinition};

use crate::history;

pub(crate) fn chat_request(
    request: ModelRequest<'_>,
    adapter: AdapterKind,
) -> Result<ChatRequest, ModelError> {
    let mut chat = ChatRequest::new(history::chat_messages(request.messages, adapter));
    let tools: Vec<Tool> =
        request.turn.tools().map(|tool| chat_tool(tool, adapter)).collect::<Result<_, _>>()?;
    // An empty list is refused by some servers; a missing one by none.
    if !tools.is_empty() {
        chat.tools = Some(tools);
    }
    Ok(chat)
}

fn chat_tool(definition: &ToolDefinition, adapter: AdapterKind) -> Result<Tool, ModelError> {
    let unusable = |error: &dyn Display| {
        ModelError::new(ModelErrorKind::Other, format!("the schema of `{}`: {error}", definition.name()))
    };
    let text = definition.input_schema().map_err(|error| unusable(error))?.as_str();
    let schema: Value = serde_json::from_str(text).map_err(|error| unusable(&error))?;
    let tool =
        Tool::new(definition.name().as_str()).with_description(definition.description()).with_schema(schema);
    // The Responses API takes a missing `strict` as true and then makes every parameter required.
    Ok(if adapter == AdapterKind::OpenAIResp { tool.with_strict(false) } else { tool })
}

pub(crate) fn chat_options(
    options: &ChatOptions,
    request: ModelRequest<'_>,
    adapter: AdapterKind,
    chat: &ChatRequest,
) -> ChatOptions {
    let mut options = options.clone();
    // Where genai cannot read an answer, the adapter reads the body.
    options.capture_raw_body = Some(true);
    match &chat.tools {
        // A choice without tools is refused.
        None => options.tool_choice = None,
        Some(tools) => {
            match request.choice {
                ToolChoice::Required => options.tool_choice = Some(GenaiChoice::Required),
                ToolChoice::None => options.tool_choice = Some(GenaiChoice::None),
                _ => {}
            }
            keep_own_web_search(&mut options, adapter, tools);
        }
    }
    options
}

/// On two wires genai takes the name `web_search` for the provider's own tool and drops description and schema of a
/// tool of that name. Members of the extra body win, so the list is written here where such a tool is in it.
fn keep_own_web_search(options: &mut ChatOptions, adapter: AdapterKind, tools: &[Tool]) {
    let write: fn(&Tool) -> Value = match adapter {
        AdapterKind::Anthropic => {
            |tool| json!({"name": tool.name.as_str(), "description": tool.description, "input_schema": tool.schema})
        }
        AdapterKind::OpenAIResp => |tool| {
            json!({
                "type": "function", "name": tool.name.as_str(), "description": tool.description,
                "parameters": tool.schema, "strict": false,
            })
        },
        _ => return,
    };
    if !tools.iter().any(|tool| tool.name.as_str() == "web_search") {
        return;
    }
    let body = options.extra_body.get_or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(members) = body {
        members.entry("tools").or_insert_with(|| tools.iter().map(write).collect());
    }
}
