//! From declarations to a registry: the order of the steps. The rules are in `rules`.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::{Arc, OnceLock},
};

use super::{
    BuildError, BuildErrors, Entry, Place, Registry, RegistryBuilder, RegistryInner, ToolId, Warning,
    builder::SearchSetting, rules,
};
use crate::{
    Loading, Tool, ToolKind, ToolName, Toolset,
    declare::Declared,
    name::folded,
    policy::{Policy, Subject},
    search::{RankerChoice, SearchTool, ToolSearch},
};

/// Names come first, then who is hidden, then what the remaining tools need; all errors are collected.
pub(super) fn registry(mut builder: RegistryBuilder) -> Result<Registry, BuildErrors> {
    let mut errors: Vec<_> =
        builder.duplicate_values.iter().map(|name| BuildError::DuplicateHostValue(name)).collect();
    let mut warnings = Vec::new();
    let toolsets = toolsets(&mut builder, &mut errors);
    rules::toolsets(&toolsets, &mut errors);
    let mut entries = entries(toolsets, &mut builder.policy, &mut warnings, &mut errors);
    let mut ranker = RankerChoice::default();
    let faults = errors.len();
    if let SearchSetting::With(search) = builder.search {
        search.check(&mut errors);
        ranker = search.ranker_choice();
        keep_small_catalogue_eager(search.threshold(), &mut entries);
        add_search_tool(&search, &mut entries, &mut builder.policy, &mut errors);
    }
    let search_is_sound = errors.len() == faults;
    let session_values: Vec<_> = builder.session_values.iter().collect();
    rules::names(&entries, &mut errors);
    rules::needs(&entries, &builder.values, &session_values, &mut errors);
    if search_is_sound {
        rules::discovery(&entries, &mut errors);
    }
    if !errors.is_empty() {
        return Err(BuildErrors(errors));
    }
    for entry in &mut entries {
        entry.tool = builder.layers.iter().fold(Arc::clone(&entry.tool), |tool, layer| layer(tool));
    }
    warnings.extend(unmatched(&builder.policy));
    warnings.extend(rules::names_of_hidden_tools(&entries));
    Ok(Registry(Arc::new(RegistryInner {
        base: base(&entries),
        deferred: ids(&entries)
            .filter(|(_, entry)| entry.place == Place::Deferred)
            .map(|(id, _)| id)
            .collect(),
        by_name: ids(&entries).map(|(id, entry)| (entry.definition.name().clone(), id)).collect(),
        by_folded: by_folded(&entries),
        entries,
        values: builder.values,
        session_values,
        ranker,
        documents: OnceLock::new(),
        events: builder.events,
        warnings,
    })))
}

fn ids(entries: &[Entry]) -> impl Iterator<Item = (ToolId, &Entry)> {
    (0u32..).map(ToolId).zip(entries)
}

/// Eager tools by name, then discovery tools by name.
fn base(entries: &[Entry]) -> Vec<ToolId> {
    let in_base = |entry: &Entry| matches!(entry.place, Place::Eager | Place::Discovery);
    let mut base: Vec<_> = ids(entries).filter(|(_, entry)| in_base(entry)).collect();
    base.sort_by_key(|(_, entry)| (entry.place == Place::Discovery, entry.definition.name()));
    base.into_iter().map(|(id, _)| id).collect()
}

fn by_folded(entries: &[Entry]) -> HashMap<String, Vec<ToolId>> {
    let mut by_folded: HashMap<String, Vec<ToolId>> = HashMap::with_capacity(entries.len());
    for (id, entry) in ids(entries).filter(|(_, entry)| entry.place != Place::Denied) {
        let full = folded(entry.definition.name().as_str());
        let bare = folded(entry.bare_name());
        if bare != full {
            by_folded.entry(bare).or_default().push(id);
        }
        by_folded.entry(full).or_default().push(id);
    }
    by_folded
}

fn unmatched(policy: &Policy) -> impl Iterator<Item = Warning> {
    policy.unmatched().map(|entry| Warning::UnmatchedSelector { entry: entry.to_string() })
}

/// All toolsets with their tools: the default one takes what is linked and named nowhere else.
fn toolsets(builder: &mut RegistryBuilder, errors: &mut Vec<BuildError>) -> Vec<Toolset> {
    let mut default = std::mem::replace(&mut builder.default_toolset, Toolset::new(""));
    if let Some(linked) = builder.linked.take() {
        if linked.is_empty() {
            errors.push(BuildError::NothingLinked);
        }
        let named: HashSet<Declared> = std::iter::once(&default)
            .chain(&builder.toolsets)
            .flat_map(|toolset| &toolset.tools)
            .filter_map(|tool| tool.0.declared())
            .collect();
        default = default.tools(linked.into_iter().filter(|tool| !named.contains(&tool.identity())));
    }
    let mut toolsets = vec![default];
    toolsets.append(&mut builder.toolsets);
    toolsets
}

/// One entry per usable tool, in (toolset, name) order.
fn entries(
    toolsets: Vec<Toolset>,
    policy: &mut Policy,
    warnings: &mut Vec<Warning>,
    errors: &mut Vec<BuildError>,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    for mut toolset in toolsets {
        for tool in std::mem::take(&mut toolset.tools) {
            let Some(mut entry) = entry(tool.0, &toolset, errors) else { continue };
            let (declared, name) = (entry.tool.declared(), entry.definition.name());
            // Both are asked, so that an entry that matches only what the other hides is no warning.
            let by_toolset = toolset.policy.hides(Subject::Tool, declared, name);
            let by_registry = policy.hides(Subject::Tool, declared, name);
            if by_toolset || by_registry {
                entry.place = Place::Denied;
            }
            entries.push(entry);
        }
        warnings.extend(unmatched(&toolset.policy));
    }
    entries.sort_by(|a, b| (&a.namespace, a.definition.name()).cmp(&(&b.namespace, b.definition.name())));
    entries
}

fn entry(tool: Arc<dyn Tool>, toolset: &Toolset, errors: &mut Vec<BuildError>) -> Option<Entry> {
    let (definition, options) = (tool.definition().clone(), tool.options().clone());
    let location = options.location;
    let blank = || definition.description().trim().is_empty().then(|| "the description is empty".to_owned());
    if let Some(fault) = tool.fault().or_else(blank) {
        errors.push(BuildError::Tool { tool: definition.name().to_string(), location, fault });
        return None;
    }
    let definition = match toolset.prefix.as_deref() {
        None => definition,
        // An illegal prefix is reported once, for its toolset.
        Some(prefix) if ToolName::new(prefix).is_err() => return None,
        Some(prefix) => match ToolName::new(format!("{prefix}_{}", definition.name())) {
            Ok(name) => definition.renamed(name),
            Err(error) => {
                let (tool, prefix) = (definition.name().to_string(), prefix.to_owned());
                errors.push(BuildError::Prefixed { tool, prefix, location, error });
                return None;
            }
        },
    };
    let place = match options.loading {
        Loading::Deferred => Place::Deferred,
        Loading::Eager => eager_place(options.kind),
    };
    let namespace = toolset.namespace.clone();
    Some(Entry { tool, definition, options, namespace, prefix: toolset.prefix.clone(), place })
}

fn eager_place(kind: ToolKind) -> Place {
    match kind {
        ToolKind::Ordinary => Place::Eager,
        ToolKind::Discovery => Place::Discovery,
    }
}

/// With fewer deferred tools than the threshold a search costs more than it saves.
fn keep_small_catalogue_eager(threshold: usize, entries: &mut [Entry]) {
    let deferred = entries.iter().filter(|entry| entry.place == Place::Deferred).count();
    if deferred < threshold {
        for entry in entries.iter_mut().filter(|entry| entry.place == Place::Deferred) {
            entry.place = eager_place(entry.options.kind);
        }
    }
}

fn add_search_tool(
    search: &ToolSearch,
    entries: &mut Vec<Entry>,
    policy: &mut Policy,
    errors: &mut Vec<BuildError>,
) {
    // A name that cannot be used is reported by `search.check`.
    let Ok(tool) = SearchTool::new(search) else { return };
    let definition = tool.definition().clone();
    if !entries.iter().any(|entry| entry.place == Place::Deferred) {
        return;
    }
    if let Some(taken) = entries.iter().find(|entry| entry.definition.name() == definition.name()) {
        let (name, location) = (definition.name().clone(), taken.options.location);
        errors.push(BuildError::ReservedName { name, location, search: search.location() });
        return;
    }
    let hidden = policy.hides(Subject::BuiltIn, None, definition.name());
    entries.push(Entry {
        options: tool.options().clone(),
        tool: Arc::new(tool),
        definition,
        namespace: Cow::Borrowed(""),
        prefix: None,
        place: if hidden { Place::Denied } else { Place::Discovery },
    });
}
