//! `tool_search` and `search_tools`: find, and in two of the three modes reveal.

use std::fmt::Write;

use serde::Serialize;
use serde_json::Value;

use super::{BuiltInTool, Mode, arguments::Members};
use crate::{
    Arguments, Limit, RevealOutcome, SearchHit, SearchResults, SessionOperations, SourceState, ToolContext,
    ToolError, ToolName, ToolOutput, text,
};

/// Longest description of a hit, in characters.
const MAX_DESCRIPTION: usize = 300;
/// The most sources that a note names of a kind.
const MAX_SOURCES: usize = 10;
/// The most tools that one search shows, exact names aside.
pub(super) const MAX_TOP_K: usize = 50;

/// A hit as the model reads it.
#[derive(Serialize)]
struct Hit<'a> {
    name: &'a ToolName,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<&'a serde_json::value::RawValue>,
}

pub(super) async fn call(
    tool: &BuiltInTool,
    arguments: &Arguments,
    context: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let operations = context.required_operations()?;
    let scope = operations.scope(tool.scope);
    let mode = scope.search.mode();
    let mut members = Members::of(arguments)?;
    let query = members.text("query")?;
    let mut top_k = scope.search.default_top_k();
    if mode == Mode::Load {
        members.end("`query`")?;
    } else {
        top_k = members.clamped("top_k", top_k, MAX_TOP_K)?;
        members.end("`query` or `top_k`")?;
    }
    let results = operations.search_in(Some(tool.scope), &query, top_k).await;
    let mut answer = Answer::default();
    match mode {
        Mode::Reveal => answer.reveal(operations, &results, "Callable"),
        Mode::Load => answer.offer(operations, &results, tool),
        Mode::Bridge => answer.reveal(operations, &results, "Callable with tool_call"),
    }
    answer.notes_on(&results);
    let text = answer.render(mode, scope.search.shown_schema_tokens(), operations);
    Ok(ToolOutput::text(text))
}

/// What the model is shown, and what it is told about it.
#[derive(Default)]
struct Answer<'r> {
    shown: Vec<&'r SearchHit>,
    notes: Vec<String>,
}

impl<'r> Answer<'r> {
    fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    fn note_names(&mut self, label: &str, names: &[String]) {
        if !names.is_empty() {
            self.note(format!("{label}: {}.", names.join(", ")));
        }
    }

    /// Reveals the hits; only what is callable in the state that the batch commits is shown.
    fn reveal(&mut self, operations: &SessionOperations, results: &'r SearchResults, callable: &str) {
        let (mut new, mut known, mut unusable, mut over) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut limit = None;
        for hit in &results.hits {
            match operations.reveal(hit.name.as_str()) {
                RevealOutcome::Revealed(name) => new.push(name.to_string()),
                RevealOutcome::AlreadyVisible(name) => known.push(name.to_string()),
                RevealOutcome::Unusable { tool, reason } => {
                    unusable.push(format!("{tool} ({})", text::one_line(&reason, MAX_DESCRIPTION)));
                    continue;
                }
                RevealOutcome::LimitReached { tool, limit: reached } => {
                    limit = Some(reached);
                    over.push(tool.to_string());
                    continue;
                }
                RevealOutcome::NotFound | RevealOutcome::BatchEnded => continue,
            }
            self.shown.push(hit);
        }
        self.note_names(&format!("{callable} from your next message"), &new);
        let (before, now): (Vec<_>, Vec<_>) = known.into_iter().partition(|name| operations.is_pending(name));
        self.note_names(&format!("{callable} from your next message, found already"), &before);
        self.note_names(&format!("{callable} now"), &now);
        if let Some(limit) = limit {
            let most = match limit {
                Limit::Tools(n) => format!("{n} tools"),
                Limit::Tokens(n) => format!("{n} tokens of tools"),
            };
            self.note_names(&format!("Found, but at most {most} can be revealed at a time"), &over);
        }
        if !unusable.is_empty() {
            self.note(format!("Found, but cannot be offered: {}.", unusable.join("; ")));
        }
    }

    /// Shows the hits without revealing them.
    fn offer(&mut self, operations: &SessionOperations, results: &'r SearchResults, tool: &BuiltInTool) {
        let loaded: Vec<String> = results
            .hits
            .iter()
            .filter(|hit| operations.is_revealed(hit.name.as_str()))
            .map(|hit| hit.name.to_string())
            .collect();
        self.shown.extend(&results.hits);
        if results.hits.len() > loaded.len() {
            let load = operations.name_in(tool.scope, super::DiscoveryTool::Load);
            self.note(format!("Load a tool with {load} before you call it."));
        }
        self.note_names("Loaded already", &loaded);
    }

    fn notes_on(&mut self, results: &SearchResults) {
        if results.matched > results.hits.len() {
            let note = format!("Shown: the best {} of {} matches.", results.hits.len(), results.matched);
            self.notes.insert(0, note);
        }
        self.notes_on_sources(&results.unready);
        if let Some(name) = &results.already_listed {
            self.note(format!("'{name}' is already in your tool list."));
        }
        if results.hits.is_empty() && results.already_listed.is_none() {
            self.note(if results.searchable {
                "No tool matches. Try other words."
            } else {
                "The query has no words to search for."
            });
        }
    }

    /// What is not found because its source is not ready is not said to be nowhere.
    fn notes_on_sources(&mut self, unready: &[(String, SourceState)]) {
        let (mut connecting, mut failed) = (Vec::new(), Vec::new());
        for (namespace, state) in unready {
            match state {
                SourceState::Failed { reason } => failed.push(format!("{namespace} ({reason})")),
                _ => connecting.push(namespace.clone()),
            }
        }
        for (label, sources) in [("Sources still connecting", connecting), ("Sources that failed", failed)] {
            let more = sources.len().saturating_sub(MAX_SOURCES);
            let mut shown: Vec<String> = sources.into_iter().take(MAX_SOURCES).collect();
            if more > 0 {
                shown.push(format!("{more} more"));
            }
            self.note_names(label, &shown);
        }
    }

    fn render(&mut self, mode: Mode, schema_tokens: usize, operations: &SessionOperations) -> String {
        let mut room = schema_tokens.saturating_mul(4);
        let mut without_schema = Vec::new();
        let entries: Vec<_> = self.shown.iter().map(|hit| operations.entry(hit.name.as_str())).collect();
        let hits: Vec<Hit<'_>> = self
            .shown
            .iter()
            .zip(&entries)
            .map(|(hit, entry)| {
                let schema = entry.as_ref().and_then(|entry| entry.definition.input_schema().ok());
                let input_schema = schema.filter(|_| mode == Mode::Bridge).map(crate::Schema::as_raw);
                let fits = input_schema.is_none_or(|schema| schema.get().len() <= room);
                if !fits {
                    without_schema.push(hit.name.to_string());
                }
                let input_schema = input_schema.filter(|_| fits);
                room -= input_schema.map_or(0, |schema| schema.get().len());
                Hit {
                    name: &hit.name,
                    description: text::cut_characters(
                        &text::clean(&hit.description, usize::MAX),
                        MAX_DESCRIPTION,
                    ),
                    score: (mode == Mode::Load).then(|| (f64::from(hit.score) * 10_000.0).round() / 10_000.0),
                    input_schema,
                }
            })
            .collect();
        // Names, texts and schemas always serialise.
        let mut text = serde_json::to_string(&hits).unwrap_or_else(|_| "[]".to_owned());
        drop(hits);
        self.note_names(
            "Shown without their schemas, to save tokens; search for their names to see them",
            &without_schema,
        );
        if !self.notes.is_empty() {
            let _ = write!(text, "\n\n{}", self.notes.join("\n"));
        }
        text
    }
}

/// The schema of the search tool's own arguments.
pub(super) fn input_schema(mode: Mode, top_k: usize) -> String {
    let query = r#""query":{"type":"string","description":"What the tool should do, in a few words, or names of tools."}"#;
    let top_k = match mode {
        Mode::Load => String::new(),
        Mode::Reveal | Mode::Bridge => format!(
            r#","top_k":{{"type":"integer","description":"How many tools to return.","default":{},"minimum":1,"maximum":{MAX_TOP_K}}}"#,
            Value::from(top_k)
        ),
    };
    format!(
        r#"{{"type":"object","properties":{{{query}{top_k}}},"required":["query"],"additionalProperties":false}}"#
    )
}
