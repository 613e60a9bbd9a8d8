//! `tool_search`: an ordinary discovery tool over the session operations.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use super::{DEFAULT_TOP_K, MAX_TOP_K, SearchResults, ToolSearch};
use crate::{
    Arguments, Loading, NameError, RevealOutcome, Schema, SessionEvent, SessionOperations, Tool, ToolContext,
    ToolDefinition, ToolError, ToolErrorKind, ToolFuture, ToolKind, ToolName, ToolOptions, ToolOutput,
    definition::LazySchema, text,
};

/// Longest description of a hit, in characters.
const MAX_DESCRIPTION: usize = 300;

const INPUT_SCHEMA: &str = r#"{"type":"object","properties":{"query":{"type":"string","description":"What the tool should do, in a few words, or names of tools."},"top_k":{"type":"integer","description":"How many tools to return.","default":5,"minimum":1,"maximum":50}},"required":["query"],"additionalProperties":false}"#;

/// Searches, reveals what it found, and says so.
pub(crate) struct SearchTool {
    definition: ToolDefinition,
    options: ToolOptions,
}

impl SearchTool {
    pub(crate) fn new(search: &ToolSearch) -> Result<Self, NameError> {
        let name = ToolName::new(&search.name)?;
        let schema = LazySchema::new(|| Schema::foreign(INPUT_SCHEMA));
        let definition = ToolDefinition::new(name, Cow::Owned(search.description.clone()), schema);
        let options = ToolOptions {
            loading: Loading::Eager,
            kind: ToolKind::Discovery,
            location: Some(search.location),
            ..ToolOptions::default()
        };
        Ok(Self { definition, options })
    }
}

impl Tool for SearchTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn options(&self) -> &ToolOptions {
        &self.options
    }

    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a> {
        Box::pin(async move {
            let (query, top_k) = read(arguments)?;
            let operations =
                context.operations().ok_or_else(|| ToolError::new("searched outside of a batch"))?;
            let results = operations.search(&query, top_k).await;
            let answer = reveal(operations, &results);
            context.emit(|| SessionEvent::Searched { hits: answer.shown.clone(), matched: results.matched });
            Ok(ToolOutput::text(answer.text))
        })
    }
}

fn invalid(message: impl Into<String>) -> ToolError {
    ToolError::of_kind(ToolErrorKind::InvalidArguments, message)
}

/// `query` and `top_k`, or words for what is wrong with them.
fn read(arguments: &Arguments) -> Result<(String, i64), ToolError> {
    let Value::Object(mut arguments) = arguments.to_value()? else {
        return Err(invalid("Invalid arguments: expected an object with 'query'."));
    };
    let query = match arguments.remove("query") {
        Some(Value::String(query)) => query,
        Some(_) => return Err(invalid("Invalid 'query': must be a string.")),
        None => return Err(invalid("missing argument `query`")),
    };
    let top_k = match arguments.remove("top_k") {
        None => DEFAULT_TOP_K,
        Some(value) => integer(&value).ok_or_else(|| {
            invalid(format!("Invalid 'top_k': must be an integer between 1 and {MAX_TOP_K}."))
        })?,
    };
    match arguments.keys().next() {
        None => Ok((query, top_k)),
        Some(unknown) => Err(invalid(format!("unknown argument `{unknown}`; expected `query` or `top_k`"))),
    }
}

/// A JSON number without a fraction, clamped to 1..=50.
fn integer(value: &Value) -> Option<i64> {
    let float = value.as_f64().filter(|float| float.fract() == 0.0)?;
    #[allow(clippy::cast_possible_truncation, reason = "clamped, without a fraction")]
    let integer = float.clamp(1.0, 50.0) as i64;
    Some(integer)
}

/// A hit as the model reads it.
#[derive(Serialize)]
struct Hit<'a> {
    name: &'a ToolName,
    description: String,
}

struct Answer {
    shown: Vec<ToolName>,
    text: String,
}

/// Reveals the hits; only what is callable in the state that the batch commits is listed.
fn reveal(operations: &SessionOperations, results: &SearchResults) -> Answer {
    let (mut listed, mut new, mut known, mut unusable) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for hit in &results.hits {
        match operations.reveal(hit.name.as_str()) {
            RevealOutcome::Revealed(name) => new.push(name.to_string()),
            RevealOutcome::AlreadyVisible(name) => known.push(name.to_string()),
            RevealOutcome::Unusable { tool, reason } => {
                unusable.push(format!("{tool} ({})", text::one_line(&reason, MAX_DESCRIPTION)));
                continue;
            }
            RevealOutcome::NotFound | RevealOutcome::BatchEnded => continue,
        }
        let description = text::cut_characters(&text::clean(&hit.description, usize::MAX), MAX_DESCRIPTION);
        listed.push(Hit { name: &hit.name, description });
    }
    let mut notes = Vec::new();
    if results.matched > results.hits.len() {
        notes.push(format!("Shown: the best {} of {} matches.", results.hits.len(), results.matched));
    }
    if !new.is_empty() {
        notes.push(format!("Callable from your next message: {}.", new.join(", ")));
    }
    if !known.is_empty() {
        notes.push(format!("Callable now: {}.", known.join(", ")));
    }
    if !unusable.is_empty() {
        notes.push(format!("Found, but cannot be offered: {}.", unusable.join("; ")));
    }
    if let Some(name) = &results.already_listed {
        notes.push(format!("'{name}' is already in your tool list."));
    }
    if results.hits.is_empty() && results.already_listed.is_none() {
        let nothing = if results.searchable {
            "No tool matches. Try other words."
        } else {
            "The query has no words to search for."
        };
        notes.push(nothing.to_owned());
    }
    // Names and descriptions are strings: they always serialise.
    let list = serde_json::to_string(&listed).unwrap_or_else(|_| "[]".to_owned());
    let shown = listed.iter().map(|hit| hit.name.clone()).collect();
    Answer { shown, text: format!("{list}\n\n{}", notes.join("\n")) }
}
