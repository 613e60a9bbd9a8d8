//! The messages of a conversation as genai's. Called once per request.
//!
//! What goes out is what every provider accepts, whatever a model once wrote: arguments are JSON objects, names are
//! legal, call ids are unique within their message and paired with their results, results of one message stand
//! together, no message is empty. It is a function of the messages alone, so an unchanged history has the same bytes.

use std::{borrow::Cow, collections::HashMap};

use genai::{
    adapter::AdapterKind,
    chat::{ChatMessage, ChatRole, ContentPart, MessageContent, ToolCall as GenaiCall, ToolResponse},
};
use serde_json::{Map, Value, json};
use tool_core::{Arguments, ContentPart as Part, Message, ResultStatus, ToolCall, ToolName, ToolOutput};

pub(crate) fn chat_messages(messages: &[Message], adapter: AdapterKind) -> Vec<ChatMessage> {
    let mut history = History {
        messages: Vec::with_capacity(messages.len()),
        call_ids: Ids::default(),
        result_ids: Ids::default(),
    };
    for message in messages {
        match message {
            Message::System { text } => history.push(ChatRole::System, text.as_str().into()),
            Message::User { text } => history.push(ChatRole::User, text.as_str().into()),
            Message::Assistant { text, calls, .. } => history.push_assistant(text, calls),
            Message::Tool { call_id, name, output, status, .. } => {
                let id = history.result_ids.next(call_id);
                let part = result_part(id, name, output, *status, adapter);
                history.push(ChatRole::Tool, part);
            }
            // A kind of message that this version does not know has no place on any wire.
            _ => {}
        }
    }
    history.messages
}

struct History {
    messages: Vec<ChatMessage>,
    call_ids: Ids,
    result_ids: Ids,
}

impl History {
    /// Adds a part; parts of one role in a row make one message, as providers want roles to alternate.
    fn push(&mut self, role: ChatRole, part: ContentPart) {
        match self.messages.last_mut() {
            Some(last) if last.role == role => last.content.push(part),
            _ => self.messages.push(ChatMessage::new(role, part)),
        }
    }

    fn push_assistant(&mut self, text: &str, calls: &[ToolCall]) {
        let mut content = MessageContent::default();
        if !text.trim().is_empty() {
            content.push(text);
        }
        self.call_ids.clear();
        self.result_ids.clear();
        for call in calls {
            content.push(GenaiCall {
                call_id: self.call_ids.next(&call.id),
                fn_name: legal_name(&call.name).into_owned(),
                fn_arguments: argument_object(&call.arguments),
                thought_signatures: None,
            });
        }
        // An empty answer ended a run; providers refuse an empty message.
        if !content.is_empty() {
            self.messages.push(ChatMessage::assistant(content));
        }
    }
}

/// Ids of one assistant message: the second call (and result) of an id gets another one, as a model that repeats an
/// id would otherwise have every later request refused.
#[derive(Default)]
struct Ids(HashMap<String, usize>);

impl Ids {
    fn clear(&mut self) {
        self.0.clear();
    }

    fn next(&mut self, id: &str) -> String {
        let seen = self.0.entry(id.to_owned()).or_default();
        *seen += 1;
        if *seen == 1 { id.to_owned() } else { format!("{id}_{seen}") }
    }
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
    id: String,
    name: &str,
    output: &ToolOutput,
    status: ResultStatus,
    adapter: AdapterKind,
) -> ContentPart {
    let has_image = output.parts().iter().any(|part| matches!(part, Part::Image { .. }));
    if adapter == AdapterKind::Anthropic && (has_image || status != ResultStatus::Succeeded) {
        return ContentPart::from_custom(anthropic_result(&id, output, status), None);
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
