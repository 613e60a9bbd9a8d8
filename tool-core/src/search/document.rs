//! What a ranker sees of a tool. Made once per registry, at the first search.

use std::sync::{Arc, OnceLock};

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Catalog, text::tokens};
use crate::{ToolName, registry::Entry, text};

/// How deep argument texts are collected.
const MAX_DEPTH: usize = 3;
/// Longest name of a source that is indexed, in bytes.
const MAX_WIRE_NAME: usize = 256;

/// The texts of one deferred tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SearchDocument {
    /// The model-facing name.
    pub name: ToolName,
    /// What its source calls the tool, if it comes from one; cleaned.
    pub wire_name: Option<String>,
    /// The toolset.
    pub namespace: String,
    /// The description.
    pub description: String,
    /// Search-only words of the author.
    pub keywords: Vec<String>,
    /// Arguments, nested ones to a depth of three.
    pub arguments: Vec<ArgumentText>,
    /// The name before it was cut to what models accept, where it was.
    uncut: Option<String>,
    /// Made when the substring ranker first asks.
    lower: OnceLock<Box<LowerCase>>,
    /// Made when a ranker of meanings first asks.
    hash: OnceLock<ContentHash>,
}

/// SHA-256 of what is embedded.
pub(super) type ContentHash = [u8; 32];

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
        Self {
            name,
            wire_name: None,
            namespace,
            description,
            keywords,
            arguments,
            uncut: None,
            lower: OnceLock::new(),
            hash: OnceLock::new(),
        }
    }

    /// Adds words that only the search sees.
    #[must_use]
    pub fn with_keywords(mut self, keywords: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.keywords.extend(keywords.into_iter().map(Into::into));
        self
    }

    /// Adds the arguments of a JSON Schema.
    #[must_use]
    pub fn with_arguments(mut self, schema: &Value) -> Self {
        collect_arguments(schema, MAX_DEPTH, &mut self.arguments);
        self
    }

    /// The name that is searched.
    pub(super) fn searched_name(&self) -> &str {
        self.uncut.as_deref().unwrap_or(self.name.as_str())
    }

    /// Adds the name that a source gave, under its prefix: it is searched instead of one that ends in a hash.
    fn with_wire_name(mut self, prefix: &str, wire_name: &str) -> Self {
        let wire_name = text::one_line(wire_name, MAX_WIRE_NAME);
        self.uncut = Some(format!("{prefix}_{wire_name}")).filter(|uncut| self.name != *uncut.as_str());
        self.wire_name = Some(wire_name);
        self
    }

    /// What is embedded: the name as words, what the tool does, what it takes.
    pub(super) fn content(&self) -> String {
        let arguments: Vec<&str> = self.arguments.iter().map(|argument| argument.name.as_str()).collect();
        let name = tokens(self.searched_name()).join(" ");
        format!("{name}: {} {}", self.description, arguments.join(" "))
    }

    /// The hash of the content: made once, however often it is searched.
    pub(super) fn content_hash(&self) -> ContentHash {
        *self.hash.get_or_init(|| Sha256::digest(self.content().as_bytes()).into())
    }

    pub(super) fn lower(&self) -> &LowerCase {
        self.lower.get_or_init(|| {
            let names = std::iter::once(self.searched_name()).chain(self.keywords.iter().map(String::as_str));
            Box::new(LowerCase {
                name: lower(names),
                description: self.description.to_lowercase(),
                argument_names: lower(self.arguments.iter().map(|argument| argument.name.as_str())),
                argument_descriptions: lower(
                    self.arguments.iter().map(|argument| argument.description.as_str()),
                ),
            })
        })
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
    /// The texts that it may be, where it may be only some.
    pub values: Vec<String>,
}

/// The documents of a registry, in (toolset, name) order, and the tools that they are of.
#[derive(Debug)]
pub(crate) struct Documents {
    catalog: Catalog,
    entries: Vec<Arc<Entry>>,
    /// Whether some tools are asked at each search whether they exist.
    pub(super) has_conditions: bool,
}

impl Documents {
    pub(crate) fn of(entries: Vec<Arc<Entry>>) -> Self {
        let catalog = Catalog::default().changed(documents(&entries).collect());
        Self::with_catalog(catalog, entries)
    }

    /// Those of another list of tools. Of entries that stay nothing is indexed again.
    pub(crate) fn changed(&self, entries: Vec<Arc<Entry>>) -> Self {
        let catalog = self.catalog.changed(documents(&entries).collect());
        Self::with_catalog(catalog, entries)
    }

    fn with_catalog(catalog: Catalog, entries: Vec<Arc<Entry>>) -> Self {
        let has_conditions = entries.iter().any(|entry| entry.options.enabled.is_some());
        Self { catalog, entries, has_conditions }
    }

    /// These and more: for a session that has tools of its own.
    pub(crate) fn with(&self, entries: &[Arc<Entry>]) -> Self {
        self.changed(self.entries.iter().chain(entries).cloned().collect())
    }

    /// Whether these are `others` and more, in this order.
    pub(super) fn are(&self, others: &Self, more: &[Arc<Entry>]) -> bool {
        let entries = || others.entries.iter().chain(more);
        self.entries.len() == others.entries.len() + more.len()
            && self.entries.iter().zip(entries()).all(|(known, entry)| Arc::ptr_eq(known, entry))
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    pub(crate) fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    pub(crate) fn entry(&self, document: usize) -> Option<&Arc<Entry>> {
        self.entries.get(document)
    }
}

fn documents(entries: &[Arc<Entry>]) -> impl Iterator<Item = Arc<SearchDocument>> {
    entries.iter().map(|entry| Arc::clone(entry.document.get_or_init(|| Arc::new(document(entry)))))
}

fn document(entry: &Entry) -> SearchDocument {
    let definition = &entry.definition;
    let mut arguments = Vec::new();
    // A tool without a schema is still found by its name: the answer says why it cannot be offered.
    let schema = definition.input_schema().ok().and_then(|schema| serde_json::from_str(schema.as_str()).ok());
    if let Some(schema) = schema {
        collect_arguments(&schema, MAX_DEPTH, &mut arguments);
    }
    let document = SearchDocument::of(
        definition.name().clone(),
        entry.namespace.to_string(),
        definition.description().to_owned(),
        entry.options.keywords.iter().map(ToString::to_string).collect(),
        arguments,
    );
    match (entry.wire_name(), &entry.prefix) {
        (Some(wire_name), Some(prefix)) => document.with_wire_name(prefix, wire_name),
        _ => document,
    }
}

fn collect_arguments(schema: &Value, depth: usize, arguments: &mut Vec<ArgumentText>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        // Sorted, so that features of serde_json do not change what a ranker sees.
        let mut properties: Vec<_> = properties.iter().collect();
        properties.sort_by_key(|(name, _)| *name);
        for (name, property) in properties {
            let description = property.get("description").and_then(Value::as_str).unwrap_or_default();
            let values = property.get("enum").and_then(Value::as_array).into_iter().flatten();
            let values = values.filter_map(Value::as_str).map(str::to_owned).collect();
            arguments.push(ArgumentText { name: name.clone(), description: description.to_owned(), values });
            collect_arguments(property, depth, arguments);
            if let Some(items) = property.get("items") {
                collect_arguments(items, depth, arguments);
            }
        }
    }
}
