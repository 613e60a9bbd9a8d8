//! Tools that one session has beside those of its registry.

use std::sync::Arc;

use super::{Change, Session, groups, reveals::Operation};
use crate::{
    Budget, DiscoveryTool, SkipReason, SkippedTool, Tool, ToolName, Toolset,
    discovery::BuiltIn,
    policy::Subject,
    registry::{Entry, Holder, LateTool, Place},
};

/// What came of [`Session::add`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Added {
    /// Tools that are visible from the next turn.
    pub visible: Vec<ToolName>,
    /// Tools that a search finds from the next turn on.
    pub deferred: Vec<ToolName>,
    /// Tools that are not there, and why.
    pub skipped: Vec<SkippedTool>,
}

impl Session {
    /// Adds tools to this session alone, from the next turn: eager ones are appended to the list, deferred ones are
    /// found by the registry's search. A name that somebody holds is never shadowed. Not in a snapshot: add them again
    /// after a resume, and what was revealed of them is back. Sources are not added: they belong to a registry.
    pub fn add(&self, toolset: Toolset) -> Added {
        let core = &self.core;
        let registry = &core.registry;
        let budget = toolset.budget.map(Arc::new);
        let scope = registry.common_scope();
        let (mut entries, mut added) = (Vec::new(), Added::default());
        if !toolset.sources.is_empty() {
            let fault =
                "its source would belong to one session, and a source belongs to a registry".to_owned();
            let reason = SkipReason::Unusable { fault };
            added.skipped.push(SkippedTool { name: toolset.namespace.to_string(), reason });
        }
        for registered in toolset.tools {
            let options = registered.tool.options();
            let deferred = !registered.always_available
                && (options.loading == crate::Loading::Deferred
                    || toolset.loading == crate::Loading::Deferred);
            let late = LateTool {
                namespace: toolset.namespace.clone(),
                prefix: toolset.prefix.clone(),
                place: if deferred { Place::Deferred } else { Place::Grouped },
                holder: Holder::Toolset(toolset.namespace.clone()),
                scope: scope.filter(|_| deferred),
                budget: budget.clone().filter(|_: &Arc<Budget>| deferred),
            };
            let declared = registered.tool.declared();
            let (made, skipped) = groups::late_entries(core, [registered.tool], &late);
            entries.extend(
                made.into_iter().filter(|entry| !toolset.policy.hides(Subject::Tool, declared, entry.name())),
            );
            added.skipped.extend(skipped);
        }
        if entries.iter().any(|entry| entry.place == Place::Deferred) {
            self.wake_search(&mut entries, &mut added);
        }
        for applied in core.commit([Change::Operation(Operation::Add(entries.clone()))]) {
            added.skipped.extend(applied.skipped);
            added.visible.extend(applied.revealed.into_iter().chain(applied.returned));
        }
        let reveals = core.state.reveals();
        let is_there = |entry: &&Arc<Entry>| entry.place == Place::Deferred && reveals.holds(registry, entry);
        added.deferred = entries.iter().filter(is_there).map(|entry| entry.name().clone()).collect();
        added
    }

    /// The search tool is appended with the first tools that it can find; without one they are not there.
    fn wake_search(&self, entries: &mut Vec<Arc<Entry>>, added: &mut Added) {
        let built_in: Vec<&Arc<Entry>> = self
            .core
            .registry
            .entries()
            .iter()
            .filter(|entry| {
                matches!(entry.built_in, Some(BuiltIn::Search(..))) || entry.place == Place::Discovery
            })
            .collect();
        let has_search = built_in.iter().any(|entry| {
            entry.place == Place::Discovery
                && matches!(entry.built_in, None | Some(BuiltIn::Search(DiscoveryTool::Search, _)))
        });
        if has_search {
            return;
        }
        let dormant: Vec<Arc<Entry>> =
            built_in.into_iter().filter(|entry| entry.place == Place::Dormant).cloned().collect();
        if dormant.is_empty() {
            let fault = "it is deferred, but nothing can reveal it".to_owned();
            let (stranded, rest) =
                std::mem::take(entries).into_iter().partition(|entry| entry.place == Place::Deferred);
            let _: &Vec<Arc<Entry>> = &rest;
            *entries = rest;
            let skipped = |entry: Arc<Entry>| SkippedTool {
                name: entry.name().to_string(),
                reason: SkipReason::Unusable { fault: fault.clone() },
            };
            added.skipped.extend(Vec::into_iter(stranded).map(skipped));
        } else {
            entries.splice(..0, dormant);
        }
    }
}
