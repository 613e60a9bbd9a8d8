//! What `build()` refuses or warns of, one rule a function.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{BuildError, Entry, Place, Warning};
use crate::{
    Approval, ToolName, Toolset,
    context::{HostValues, Requirement, Requirements},
    declare::Declared,
};

/// Namespaces are unique and not blank, prefixes legal, and no annotated tool is in two lists.
pub(super) fn toolsets(toolsets: &[Toolset], errors: &mut Vec<BuildError>) {
    let mut namespaces = HashSet::new();
    let mut owners: HashMap<Declared, &str> = HashMap::new();
    for toolset in toolsets {
        if toolset.namespace.trim().is_empty() {
            errors.push(BuildError::BlankNamespace);
        } else if !namespaces.insert(&toolset.namespace) {
            errors.push(BuildError::DuplicateNamespace(toolset.namespace.to_string()));
        }
        if let Some(error) = toolset.prefix.as_ref().and_then(|prefix| ToolName::new(prefix).err()) {
            errors.push(BuildError::Prefix { namespace: toolset.namespace.to_string(), error });
        }
        for declared in toolset.tools.iter().filter_map(|tool| tool.0.declared()) {
            if let Some(first) = owners.insert(declared, &toolset.namespace) {
                errors.push(BuildError::RegisteredTwice {
                    tool: declared.name,
                    location: declared.location,
                    first: first.to_owned(),
                    second: toolset.namespace.to_string(),
                });
            }
        }
    }
}

/// One name, one tool: visible, hidden or denied. One annotated tool in two lists is told by [`toolsets`] alone.
pub(super) fn names(entries: &[Entry], errors: &mut Vec<BuildError>) {
    let mut holders: HashMap<&ToolName, &Entry> = HashMap::new();
    for entry in entries {
        let Some(first) = holders.insert(entry.definition.name(), entry) else { continue };
        let declared = entry.tool.declared();
        if declared.is_some() && declared == first.tool.declared() {
            continue;
        }
        errors.push(BuildError::DuplicateName {
            name: entry.definition.name().clone(),
            first: first.options.location,
            second: entry.options.location,
        });
    }
}

/// Host values are declared, groups exist, approval can be given.
pub(super) fn needs(
    entries: &[Entry],
    values: &HostValues,
    session_values: &[Requirement],
    errors: &mut Vec<BuildError>,
) {
    for entry in entries.iter().filter(|entry| entry.place != Place::Denied) {
        let (tool, location) = (entry.definition.name(), entry.options.location);
        let mut requirements = Requirements::default();
        entry.tool.requires(&mut requirements);
        for needed in requirements.iter() {
            if values.contains(needed.id) || session_values.iter().any(|value| value.id == needed.id) {
                continue;
            }
            let help = if values.contains(needed.arc_id) {
                "an `Arc` of it was given to `.state(…)`: use `.state_arc(…)`".to_owned()
            } else {
                format!("call `.state(value)` or `.session_state::<{}>()`", needed.name)
            };
            let (tool, type_name) = (tool.clone(), needed.name);
            errors.push(BuildError::MissingHostValue { tool, location, type_name, help });
        }
        if let Some(group) = &entry.options.group {
            let (tool, group) = (tool.clone(), group.to_string());
            errors.push(BuildError::UnknownGroup { tool, location, group });
        }
        if entry.options.approval == Approval::Required {
            errors.push(BuildError::NoApprovalPolicy { tool: tool.clone(), location });
        }
    }
}

/// A deferred tool needs a discovery tool that is there from the first turn.
pub(super) fn discovery(entries: &[Entry], errors: &mut Vec<BuildError>) {
    if entries.iter().any(|entry| entry.place == Place::Discovery) {
        return;
    }
    let stranded =
        entries.iter().filter(|entry| entry.place == Place::Deferred && entry.options.group.is_none());
    errors.extend(stranded.map(|entry| BuildError::Undiscoverable {
        tool: entry.definition.name().clone(),
        location: entry.options.location,
    }));
}

/// Descriptions that the model reads from the first turn and that name a tool it cannot see.
pub(super) fn names_of_hidden_tools(entries: &[Entry]) -> Vec<Warning> {
    let hidden = hidden_names(entries);
    let visible = entries.iter().filter(|entry| matches!(entry.place, Place::Eager | Place::Discovery));
    visible
        .flat_map(|entry| {
            let named = named_in(entry.definition.description(), &hidden).into_iter();
            named.map(|hidden| Warning::NamesHiddenTool { tool: entry.definition.name().clone(), hidden })
        })
        .collect()
}

/// Names that stand for a tool wherever they stand. A name of one plain word is as likely to be just that word.
pub(super) fn hidden_names(entries: &[Entry]) -> HashSet<&str> {
    entries
        .iter()
        .filter(|entry| matches!(entry.place, Place::Deferred | Place::Denied))
        .map(|entry| entry.definition.name().as_str())
        .filter(|name| name.contains(['_', '-']))
        .collect()
}

/// Those of `names` that are in the text, in order, each once.
pub(super) fn named_in(text: &str, names: &HashSet<&str>) -> Vec<ToolName> {
    let ends_name = |c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let words = text.split(ends_name).filter(|word| names.contains(word));
    let found: BTreeSet<_> = words.filter_map(|word| ToolName::new(word).ok()).collect();
    found.into_iter().collect()
}
