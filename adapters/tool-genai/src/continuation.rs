//! Reasoning that a provider wants back with the calls it led to: signed or encrypted blocks, for some its plain text.
//!
//! Made with the reply, kept in the message as JSON, read with the next request, by the same provider only. Without it
//! Anthropic's thinking and the reasoning models of DeepSeek and Kimi refuse the results of their own calls.

use genai::{
    adapter::AdapterKind,
    chat::{ContentPart, MessageContent},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What stands beside text and calls in a message of the model.
#[derive(Default)]
pub(crate) struct Continuation {
    /// Stands before text and calls.
    pub(crate) reasoning: Vec<ContentPart>,
    /// Of each call, in order.
    pub(crate) signatures: Vec<Option<Vec<String>>>,
}

/// The form in a message.
#[derive(Serialize, Deserialize)]
struct Stored {
    adapter: AdapterKind,
    reasoning: Vec<ContentPart>,
    signatures: Vec<Option<Vec<String>>>,
}

impl Continuation {
    /// What to keep of a reply; `text` is its reasoning as plain text.
    pub(crate) fn of(content: &MessageContent, text: Option<&str>) -> Self {
        let mut reasoning: Vec<ContentPart> = content
            .iter()
            .filter(|part| is_reasoning(part))
            .map(|part| match part {
                // Without genai's model, whose name does not deserialise from owned text.
                ContentPart::Custom(custom) => ContentPart::from_custom(custom.data.clone(), None),
                other => other.clone(),
            })
            .collect();
        if reasoning.is_empty() {
            reasoning.extend(text.map(|text| ContentPart::ReasoningContent(text.to_owned())));
        }
        let signatures = content.tool_calls().iter().map(|call| call.thought_signatures.clone()).collect();
        Self { reasoning, signatures }
    }

    /// As JSON, if there is anything that this provider wants back.
    pub(crate) fn write(mut self, adapter: AdapterKind) -> Option<Value> {
        if !wants_plain_reasoning(adapter) && !self.reasoning.iter().any(is_sealed) {
            self.reasoning.clear();
        }
        if self.reasoning.is_empty() && self.signatures.iter().all(Option::is_none) {
            return None;
        }
        let Self { reasoning, signatures } = self;
        serde_json::to_value(Stored { adapter, reasoning, signatures }).ok()
    }

    /// None if another provider wrote it.
    pub(crate) fn read(value: &Value, adapter: AdapterKind) -> Option<Self> {
        let Stored { adapter: writer, reasoning, signatures } = Stored::deserialize(value).ok()?;
        (writer == adapter).then_some(Self { reasoning, signatures })
    }
}

/// These refuse results of calls whose reasoning is missing; others refuse the member that it stands in.
fn wants_plain_reasoning(adapter: AdapterKind) -> bool {
    matches!(adapter, AdapterKind::DeepSeek | AdapterKind::Kimi | AdapterKind::Moonshot)
}

fn is_reasoning(part: &ContentPart) -> bool {
    matches!(part, ContentPart::ReasoningContent(_)) || is_sealed(part)
}

/// Signed or encrypted by the provider.
fn is_sealed(part: &ContentPart) -> bool {
    match part {
        ContentPart::ThoughtSignature(_) => true,
        // Anthropic's `redacted_thinking`, OpenRouter's `reasoning.encrypted` and its kin.
        ContentPart::Custom(custom) => {
            custom.typ().is_some_and(|kind| kind.ends_with("thinking") || kind.starts_with("reasoning."))
        }
        _ => false,
    }
}
