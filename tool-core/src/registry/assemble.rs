//! From declarations to a registry: the order of the steps. The rules are in `rules`, the library's own tools in
//! `discovery`.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, OnceLock},
};

use super::{
    BuildError, BuildErrors, Entry, Group, Holder, Place, RegisteredSource, Registry, RegistryBuilder,
    RegistryInner, ScopeId, Sources, Warning,
    builder::SearchSetting,
    discovery,
    entry::{fault_of, prefixed},
    rules,
};
use crate::{
    Approval, Loading, Tool, ToolKind, ToolName, ToolSearch, Toolset,
    declare::Declared,
    group::{Origin, ToolGroup},
    name::folded,
    policy::{Policy, Subject},
    toolset::{DEFAULT_NAMESPACE, RegisteredTool},
};

/// Names come first, then who is hidden, then what the remaining tools need; all errors are collected.
pub(super) fn registry(mut builder: RegistryBuilder) -> Result<Registry, BuildErrors> {
    let mut errors: Vec<_> =
        builder.duplicate_values.iter().map(|name| BuildError::DuplicateHostValue(name)).collect();
    let mut warnings = Vec::new();
    let groups = std::mem::take(&mut builder.groups);
    let mut toolsets = toolsets(&mut builder, &groups, &mut errors);
    let declared = builder.declared(&toolsets, &groups);
    rules::toolsets(&toolsets, &groups, &mut errors);
    rules::sources(&toolsets, &mut errors);
    rules::groups(&groups, &mut errors);
    let common = match builder.search {
        SearchSetting::With(search) => Some(search),
        SearchSetting::Without => None,
    };
    let faults = errors.len();
    let searches = searches(common, &toolsets, &mut errors);
    let mut searches_are_sound = errors.len() == faults;
    let sources = sources(&mut toolsets, &searches);
    let mut entries = entries(toolsets, &searches, &builder.policy, &mut warnings, &mut errors);
    let group_tools = group_tools(&groups, &builder.policy, &mut entries, &mut errors);
    entries.extend(group_tools);
    entries.sort_by(|a, b| (&a.namespace, a.name()).cmp(&(&b.namespace, b.name())));
    for (id, search) in searches.iter().enumerate() {
        keep_small_catalogue_eager(search.search.threshold(), ScopeId(id), &mut entries);
    }
    let faults = errors.len();
    let built_in = discovery::search_tools(&searches, &entries, &sources, &builder.policy, &mut errors);
    let group_tools = discovery::group_tools(&groups, &entries, &builder.policy, &mut errors);
    entries.extend(built_in.into_iter().chain(group_tools));
    searches_are_sound &= errors.len() == faults;
    let session_values: Vec<_> = builder.session_values.iter().collect();
    if let Some(approvals) = &mut builder.approvals {
        approvals.required = std::mem::take(&mut builder.approval_required);
        for entry in &mut entries {
            if approvals.asks_about(entry.tool.declared(), entry.name()) {
                entry.options.approval = Approval::Required;
            }
        }
    } else if !builder.approval_required.is_empty() {
        errors.push(BuildError::ApprovalWithoutPolicy);
    }
    rules::names(&entries, &mut errors);
    rules::needs(&entries, &builder.values, &session_values, builder.approvals.is_some(), &mut errors);
    // A search that cannot be built strands its tools; saying so for each would hide the one thing to mend.
    if searches_are_sound {
        rules::discovery(&entries, &sources, &mut errors);
        rules::loadable_groups(&groups, &entries, &mut errors);
    }
    if !errors.is_empty() {
        return Err(BuildErrors(errors));
    }
    for entry in &mut entries {
        entry.tool = builder.layers.iter().fold(Arc::clone(&entry.tool), |tool, layer| layer(tool));
    }
    if sources.is_empty() {
        warnings.extend(unmatched(&builder.policy));
    }
    warnings.extend(rules::names_of_hidden_tools(&entries));
    let entries: Vec<Arc<Entry>> = entries.into_iter().map(Arc::new).collect();
    let sources = (!sources.is_empty()).then(|| Arc::new(Sources::new(sources, searches.len())));
    Ok(Registry(Arc::new(RegistryInner {
        base: base(&entries),
        scopes: discovery::scopes(searches, &entries),
        groups: groups.into_iter().map(|group| registered(group, &entries)).collect(),
        by_name: entries.iter().map(|entry| (entry.name().clone(), Arc::clone(entry))).collect(),
        by_folded: by_folded(&entries),
        entries,
        values: builder.values,
        session_values,
        approvals: builder.approvals,
        events: builder.events,
        content: builder.content,
        all_documents: OnceLock::new(),
        policy: builder.policy,
        layers: builder.layers,
        warnings,
        declared,
        sources,
    })))
}

/// Eager tools by name, then discovery tools by name.
fn base(entries: &[Arc<Entry>]) -> Vec<Arc<Entry>> {
    let mut base: Vec<_> = entries.iter().filter(|entry| entry.is_base()).cloned().collect();
    base.sort_by(|a, b| {
        (a.place == Place::Discovery, a.name()).cmp(&(b.place == Place::Discovery, b.name()))
    });
    base
}

fn by_folded(entries: &[Arc<Entry>]) -> HashMap<String, Vec<Arc<Entry>>> {
    let mut by_folded: HashMap<String, Vec<Arc<Entry>>> = HashMap::with_capacity(entries.len());
    for entry in entries.iter().filter(|entry| entry.place != Place::Denied) {
        let full = folded(entry.name().as_str());
        let bare = folded(entry.bare_name());
        if bare != full {
            by_folded.entry(bare).or_default().push(Arc::clone(entry));
        }
        by_folded.entry(full).or_default().push(Arc::clone(entry));
    }
    by_folded
}

pub(super) fn unmatched(policy: &Policy) -> impl Iterator<Item = Warning> {
    policy.unmatched().map(|entry| Warning::UnmatchedSelector { entry: entry.to_string() })
}

/// All toolsets with their tools: the default one takes what is linked and named nowhere else.
fn toolsets(
    builder: &mut RegistryBuilder,
    groups: &[ToolGroup],
    errors: &mut Vec<BuildError>,
) -> Vec<Toolset> {
    let mut default = std::mem::replace(&mut builder.default_toolset, Toolset::new(""));
    if let Some(linked) = builder.linked.take() {
        if linked.is_empty() {
            errors.push(BuildError::NothingLinked);
        }
        let in_groups = groups.iter().flat_map(|group| &group.tools);
        let in_toolsets =
            std::iter::once(&default).chain(&builder.toolsets).flat_map(|toolset| &toolset.tools);
        let named: HashSet<Declared> =
            in_toolsets.chain(in_groups).filter_map(|tool| tool.tool.declared()).collect();
        default = default.tools(linked.into_iter().filter(|tool| !named.contains(&tool.identity())));
    }
    let mut toolsets = vec![default];
    toolsets.append(&mut builder.toolsets);
    toolsets
}

/// A search and whose it is: the registry's first, then those of toolsets.
pub(super) struct SearchOf {
    pub(super) search: ToolSearch,
    /// Namespace and prefix of its toolset; `None` for the registry's.
    pub(super) toolset: Option<(std::borrow::Cow<'static, str>, Option<std::borrow::Cow<'static, str>>)>,
}

fn searches(common: Option<ToolSearch>, toolsets: &[Toolset], errors: &mut Vec<BuildError>) -> Vec<SearchOf> {
    let common = common.map(|search| SearchOf { search, toolset: None });
    let own = toolsets.iter().filter_map(|toolset| {
        let search = toolset.search.clone()?;
        let prefix = toolset.effective_prefix().cloned();
        Some(SearchOf { search, toolset: Some((toolset.namespace.clone(), prefix)) })
    });
    let searches: Vec<SearchOf> = common.into_iter().chain(own).collect();
    for search in &searches {
        search.search.check(errors);
    }
    searches
}

/// The search that covers a toolset: its own, else the common one.
fn scope_of(toolset: &Toolset, searches: &[SearchOf]) -> Option<ScopeId> {
    let is_own = |search: &SearchOf| {
        search.toolset.as_ref().is_some_and(|(namespace, _)| *namespace == toolset.namespace)
    };
    let own = searches.iter().position(is_own);
    own.or_else(|| searches.iter().position(|search| search.toolset.is_none())).map(ScopeId)
}

/// Takes the toolsets that have a source.
fn sources(toolsets: &mut Vec<Toolset>, searches: &[SearchOf]) -> Vec<Arc<RegisteredSource>> {
    let with_source = toolsets.extract_if(.., |toolset| !toolset.sources.is_empty());
    let registered = with_source.filter_map(|toolset| {
        let scope = scope_of(&toolset, searches);
        RegisteredSource::of(toolset, Place::Eager, scope).map(Arc::new)
    });
    registered.collect()
}

/// One entry per usable tool of the toolsets.
fn entries(
    toolsets: Vec<Toolset>,
    searches: &[SearchOf],
    policy: &Policy,
    warnings: &mut Vec<Warning>,
    errors: &mut Vec<BuildError>,
) -> Vec<Entry> {
    let mut entries = Vec::new();
    for mut toolset in toolsets {
        let scope = scope_of(&toolset, searches);
        let budget = toolset.budget.take().map(Arc::new);
        for tool in std::mem::take(&mut toolset.tools) {
            let Some(mut entry) = entry(&tool, &toolset, errors) else { continue };
            let (declared, name) = (entry.tool.declared(), entry.definition.name());
            // Both are asked, so that an entry that matches only what the other hides is no warning.
            let by_toolset = toolset.policy.hides(tool.subject, declared, name);
            let by_registry = policy.hides(tool.subject, declared, name);
            if by_toolset || by_registry {
                entry.place = Place::Denied;
            }
            (entry.scope, entry.budget) = (scope, budget.clone());
            entries.push(entry);
        }
        warnings.extend(unmatched(&toolset.policy));
    }
    entries
}

fn entry(registered: &RegisteredTool, toolset: &Toolset, errors: &mut Vec<BuildError>) -> Option<Entry> {
    let tool = &registered.tool;
    let name = || tool.definition().name().to_string();
    let mut options = tool.options().clone();
    let location = options.location;
    if let Some(fault) = fault_of(&**tool) {
        errors.push(BuildError::Tool { tool: name(), location, fault });
        return None;
    }
    let prefix = toolset.prefix.as_deref();
    // An illegal prefix is reported once, for its toolset.
    if prefix.is_some_and(|prefix| ToolName::new(prefix).is_err()) {
        return None;
    }
    let definition = match prefixed(&**tool, prefix) {
        Ok(definition) => definition,
        Err(error) => {
            let prefix = prefix.unwrap_or_default().to_owned();
            errors.push(BuildError::Prefixed { tool: name(), prefix, location, error });
            return None;
        }
    };
    if registered.always_available {
        options.loading = Loading::Eager;
    } else if toolset.loading == Loading::Deferred {
        options.loading = Loading::Deferred;
    }
    let place = match options.loading {
        Loading::Deferred => Place::Deferred,
        Loading::Eager => eager_place(options.kind),
    };
    let namespace = toolset.namespace.clone();
    let holder =
        if namespace == DEFAULT_NAMESPACE { Holder::Agent } else { Holder::Toolset(namespace.clone()) };
    Some(Entry {
        tool: Arc::clone(tool),
        definition,
        options,
        namespace,
        prefix: toolset.prefix.clone(),
        place,
        holder,
        scope: None,
        budget: None,
        built_in: None,
        fingerprint: OnceLock::new(),
        sourced: None,
        document: OnceLock::new(),
    })
}

fn eager_place(kind: ToolKind) -> Place {
    match kind {
        ToolKind::Ordinary => Place::Eager,
        ToolKind::Discovery => Place::Discovery,
    }
}

/// The tools that groups bring along; tools of toolsets that declare a group are moved into it.
fn group_tools(
    groups: &[ToolGroup],
    policy: &Policy,
    entries: &mut [Entry],
    errors: &mut Vec<BuildError>,
) -> Vec<Entry> {
    for entry in entries.iter_mut().filter(|entry| entry.place != Place::Denied) {
        let Some(name) = entry.options.group.clone() else { continue };
        match groups.iter().find(|group| group.name == name) {
            Some(group) if !matches!(group.origin, Origin::Lazy(_)) => put_into(group, entry),
            found => errors.push(BuildError::UnknownGroup {
                tool: entry.name().clone(),
                location: entry.options.location,
                fault: if found.is_some() {
                    "is built by a function: use `ToolGroup::linked`"
                } else {
                    "is not in this registry: call `.group(ToolGroup::linked(…))`"
                },
                group: name.to_string(),
            }),
        }
    }
    let mut more = Vec::new();
    for group in groups {
        let toolset = Toolset::new(group.name.clone());
        for tool in &group.tools {
            let Some(mut entry) = entry(tool, &toolset, errors) else { continue };
            put_into(group, &mut entry);
            if policy.hides(Subject::Tool, entry.tool.declared(), entry.name()) {
                entry.place = Place::Denied;
            }
            more.push(entry);
        }
    }
    more
}

fn put_into(group: &ToolGroup, entry: &mut Entry) {
    entry.holder = Holder::Group(group.name.clone());
    entry.scope = None;
    entry.place = match group.origin {
        Origin::Resident => eager_place(entry.options.kind),
        Origin::Declared | Origin::Lazy(_) => Place::Grouped,
    };
}

fn registered(group: ToolGroup, entries: &[Arc<Entry>]) -> Group {
    let is_mine = |entry: &&Arc<Entry>| {
        matches!(&entry.holder, Holder::Group(name) if *name == group.name) && entry.place != Place::Denied
    };
    Group {
        entries: entries.iter().filter(is_mine).cloned().collect(),
        name: group.name,
        description: group.description,
        guidance: group.guidance,
        note: group.note,
        timeout: group.timeout,
        origin: group.origin,
    }
}

/// With fewer deferred tools than the threshold a search costs more than it saves.
fn keep_small_catalogue_eager(threshold: usize, scope: ScopeId, entries: &mut [Entry]) {
    let hidden = |entry: &Entry| entry.place == Place::Deferred && entry.scope == Some(scope);
    if entries.iter().filter(|entry| hidden(entry)).count() < threshold {
        for entry in entries.iter_mut().filter(|entry| hidden(entry)) {
            entry.place = eager_place(entry.options.kind);
        }
    }
}
