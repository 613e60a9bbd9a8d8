//! What a session has revealed, in one order, and the tools that only it has.
//!
//! The committed state of a session and the provisional state of a batch are both [`Reveals`], and both change through
//! [`Reveals::apply`] alone, so that a batch's texts are true of what is committed.

mod adopt;

use std::{collections::HashMap, sync::Arc};

pub(crate) use adopt::Adopted;

use super::snapshot::SavedTool;
use crate::{
    Budget, Fingerprint, GroupOutcome, Limit, LoadedGroup, Registry, SkipReason, SkippedTool, ToolName,
    registry::{Entry, Holder, Listed, Place},
};

/// The reveal order and the tools of one session.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reveals {
    order: Vec<ToolName>,
    groups: Vec<String>,
    /// Tools that the registry does not have: of lazy groups, and added to the session.
    tools: Arc<HashMap<ToolName, Arc<Entry>>>,
    /// What the registry's sources list, as of the last look.
    sources: Arc<Listed>,
    /// Namespace and fingerprint of names in the order that no tool has yet, or any more: they are saved again.
    pending: HashMap<ToolName, (String, Fingerprint)>,
    unbuilt: Vec<String>,
}

/// One change, as it is applied to the provisional state of a batch, and again when the batch commits.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Reveal(Arc<Entry>),
    /// Of a tool that a suspended batch revealed and that is not there yet.
    RevealPending(SavedTool),
    Unload(ToolName),
    LoadGroup {
        group: String,
        /// Groups that its builder loaded; theirs come first.
        with: Vec<(String, Vec<Arc<Entry>>)>,
        entries: Vec<Arc<Entry>>,
        skipped: Vec<SkippedTool>,
    },
    /// Of `session.add`.
    Add(Vec<Arc<Entry>>),
}

/// What a change did.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    pub(crate) revealed: Vec<ToolName>,
    pub(crate) unloaded: Vec<ToolName>,
    /// Revealed, but not there: withdrawn by their source in the meantime, or not listed yet.
    pub(crate) vanished: Vec<ToolName>,
    /// Revealed before a resume, and there again.
    pub(crate) returned: Vec<ToolName>,
    /// Those of them that are not what they were.
    pub(crate) changed: Vec<ToolName>,
    /// Tools that were not revealed, and why.
    pub(crate) over: Vec<(ToolName, Limit)>,
    /// Of a group or of `session.add`.
    pub(crate) skipped: Vec<SkippedTool>,
    pub(crate) groups: Vec<String>,
}

impl Applied {
    /// Whether anything is otherwise than before.
    pub(crate) fn has_effect(&self) -> bool {
        !(self.revealed.is_empty()
            && self.unloaded.is_empty()
            && self.vanished.is_empty()
            && self.groups.is_empty())
    }
}

impl Reveals {
    /// Nothing revealed, over one version of the sources' lists.
    pub(crate) fn over(sources: Arc<Listed>) -> Self {
        Self { sources, ..Self::default() }
    }

    pub(crate) fn sources(&self) -> &Arc<Listed> {
        &self.sources
    }

    pub(crate) fn order(&self) -> &[ToolName] {
        &self.order
    }

    pub(crate) fn groups(&self) -> &[String] {
        &self.groups
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.order.iter().any(|revealed| revealed == name)
    }

    /// The tool of a name: the registry's, the session's own, or one of a source.
    pub(crate) fn find<'a>(&'a self, registry: &'a Registry, name: &str) -> Option<&'a Arc<Entry>> {
        registry.find(name).or_else(|| self.tools.get(name)).or_else(|| self.sources.find(name))
    }

    /// Whether some names of sources' tools may be taken by tools of this session.
    pub(crate) fn shadows_sources(&self) -> bool {
        !self.tools.is_empty() && self.sources.version() > 0
    }

    /// Whether the name of an entry is its own: a session may have a tool of a name that a source lists later.
    pub(crate) fn holds(&self, registry: &Registry, entry: &Arc<Entry>) -> bool {
        self.find(registry, entry.name().as_str()).is_some_and(|held| Arc::ptr_eq(held, entry))
    }

    /// Loaded groups that could not be built here: they are saved again.
    pub(super) fn unbuilt(&self) -> &[String] {
        &self.unbuilt
    }

    pub(super) fn keep_unbuilt(&mut self, group: String) {
        self.unbuilt.push(group);
    }

    /// What was saved of a name that no tool has yet.
    pub(super) fn pending(&self, name: &ToolName) -> Option<&(String, Fingerprint)> {
        self.pending.get(name)
    }

    /// Keeps the place of a saved name that no tool has yet.
    pub(super) fn keep_pending(&mut self, name: ToolName, namespace: String, fingerprint: Fingerprint) {
        self.pending.insert(name.clone(), (namespace, fingerprint));
        self.append(name);
    }

    pub(super) fn append(&mut self, name: ToolName) {
        if !self.contains(name.as_str()) {
            self.order.push(name);
        }
    }

    /// Takes the groups that were built, without a place in the order for their tools.
    pub(super) fn adopt_groups(&mut self, built: &Self) {
        self.groups.clone_from(&built.groups);
        self.unbuilt.clone_from(&built.unbuilt);
        self.tools = Arc::clone(&built.tools);
    }

    /// Appends what is revealed there and not here.
    pub(super) fn append_missing(&mut self, built: &Self) {
        built.order.iter().cloned().for_each(|name| self.append(name));
    }

    /// The revealed tools that exist, in order.
    pub(crate) fn entries<'a>(&'a self, registry: &'a Registry) -> impl Iterator<Item = &'a Arc<Entry>> {
        let there = self.order.iter().filter(|name| !self.pending.contains_key(*name));
        there.filter_map(|name| self.find(registry, name.as_str()))
    }

    /// Tools that only this session has, by name.
    pub(crate) fn session_tools(&self) -> Vec<&Arc<Entry>> {
        let mut tools: Vec<_> = self.tools.values().collect();
        tools.sort_by(|a, b| (&a.namespace, a.name()).cmp(&(&b.namespace, b.name())));
        tools
    }

    pub(crate) fn apply(&mut self, registry: &Registry, operation: &Operation) -> Applied {
        self.apply_beside(registry, operation, &[])
    }

    /// As [`apply`](Self::apply), where budgets count `others` too: what batches that have not ended reveal.
    pub(crate) fn apply_beside(
        &mut self,
        registry: &Registry,
        operation: &Operation,
        others: &[Arc<Entry>],
    ) -> Applied {
        let mut applied = Applied::default();
        match operation {
            Operation::Reveal(entry) => self.reveal(registry, entry, others, &mut applied),
            Operation::RevealPending(saved) => self.reveal_pending(registry, saved, others, &mut applied),
            Operation::Unload(name) => {
                // One that comes back with its source begins anew.
                self.pending.remove(name);
                if let Some(at) = self.order.iter().position(|revealed| revealed == name) {
                    applied.unloaded.push(self.order.remove(at));
                }
            }
            Operation::LoadGroup { group, with, entries, .. } => {
                for (group, entries) in with {
                    self.load_group(registry, group, entries, &mut applied);
                }
                self.load_group(registry, group, entries, &mut applied);
            }
            Operation::Add(entries) => self.claim(registry, entries, &mut applied),
        }
        applied
    }

    fn reveal(
        &mut self,
        registry: &Registry,
        entry: &Arc<Entry>,
        others: &[Arc<Entry>],
        applied: &mut Applied,
    ) {
        if self.contains(entry.name().as_str()) {
            return;
        }
        let Some(entry) = &self.still_there(entry) else {
            applied.vanished.push(entry.name().clone());
            return;
        };
        match self.fits(registry, entry, others) {
            Ok(()) => {
                self.order.push(entry.name().clone());
                applied.revealed.push(entry.name().clone());
            }
            Err(limit) => applied.over.push((entry.name().clone(), limit)),
        }
    }

    /// Whether the budgets of an entry's search and of its toolset have room for it beside what is revealed here and by
    /// `others`.
    pub(crate) fn fits(
        &self,
        registry: &Registry,
        entry: &Entry,
        others: &[Arc<Entry>],
    ) -> Result<(), Limit> {
        let beside =
            |other: &&Arc<Entry>| other.name() != entry.name() && !self.contains(other.name().as_str());
        let counted = || self.entries(registry).chain(others.iter().filter(beside));
        if let Some(scope) = entry.scope {
            let covered = counted().filter(|revealed| revealed.scope == Some(scope));
            let limits = registry.scope(scope).search.limits();
            limits.check(covered.map(|revealed| &revealed.definition), &entry.definition)?;
        }
        let Some(budget) = &entry.budget else { return Ok(()) };
        let shares = |of: &Arc<Budget>| Arc::ptr_eq(of, budget);
        let covered = counted().filter(|revealed| revealed.budget.as_ref().is_some_and(shares));
        budget.check(covered.map(|revealed| &revealed.definition), &entry.definition)
    }

    fn load_group(
        &mut self,
        registry: &Registry,
        group: &str,
        entries: &[Arc<Entry>],
        applied: &mut Applied,
    ) {
        if self.groups.iter().any(|loaded| loaded == group) {
            return;
        }
        self.groups.push(group.to_owned());
        self.unbuilt.retain(|unbuilt| unbuilt != group);
        applied.groups.push(group.to_owned());
        self.claim(registry, entries, applied);
    }

    /// Takes the names of late tools. A name that is held is never shadowed.
    fn claim(&mut self, registry: &Registry, entries: &[Arc<Entry>], applied: &mut Applied) {
        for entry in entries {
            let holder = self.find(registry, entry.name().as_str()).filter(|held| !Arc::ptr_eq(held, entry));
            if let Some(held) = holder {
                // Of a denied name nothing is said.
                if held.place == Place::Denied {
                    continue;
                }
                let reason = SkipReason::NameTaken { by: held.holder.to_string() };
                applied.skipped.push(SkippedTool { name: entry.name().to_string(), reason });
                continue;
            }
            if registry.find(entry.name().as_str()).is_none() {
                Arc::make_mut(&mut self.tools).insert(entry.name().clone(), Arc::clone(entry));
            }
            self.return_late(registry, entry, applied);
            // A deferred tool of `session.add` waits for a search.
            if entry.place != Place::Deferred && !self.contains(entry.name().as_str()) {
                self.order.push(entry.name().clone());
                applied.revealed.push(entry.name().clone());
            }
        }
    }

    /// The outcome of a group load that was just applied.
    pub(crate) fn outcome(operation: &Operation, applied: &Applied) -> GroupOutcome {
        let Operation::LoadGroup { group, skipped, entries, .. } = operation else {
            return GroupOutcome::NotFound;
        };
        if applied.groups.is_empty() {
            return GroupOutcome::AlreadyLoaded;
        }
        let mine = |name: &ToolName| entries.iter().any(|entry| entry.name() == name);
        let taken = applied
            .skipped
            .iter()
            .filter(|skip| entries.iter().any(|entry| entry.name() == skip.name.as_str()));
        GroupOutcome::Loaded(LoadedGroup {
            tools: applied.revealed.iter().filter(|name| mine(name)).cloned().collect(),
            skipped: taken.chain(skipped).cloned().collect(),
            with: applied.groups.iter().filter(|loaded| *loaded != group).cloned().collect(),
        })
    }

    /// Names of group `group` that are its own in this session.
    pub(crate) fn tools_of_group(&self, registry: &Registry, group: &str) -> Vec<ToolName> {
        let is_mine = |entry: &&Arc<Entry>| matches!(&entry.holder, Holder::Group(name) if name == group);
        self.entries(registry).filter(is_mine).map(|entry| entry.name().clone()).collect()
    }
}
