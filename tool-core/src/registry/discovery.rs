//! The library's own tools in a registry: those of each search, and those of the groups.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
};

use super::{BuildError, Entry, Holder, Place, RegisteredSource, Scope, ScopeId, assemble::SearchOf};
use crate::{
    Location, Tool,
    discovery::{BuiltIn, BuiltInTool, GroupTool, GroupTools, Mode},
    group::{Origin, ToolGroup},
    policy::{Policy, Subject},
};

/// The tools of all searches. One without anything to find has none; the registry's own is dormant then, for what a
/// session may add.
pub(super) fn search_tools(
    searches: &[SearchOf],
    entries: &[Entry],
    sources: &[Arc<RegisteredSource>],
    policy: &Policy,
    errors: &mut Vec<BuildError>,
) -> Vec<Entry> {
    let mut built_in = Vec::new();
    for (index, SearchOf { search, toolset }) in searches.iter().enumerate() {
        let scope = ScopeId(index);
        let is_hidden = |entry: &&Entry| entry.place == Place::Deferred && entry.scope == Some(scope);
        let hidden: Vec<&Entry> = entries.iter().filter(is_hidden).collect();
        let prefix = toolset.as_ref().and_then(|(_, prefix)| prefix.as_deref());
        let has_source = sources.iter().any(|source| source.is_searched_by(Some(scope)));
        let place = match (hidden.is_empty() && !has_source, toolset) {
            (false, _) => Place::Discovery,
            // The bridge's list is frozen, so its tools cannot be appended later.
            (true, None) if search.mode() != Mode::Bridge => Place::Dormant,
            (true, _) => continue,
        };
        for tool in search.tools() {
            // A name that cannot be used is reported by `ToolSearch::check`.
            let Ok(built) = BuiltInTool::new(search, *tool, scope, prefix, &hidden) else { continue };
            let id = BuiltIn::Search(*tool, scope);
            built_in.extend(entry(built, id, place, search.location(), entries, policy, errors));
        }
    }
    built_in
}

/// `available_tools` and `load_tools`, if there is a group to load.
pub(super) fn group_tools(
    groups: &[ToolGroup],
    entries: &[Entry],
    policy: &Policy,
    errors: &mut Vec<BuildError>,
) -> Vec<Entry> {
    let Some(loadable) = groups.iter().find(|group| !matches!(group.origin, Origin::Resident)) else {
        return Vec::new();
    };
    let place = Place::Discovery;
    let tools = [GroupTool::Available, GroupTool::Load];
    let made = tools.into_iter().filter_map(|tool| {
        let built = GroupTools::new(tool, loadable.location);
        entry(built, BuiltIn::Groups(tool), place, loadable.location, entries, policy, errors)
    });
    made.collect()
}

fn entry(
    tool: impl Tool,
    built_in: BuiltIn,
    place: Place,
    location: Location,
    entries: &[Entry],
    policy: &Policy,
    errors: &mut Vec<BuildError>,
) -> Option<Entry> {
    let definition = tool.definition().clone();
    if let Some(taken) = entries.iter().find(|entry| entry.name() == definition.name()) {
        // A dormant tool gives way: the host did not ask for it.
        if place != Place::Dormant {
            let (name, location_of_taken) = (definition.name().clone(), taken.options.location);
            errors.push(BuildError::ReservedName { name, location: location_of_taken, search: location });
        }
        return None;
    }
    let hidden = policy.hides(Subject::BuiltIn, None, definition.name());
    Some(Entry {
        options: tool.options().clone(),
        tool: Arc::new(tool),
        definition,
        namespace: Cow::Borrowed(""),
        prefix: None,
        place: if hidden { Place::Denied } else { place },
        holder: Holder::Agent,
        scope: None,
        budget: None,
        built_in: Some(built_in),
        fingerprint: OnceLock::new(),
        sourced: None,
        document: OnceLock::new(),
    })
}

/// The searches with what they cover and the names of their tools.
pub(super) fn scopes(searches: Vec<SearchOf>, entries: &[Arc<Entry>]) -> Vec<Scope> {
    let scope = |(index, SearchOf { search, toolset }): (usize, SearchOf)| {
        let id = ScopeId(index);
        let names = entries.iter().filter_map(|entry| match entry.built_in {
            Some(BuiltIn::Search(tool, of)) if of == id => Some((tool, entry.name().clone())),
            _ => None,
        });
        let is_hidden = |entry: &&Arc<Entry>| entry.place == Place::Deferred && entry.scope == Some(id);
        let hidden = entries.iter().filter(is_hidden).cloned().collect();
        Scope::new(search, toolset.map(|(namespace, _)| namespace), names.collect(), hidden)
    };
    searches.into_iter().enumerate().map(scope).collect()
}
