//! What `build()` refuses or warns of, one rule a function.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{BuildError, Entry, Place, ScopeId, Warning};
use crate::{
    Approval, DiscoveryTool, ToolGroup, ToolName, Toolset,
    context::{HostValues, Requirement, Requirements},
    declare::Declared,
    discovery::{BuiltIn, GroupTool},
    group::Origin,
};

/// Namespaces are unique and not blank, prefixes legal, and no annotated tool is in two lists.
pub(super) fn toolsets(toolsets: &[Toolset], groups: &[ToolGroup], errors: &mut Vec<BuildError>) {
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
        if let Some(fault) = toolset.budget.as_ref().and_then(crate::Budget::fault) {
            errors.push(BuildError::Budget { namespace: toolset.namespace.to_string(), fault });
        }
    }
    let in_toolsets = toolsets.iter().map(|toolset| (&toolset.namespace, &toolset.tools));
    for (owner, tools) in in_toolsets.chain(groups.iter().map(|group| (&group.name, &group.tools))) {
        for declared in tools.iter().filter_map(|tool| tool.tool.declared()) {
            if let Some(first) = owners.insert(declared, owner) {
                errors.push(BuildError::RegisteredTwice {
                    tool: declared.name,
                    location: declared.location,
                    first: first.to_owned(),
                    second: owner.to_string(),
                });
            }
        }
    }
}

/// Names of groups are unique, neither empty nor padded, and tell the model something.
pub(super) fn groups(groups: &[ToolGroup], errors: &mut Vec<BuildError>) {
    let mut names = HashSet::new();
    for group in groups {
        let faults = [
            group.name.trim().is_empty().then_some("its `name` is empty"),
            (group.name.trim() != group.name).then_some("its `name` begins or ends with white space"),
            group.description.trim().is_empty().then_some("its `description` is empty"),
            (!names.insert(group.name.trim())).then_some("another group has its `name`"),
            group.timeout.is_zero().then_some("its `timeout` is zero: no build could end in time"),
            (matches!(group.origin, Origin::Lazy(_)) && !group.tools.is_empty())
                .then_some("its `tools` are built by a function: return them from it"),
        ];
        let (name, location) = (&group.name, group.location);
        errors.extend(faults.into_iter().flatten().map(|fault| BuildError::Group {
            group: name.to_string(),
            location,
            fault: fault.to_owned(),
        }));
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
    has_policy: bool,
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
        if entry.options.approval == Approval::Required && !has_policy {
            errors.push(BuildError::NoApprovalPolicy { tool: tool.clone(), location });
        }
    }
}

/// A deferred tool needs a discovery tool that reaches it from the first turn: its search, or one of the host's.
pub(super) fn discovery(entries: &[Entry], errors: &mut Vec<BuildError>) {
    if entries.iter().any(is_discovery_of_host) {
        return;
    }
    let needed = |tool: DiscoveryTool| {
        matches!(tool, DiscoveryTool::Search | DiscoveryTool::Load | DiscoveryTool::Call)
    };
    let mut searched: HashSet<ScopeId> = HashSet::new();
    let mut broken: HashSet<ScopeId> = HashSet::new();
    for entry in entries {
        if let Some(BuiltIn::Search(tool, scope)) = entry.built_in {
            if needed(tool) && entry.place != Place::Discovery {
                broken.insert(scope);
            }
            searched.insert(scope);
        }
    }
    let reached = |scope: ScopeId| searched.contains(&scope) && !broken.contains(&scope);
    // A tool of a group that is not there is told already.
    let stranded = entries.iter().filter(|entry| {
        entry.place == Place::Deferred && entry.options.group.is_none() && !entry.scope.is_some_and(reached)
    });
    errors.extend(stranded.map(|entry| BuildError::Undiscoverable {
        tool: entry.name().clone(),
        location: entry.options.location,
    }));
}

/// A group needs `load_tools`, or a discovery tool of the host's.
pub(super) fn loadable_groups(groups: &[ToolGroup], entries: &[Entry], errors: &mut Vec<BuildError>) {
    let load = |entry: &&Entry| entry.built_in == Some(BuiltIn::Groups(GroupTool::Load));
    let is_denied = entries.iter().find(load).is_some_and(|entry| entry.place == Place::Denied);
    if !is_denied || entries.iter().any(is_discovery_of_host) {
        return;
    }
    let stranded = groups.iter().filter(|group| !matches!(group.origin, Origin::Resident));
    errors.extend(stranded.map(|group| BuildError::Group {
        group: group.name.to_string(),
        location: group.location,
        fault: "nothing can load it: `load_tools` is denied".to_owned(),
    }));
}

fn is_discovery_of_host(entry: &Entry) -> bool {
    entry.place == Place::Discovery && entry.built_in.is_none()
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
pub(super) fn hidden_names<E: AsRef<Entry>>(entries: &[E]) -> HashSet<&str> {
    entries
        .iter()
        .map(AsRef::as_ref)
        .filter(|entry| matches!(entry.place, Place::Deferred | Place::Grouped | Place::Denied))
        .map(|entry| entry.name().as_str())
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
