//! The messages of a conversation as genai's. Called once per request.
//!
//! What goes out is what providers accept: arguments are JSON objects, names are legal, results of one message stand
//! together, no message is empty. An agent's messages are like that already; those of a host with its own loop may hold
//! what a model wrote. It is a function of the messages alone, so an unchanged history has the same bytes.

use std::borrow::Cow;

use genai::{
    adapter::AdapterKind,
    chat::{ChatMessage, ChatRole, ContentPart, ToolCall as GenaiCall, ToolResponse},
};
use serde_json::{Map, Value, json};
use tool_core::{Arguments, ContentPart as Part, Message, ResultStatus, ToolCall, ToolName, ToolOutput};

use crate::continuation::Continuation;

pub(crate) fn chat_messages(messages: &[Message], adapter: AdapterKind) -> Vec<ChatMessage> {
    let mut history: Vec<ChatMessage> = Vec::with_capacity(messages.len());
    for message in messages {
        let (role, parts) = match message {
            Message::System { text } => (ChatRole::System, vec![text.as_str().into()]),
            Message::User { text } => (ChatRole::User, vec![text.as_str().into()]),
            Message::Assistant { text, calls, continuation, .. } => {
                let continuation = continuation.as_ref().and_then(|value| Continuation::read(value, adapter));
                (ChatRole::Assistant, assistant_parts(text, calls, continuation.unwrap_or_default()))
            }
            Message::Tool { call_id, name, output, status, .. } => {
                (ChatRole::Tool, vec![result_part(call_id, name, output, *status, adapter)])
            }
            // A kind of message that this version does not know has no place on any wire.
            _ => continue,
        };
        match history.last_mut() {
            // Providers want roles to alternate. Calls are not joined: each message of calls has its own results.
            Some(last) if last.role == role && role != ChatRole::Assistant => last.content.extend(parts),
            // An empty answer ends a run; providers refuse an empty message.
            _ if parts.is_empty() => {}
            _ => history.push(ChatMessage::new(role, parts)),
        }
    }
    history
}

fn assistant_parts(text: &str, calls: &[ToolCall], continuation: Continuation) -> Vec<ContentPart> {
    let Continuation { reasoning, signatures } = continuation;
    let mut signatures = signatures.into_iter();
    let text = Some(text).filter(|text| !text.trim().is_empty()).map(ContentPart::from);
    let calls = calls.iter().map(|call| {
        ContentPart::ToolCall(GenaiCall {
            call_id: call.id.clone(),
            fn_name: legal_name(&call.name).into_owned(),
            fn_arguments: argument_object(&call.arguments),
            thought_signatures: signatures.next().flatten(),
        })
    });
    reasoning.into_iter().chain(text).chain(calls).collect()
}

/// A model may have called a name that no provider takes back, such as `functions.echo`.
fn legal_name(name: &str) -> Cow<'_, str> {
    if ToolName::new(name).is_ok() {
        Cow::Borrowed(name)
    } else {
        Cow::Owned(ToolName::from_wire("", name).into())
    }
}

/// The arguments as the object that providers want; `{}` for what is none.
fn argument_object(arguments: &Arguments) -> Value {
    let parsed = match arguments {
        Arguments::Text(text) | Arguments::Value(Value::String(text)) => {
            serde_json::from_str(text).unwrap_or_default()
        }
        Arguments::Value(value) => value.clone(),
    };
    if parsed.is_object() { parsed } else { Value::Object(Map::new()) }
}

fn result_part(
    id: &str,
    name: &str,
    output: &ToolOutput,
    status: ResultStatus,
    adapter: AdapterKind,
) -> ContentPart {
    let has_image = output.parts().iter().any(|part| matches!(part, Part::Image { .. }));
    if adapter == AdapterKind::Anthropic && (has_image || status != ResultStatus::Succeeded) {
        return ContentPart::from_custom(anthropic_result(id, output, status), None);
    }
    ToolResponse::new(id, output.to_text()).with_fn_name(legal_name(name)).into()
}

/// genai's own form of a result is a text; Anthropic's can say that it is an error, and hold pictures.
fn anthropic_result(id: &str, output: &ToolOutput, status: ResultStatus) -> Value {
    let blocks: Vec<Value> = output
        .parts()
        .iter()
        .filter_map(|part| match part {
            Part::Text { text } if text.trim().is_empty() => None,
            Part::Text { text } => Some(json!({"type": "text", "text": text})),
            Part::Image { media_type, data } => Some(json!({
                "type": "image",
                "source": {"type": "base64", "media_type": media_type, "data": data},
            })),
            _ => None,
        })
        .collect();
    json!({
        "type": "tool_result",
        "tool_use_id": id,
        "content": blocks,
        "is_error": status != ResultStatus::Succeeded,
    })
}
