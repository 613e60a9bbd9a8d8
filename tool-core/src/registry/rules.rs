//! What `build()` refuses or warns of, one rule a function.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use super::{BuildError, Entry, Place, RegisteredSource, ScopeId, Warning};
use crate::{
    Approval, DiscoveryTool, MAX_NAME_LEN, ToolGroup, ToolName, Toolset,
    context::{HostValues, Requirement, Requirements},
    declare::Declared,
    discovery::{BuiltIn, GroupTool},
    group::Origin,
};

/// Longest prefix of a source: with its `_` it is whole in a name that was cut.
const MAX_SOURCE_PREFIX: usize = MAX_NAME_LEN - 10;

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
        if let Some(error) = toolset.effective_prefix().and_then(|prefix| ToolName::new(prefix).err()) {
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

/// A toolset has tools or one source, whose prefix tells its tools from those of every other source.
pub(super) fn sources(toolsets: &[Toolset], errors: &mut Vec<BuildError>) {
    let mut prefixes: Vec<&str> = Vec::new();
    for toolset in toolsets.iter().filter(|toolset| !toolset.sources.is_empty()) {
        let prefix = toolset.effective_prefix().map_or("", AsRef::as_ref);
        let faults = [
            (!toolset.tools.is_empty()).then(|| {
                "it has both tools and a source: put the tools into a toolset of their own".to_owned()
            }),
            (toolset.sources.len() > 1)
                .then(|| "it has more than one source: give each a toolset of its own".to_owned()),
            toolset.source_settings.fault().map(str::to_owned),
            prefix_fault(prefix, prefixes.iter().copied()),
        ];
        let namespace = &toolset.namespace;
        errors.extend(
            faults
                .into_iter()
                .flatten()
                .map(|fault| BuildError::Source { namespace: namespace.to_string(), fault }),
        );
        prefixes.push(prefix);
    }
}

/// Why a source cannot have a prefix beside those of other sources. That it is a legal name is checked for itself.
pub(super) fn prefix_fault<'a>(prefix: &str, others: impl Iterator<Item = &'a str>) -> Option<String> {
    if prefix.len() > MAX_SOURCE_PREFIX {
        return Some(format!(
            "the prefix `{prefix}` of its source has more than {MAX_SOURCE_PREFIX} characters"
        ));
    }
    let begins = |long: &str, short: &str| long.strip_prefix(short).is_some_and(|rest| rest.starts_with('_'));
    let lower = prefix.to_ascii_lowercase();
    for other in others {
        let known = other.to_ascii_lowercase();
        if lower == known {
            return Some(format!("another source has the prefix `{other}` of its source: call `.prefix(…)`"));
        }
        if begins(&lower, &known) || begins(&known, &lower) {
            return Some(format!(
                "the prefixes `{prefix}` and `{other}` of two sources can make the same names: one is the other and `_`"
            ));
        }
    }
    None
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
pub(super) fn discovery(entries: &[Entry], sources: &[Arc<RegisteredSource>], errors: &mut Vec<BuildError>) {
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
    let stranded =
        sources.iter().filter(|source| source.is_searched_by(None) && !source.scope.is_some_and(reached));
    errors.extend(stranded.map(|source| BuildError::Source {
        namespace: source.namespace.to_string(),
        fault: "its source is deferred, but nothing can reveal its tools: remove `.without_search()`, register a \
                `discovery` tool, or call `.always_available_source(…)`"
            .to_owned(),
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
