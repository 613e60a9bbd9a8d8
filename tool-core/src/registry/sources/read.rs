//! From what a source lists to definitions: names, cleaned texts, checked schemas, fingerprints.
//!
//! Depends on the listing alone; who holds which name is asked in `list`. What did not change keeps its entry, so that
//! neither schema nor index is made again.

use std::sync::Arc;

use serde_json::Value;

use super::{Entry, RegisteredSource, SourceList};
use crate::{
    Fingerprint, RejectedTool, SchemaError, SourceListing, SourceTool, ToolAnnotations, ToolDefinition,
    ToolName, definition::LazySchema, schema::Schema, text,
};

/// Longest description that a model or an index reads, in bytes.
const MAX_DESCRIPTION: usize = 8 * 1024;
/// Longest title, in bytes.
const MAX_TITLE: usize = 200;
/// Longest reason, in bytes.
const MAX_REASON: usize = 300;
/// After how many tools other tasks get a turn.
const AT_A_TIME: usize = 32;

/// A listing as far as it can be read without knowing other tools.
pub(super) struct Read {
    /// How many tools there were.
    pub(super) listed: usize,
    /// By the name that the source gave.
    pub(super) tools: Vec<ReadTool>,
    pub(super) rejected: Vec<RejectedTool>,
}

pub(super) enum ReadTool {
    /// As in the list before.
    Known(Arc<Entry>),
    New(Box<NewTool>),
}

pub(super) struct NewTool {
    pub(super) wire_name: Arc<str>,
    pub(super) definition: ToolDefinition,
    pub(super) fingerprint: Fingerprint,
}

impl ReadTool {
    pub(super) fn name(&self) -> &ToolName {
        match self {
            Self::Known(entry) => entry.name(),
            Self::New(new) => new.definition.name(),
        }
    }

    pub(super) fn wire_name(&self) -> &str {
        match self {
            Self::Known(entry) => entry.wire_name().unwrap_or_default(),
            Self::New(new) => &new.wire_name,
        }
    }
}

/// Reads a listing, with pauses for other tasks.
pub(super) async fn read(source: &RegisteredSource, before: &SourceList, listing: SourceListing) -> Read {
    let SourceListing { mut tools, rejected } = listing;
    // Which of two tools is rejected must not hang on the order of the list.
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    let mut read = Read {
        listed: tools.len() + rejected.len(),
        tools: Vec::with_capacity(tools.len()),
        rejected: rejected.into_iter().map(|rejected| reject(&rejected.name, &rejected.reason)).collect(),
    };
    for (index, tool) in tools.iter().enumerate() {
        if index % AT_A_TIME == AT_A_TIME - 1 {
            tokio::task::yield_now().await;
        }
        if tool.name.trim().is_empty() {
            read.rejected.push(reject(&tool.name, "it has no name"));
            continue;
        }
        let name = ToolName::from_wire(&source.prefix, &tool.name);
        let fingerprint = Fingerprint::of_source(tool);
        let known = before.find(name.as_str()).filter(|entry| *entry.fingerprint() == fingerprint);
        match known {
            Some(entry) => read.tools.push(ReadTool::Known(Arc::clone(entry))),
            None => match definition(name, tool) {
                Ok(definition) => {
                    let wire_name = tool.name.as_str().into();
                    read.tools.push(ReadTool::New(Box::new(NewTool { wire_name, definition, fingerprint })));
                }
                Err(error) => read.rejected.push(reject(&tool.name, &error.to_string())),
            },
        }
    }
    read
}

/// What is said of a tool that nobody can use.
pub(super) fn reject(name: &str, reason: &str) -> RejectedTool {
    RejectedTool::new(text::echo(name), text::one_line(reason, MAX_REASON))
}

fn definition(name: ToolName, tool: &SourceTool) -> Result<ToolDefinition, SchemaError> {
    let input = Schema::of_source(&tool.input_schema)?;
    let output = tool.output_schema.as_deref().map(Schema::of_source).transpose()?;
    let title = tool.title.as_deref().map(|title| text::one_line(title, MAX_TITLE));
    let title = title.filter(|title| !title.is_empty());
    let description = tool.description.as_deref().map(|text| text::clean(text, MAX_DESCRIPTION));
    // Nothing is invented: a tool of which its source says nothing has no description.
    let description = description.filter(|text| !text.trim().is_empty()).or_else(|| title.clone());
    Ok(ToolDefinition::new(name, description.unwrap_or_default().into(), LazySchema::made(input))
        .with_title(title.map(Into::into))
        .with_annotations(annotations(tool.annotations.as_ref()))
        .with_output_schema(output.map(LazySchema::made)))
}

fn annotations(sent: Option<&Value>) -> ToolAnnotations {
    let hint = |name: &str| sent?.get(name)?.as_bool();
    ToolAnnotations::new(
        hint("readOnlyHint"),
        hint("destructiveHint"),
        hint("idempotentHint"),
        hint("openWorldHint"),
    )
}
