//! What a ranker sees of a tool. Made once per registry, at the first search.

use std::sync::Arc;

use serde_json::Value;

use crate::{ToolName, registry::Entry};

/// How deep argument texts are collected.
const MAX_DEPTH: usize = 3;

/// The texts of one deferred tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchDocument {
    /// The model-facing name.
    pub name: ToolName,
    /// The toolset.
    pub namespace: String,
    /// The description.
    pub description: String,
    /// Search-only words of the author.
    pub keywords: Vec<String>,
    /// Arguments, nested ones to a depth of three.
    pub arguments: Vec<ArgumentText>,
    pub(super) lower: LowerCase,
}

/// The texts in lower case, several of a kind on a line each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LowerCase {
    /// Name and keywords.
    pub(super) name: String,
    pub(super) description: String,
    pub(super) argument_names: String,
    pub(super) argument_descriptions: String,
}

impl SearchDocument {
    /// A document without keywords and arguments: for trying a ranker.
    pub fn new(name: ToolName, description: impl Into<String>) -> Self {
        Self::of(name, String::new(), description.into(), Vec::new(), Vec::new())
    }

    fn of(
        name: ToolName,
        namespace: String,
        description: String,
        keywords: Vec<String>,
        arguments: Vec<ArgumentText>,
    ) -> Self {
        let lower = LowerCase {
            name: lower(std::iter::once(name.as_str()).chain(keywords.iter().map(String::as_str))),
            description: description.to_lowercase(),
            argument_names: lower(arguments.iter().map(|argument| argument.name.as_str())),
            argument_descriptions: lower(arguments.iter().map(|argument| argument.description.as_str())),
        };
        Self { name, namespace, description, keywords, arguments, lower }
    }
}

fn lower<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.map(str::to_lowercase).collect::<Vec<_>>().join("\n")
}

/// Name and description of one argument.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArgumentText {
    /// The property name.
    pub name: String,
    /// Its description; may be empty.
    pub description: String,
}

/// The documents of a registry, in (toolset, name) order.
#[derive(Debug)]
pub(crate) struct Documents {
    documents: Vec<SearchDocument>,
    entries: Vec<Arc<Entry>>,
}

impl Documents {
    pub(crate) fn of(entries: Vec<Arc<Entry>>) -> Self {
        let documents = entries.iter().map(|entry| document(entry)).collect();
        Self { documents, entries }
    }

    /// These and more: for a session that has tools of its own.
    pub(crate) fn with(&self, entries: &[Arc<Entry>]) -> Self {
        let mut documents = self.documents.clone();
        documents.extend(entries.iter().map(|entry| document(entry)));
        Self { documents, entries: self.entries.iter().chain(entries).cloned().collect() }
    }

    pub(crate) fn all(&self) -> &[SearchDocument] {
        &self.documents
    }

    pub(crate) fn entry(&self, document: usize) -> Option<&Arc<Entry>> {
        self.entries.get(document)
    }
}

fn document(entry: &Entry) -> SearchDocument {
    let definition = &entry.definition;
    let mut arguments = Vec::new();
    // A tool without a schema is still found by its name: the answer says why it cannot be offered.
    let schema = definition.input_schema().ok().and_then(|schema| serde_json::from_str(schema.as_str()).ok());
    if let Some(schema) = schema {
        collect_arguments(&schema, MAX_DEPTH, &mut arguments);
    }
    SearchDocument::of(
        definition.name().clone(),
        entry.namespace.to_string(),
        definition.description().to_owned(),
        entry.options.keywords.iter().map(ToString::to_string).collect(),
        arguments,
    )
}

fn collect_arguments(schema: &Value, depth: usize, arguments: &mut Vec<ArgumentText>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        // Sorted, so that features of serde_json do not change what a ranker sees.
        let mut properties: Vec<_> = properties.iter().collect();
        properties.sort_by_key(|(name, _)| *name);
        for (name, property) in properties {
            let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
            arguments.push(ArgumentText { name: name.clone(), description: description.to_owned() });
            collect_arguments(property, depth, arguments);
            if let Some(items) = property.get("items") {
                collect_arguments(items, depth, arguments);
            }
        }
    }
}
