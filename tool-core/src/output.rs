//! What a tool returns to the model.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use smallvec::{SmallVec, smallvec};

/// One part of a [`ToolOutput`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentPart {
    /// Text for the model.
    Text {
        /// The text.
        text: String,
    },
    /// A picture.
    Image {
        /// Such as `image/png`.
        media_type: String,
        /// The bytes in standard base64.
        data: String,
    },
}

/// What a tool returns: one or several parts, and a structured value where the tool declares an output schema.
///
/// # Examples
/// ```
/// use tool_core::ToolOutput;
///
/// let output = ToolOutput::text("see the chart").with_image("image/png", "iVBORw0KGgo=");
/// assert_eq!(output.parts().len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ToolOutput {
    /// Nearly always one: in place.
    parts: SmallVec<[ContentPart; 1]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    structured: Option<Value>,
}

impl ToolOutput {
    /// One text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { parts: smallvec![ContentPart::Text { text: text.into() }], structured: None }
    }

    /// No parts yet.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds a text.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<String>) -> Self {
        self.parts.push(ContentPart::Text { text: text.into() });
        self
    }

    /// Adds a picture: media type and bytes in standard base64.
    #[must_use]
    pub fn with_image(mut self, media_type: impl Into<String>, base64: impl Into<String>) -> Self {
        self.parts.push(ContentPart::Image { media_type: media_type.into(), data: base64.into() });
        self
    }

    /// Sets the structured value that belongs to the tool's output schema.
    #[must_use]
    pub fn with_structured(mut self, value: Value) -> Self {
        self.structured = Some(value);
        self
    }

    /// The parts, in order.
    pub fn parts(&self) -> &[ContentPart] {
        &self.parts
    }

    pub(crate) fn parts_mut(&mut self) -> &mut [ContentPart] {
        &mut self.parts
    }

    /// The structured value, if the tool returned one.
    pub fn structured(&self) -> Option<&Value> {
        self.structured.as_ref()
    }

    /// All parts as one text; a picture reads `[image: image/png]`.
    pub fn to_text(&self) -> Cow<'_, str> {
        if let [ContentPart::Text { text }] = self.parts.as_slice() {
            return Cow::Borrowed(text);
        }
        let lines: Vec<Cow<'_, str>> = self
            .parts
            .iter()
            .map(|part| match part {
                ContentPart::Text { text } => Cow::Borrowed(text.as_str()),
                ContentPart::Image { media_type, .. } => Cow::Owned(format!("[image: {media_type}]")),
            })
            .collect();
        Cow::Owned(lines.join("\n"))
    }
}

/// A structured result: `-> Json<T>` gives the tool an output schema; the model reads the value as JSON text.
///
/// `T` must be an object (a struct, a map): providers take no other output schema, so a tool with one is left out of every
/// list, and [`Registry::check`](crate::Registry::check) names it. Return a list or a number as it is, or in a struct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json<T>(pub T);
