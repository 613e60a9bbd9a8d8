//! What a source lists: tools as they came, and tools that it had to leave out.

use serde_json::Value;

/// One tool of a source, as it came: nothing is cleaned, cut or checked yet.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceTool {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) input_schema: String,
    pub(crate) output_schema: Option<String>,
    pub(crate) annotations: Option<Value>,
}

impl SourceTool {
    /// A tool by the name that the source calls it, what it does, and the JSON text of the schema of its arguments.
    ///
    /// The text of the schema is what the model is sent: pass it on as it came.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        input_schema: impl Into<String>,
    ) -> Self {
        Self { description: Some(description.into()), ..Self::without_description(name, input_schema) }
    }

    /// A tool of which the source does not say what it does; the model reads its title instead, if it has one.
    pub fn without_description(name: impl Into<String>, input_schema: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema: input_schema.into(),
            output_schema: None,
            annotations: None,
        }
    }

    /// Adds a name for people.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Adds the JSON text of the schema of its structured results.
    #[must_use]
    pub fn with_output_schema(mut self, schema: impl Into<String>) -> Self {
        self.output_schema = Some(schema.into());
        self
    }

    /// Adds the annotations, an object with members such as `readOnlyHint`. They are hints of somebody else: nothing is
    /// allowed because of them.
    #[must_use]
    pub fn with_annotations(mut self, annotations: Value) -> Self {
        self.annotations = Some(annotations);
        self
    }

    /// The name that the source gave.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// A tool that a source lists and nobody can use.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RejectedTool {
    /// The name that the source gave: cleaned, at most 64 characters.
    pub name: String,
    /// Why it is not there.
    pub reason: String,
}

impl RejectedTool {
    /// A tool by the name that the source gave, or by its place where it has none, and what is wrong with it.
    pub fn new(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { name: name.into(), reason: reason.into() }
    }
}

/// All that a source lists.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct SourceListing {
    /// In any order.
    pub tools: Vec<SourceTool>,
    /// What the source itself could not read.
    pub rejected: Vec<RejectedTool>,
}

impl SourceListing {
    /// Tools, and what was wrong with the others.
    pub fn new(tools: Vec<SourceTool>, rejected: Vec<RejectedTool>) -> Self {
        Self { tools, rejected }
    }
}

impl From<Vec<SourceTool>> for SourceListing {
    fn from(tools: Vec<SourceTool>) -> Self {
        Self::new(tools, Vec::new())
    }
}
