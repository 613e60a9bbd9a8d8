//! `available_tools` and `load_tools`: the groups of a registry, for the model.

use std::{borrow::Cow, fmt::Write};

use super::arguments::Members;
use crate::{
    Arguments, GroupOutcome, LoadedGroup, Location, Schema, SessionOperations, SkipReason, Tool, ToolContext,
    ToolDefinition, ToolError, ToolFuture, ToolName, ToolOptions, ToolOutput, definition::LazySchema,
    registry::GroupState, text,
};

/// Most bytes of a listing with descriptions, and of names past it.
const MAX_LISTING: usize = 8 * 1024;
/// Longest error of a build that the model reads, in characters.
const MAX_ERROR: usize = 300;

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GroupTool {
    Available,
    Load,
}

/// One of the two in a registry.
pub(crate) struct GroupTools {
    tool: GroupTool,
    definition: ToolDefinition,
    options: ToolOptions,
}

impl GroupTools {
    pub(crate) fn new(tool: GroupTool, location: Location) -> Self {
        let (name, description, schema) = match tool {
            GroupTool::Available => (
                "available_tools",
                "See which groups of tools there are. Load a group with load_tools to call its tools.",
                r#"{"type":"object","properties":{"filter":{"type":"string","description":"Show only groups with this text in them.","default":""}},"additionalProperties":false}"#,
            ),
            GroupTool::Load => (
                "load_tools",
                "Load a group of tools: they are in your list from your next message.",
                r#"{"type":"object","properties":{"name":{"type":"string","description":"The name of the group."}},"required":["name"],"additionalProperties":false}"#,
            ),
        };
        let schema = LazySchema::new(move || Schema::foreign(schema));
        let options = super::options(location);
        let definition = ToolDefinition::new(ToolName::checked(name), Cow::Borrowed(description), schema);
        Self { tool, definition, options }
    }
}

impl Tool for GroupTools {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn options(&self) -> &ToolOptions {
        &self.options
    }

    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a> {
        Box::pin(async move {
            let operations = context.required_operations()?;
            let text = match self.tool {
                GroupTool::Available => available(operations, &filter(arguments)?),
                GroupTool::Load => {
                    let name = group_named(arguments)?;
                    let outcome = operations.load_group(&name).await;
                    load_answer(operations, &name, &outcome)
                }
            };
            Ok(ToolOutput::text(text))
        })
    }
}

fn filter(arguments: &Arguments) -> Result<String, ToolError> {
    let mut members = Members::of(arguments)?;
    let filter = members.optional_text("filter")?.unwrap_or_default();
    members.end("`filter`")?;
    Ok(filter)
}

/// The group that a call of `load_tools` names: also for starting its build before the call's turn comes.
pub(crate) fn group_named(arguments: &Arguments) -> Result<String, ToolError> {
    let mut members = Members::of(arguments)?;
    let name = members.text("name")?;
    members.end("`name`")?;
    Ok(name.trim().to_owned())
}

fn available(operations: &SessionOperations, filter: &str) -> String {
    let wanted = filter.trim().to_lowercase();
    let matches = |text: &str| text.to_lowercase().contains(&wanted);
    let groups: Vec<GroupState<'_>> = operations
        .groups()
        .into_iter()
        .filter(|group| {
            matches(group.name)
                || matches(group.description)
                || group.tools.iter().any(|tool| matches(tool.as_str()))
        })
        .collect();
    if groups.is_empty() {
        let filter = text::echo(filter.trim());
        return format!(
            "No tool group matches '{filter}'. Call available_tools with no filter to see them all."
        );
    }
    let lines: Vec<String> = groups
        .iter()
        .map(|group| {
            let text = format!("{} {}", group.description, group.note.unwrap_or_default());
            format!("{} [{}]: {}", group.name, group.status, text::one_line(&text, MAX_LISTING))
        })
        .collect();
    within_budget(&lines, &groups)
}

/// Whole lines as long as they fit, then names, then how many are left.
fn within_budget(lines: &[String], groups: &[GroupState<'_>]) -> String {
    let mut text = String::new();
    let mut rest = lines.iter().zip(groups).peekable();
    while let Some((line, _)) = rest.next_if(|(line, _)| text.len() + line.len() < MAX_LISTING) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
    let mut names = String::new();
    while let Some((_, group)) = rest.next_if(|(_, group)| names.len() + group.name.len() < MAX_LISTING) {
        names.push_str(if names.is_empty() { "" } else { ", " });
        names.push_str(group.name);
    }
    if !names.is_empty() {
        let _ = write!(text, "\n{names}");
    }
    let left = rest.count();
    if left > 0 {
        let _ = write!(text, "\nand {left} more");
    }
    text
}

fn load_answer(operations: &SessionOperations, name: &str, outcome: &GroupOutcome) -> String {
    let echo = text::echo(name);
    match outcome {
        GroupOutcome::Loaded(loaded) => loaded_text(operations, name, loaded),
        GroupOutcome::AlreadyLoaded => format!("'{echo}' is already loaded."),
        GroupOutcome::Resident => format!("'{echo}' is resident: its tools are already in your tool list."),
        GroupOutcome::NotFound => {
            let loadable: Vec<&str> = operations
                .groups()
                .into_iter()
                .filter(GroupState::is_loadable)
                .map(|group| group.name)
                .collect();
            if loadable.is_empty() {
                format!("No tool group named '{echo}'. Everything available is already in your tools.")
            } else {
                format!("No tool group named '{echo}'. Loadable: {}.", loadable.join(", "))
            }
        }
        GroupOutcome::Failed { error } => {
            let error = text::cut_characters(&text::one_line(error, MAX_ERROR * 4), MAX_ERROR);
            format!("Could not load '{echo}': {error}")
        }
        GroupOutcome::BatchEnded => format!("Could not load '{echo}': the turn has ended"),
    }
}

fn loaded_text(operations: &SessionOperations, name: &str, loaded: &LoadedGroup) -> String {
    let names: Vec<&str> = loaded.tools.iter().map(ToolName::as_str).collect();
    let mut text = match (names.as_slice(), loaded.skipped.is_empty()) {
        ([], true) => format!("Loaded '{name}': it provides no tools right now."),
        ([], false) => format!("Loaded '{name}': no new tools."),
        (names, _) => format!("Loaded '{name}': {}.", names.join(", ")),
    };
    let (mut taken, mut unusable) = (Vec::new(), Vec::new());
    for skipped in &loaded.skipped {
        match &skipped.reason {
            SkipReason::NameTaken { by } if operations.is_visible(&skipped.name) => {
                taken.push(format!("{} (by {by})", skipped.name));
            }
            // A hidden tool is not given away by its name being taken.
            SkipReason::NameTaken { .. } => {}
            SkipReason::Unusable { fault } => unusable.push(format!("{} ({fault})", skipped.name)),
        }
    }
    if !taken.is_empty() {
        let _ = write!(text, "\nNot loaded, because the name is already taken: {}.", taken.join(", "));
    }
    if !unusable.is_empty() {
        let _ = write!(text, "\nNot loaded, because it cannot be offered: {}.", unusable.join(", "));
    }
    for other in &loaded.with {
        let _ = write!(text, "\nLoaded with it: '{other}'.");
    }
    if let Some(guidance) = operations.guidance(name) {
        let _ = write!(text, "\n{guidance}");
    }
    text
}
