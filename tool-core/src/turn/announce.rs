//! Tells the host what a new turn has beside the one before: its list, tools that are left out, dead ends.
//!
//! Called by `Turn::new`, and only if the host wants events; what was told is kept in the session, so that everything is
//! told once.

use std::{collections::HashSet, sync::Arc};

use super::{View, view::Absence};
use crate::{
    DeadEndCause, DiscoveryTool, ListChange, SessionEvent, ToolKind, ToolName,
    discovery::{BuiltIn, GroupTool},
    registry::{Entry, GroupState, ScopeId},
    search,
    session::{SessionCore, group_states},
};

/// What the host of a session was told.
#[derive(Debug, Default)]
pub(crate) struct Announced {
    /// The turn before.
    last: Option<Arc<View>>,
    left_out: HashSet<ToolName>,
    disabled: HashSet<ToolName>,
    dead_ends: HashSet<(ToolName, DeadEndCause)>,
}

/// Tells what is new in a turn.
pub(super) fn turn(core: &Arc<SessionCore>, view: &Arc<View>, number: u64) {
    if !core.registry.inner().events.are_wanted() {
        return;
    }
    let dead_ends = dead_ends(core, view);
    let events = core.state.announced(|announced| announced.turn(view, number, dead_ends));
    for event in events {
        core.emit(|| event);
    }
}

/// Tells of a dead end where the call of a discovery tool was not approved and nothing else reveals what it would have.
pub(super) fn not_approved(core: &Arc<SessionCore>, view: &View, tool: &ToolName) {
    if !core.registry.inner().events.are_wanted() {
        return;
    }
    let reveals = core.state.reveals();
    let entry = reveals.find(&core.registry, tool.as_str());
    if !entry.is_some_and(|entry| entry.options.kind == ToolKind::Discovery && is_only_way(core, view, entry))
    {
        return;
    }
    let dead_end = (tool.clone(), DeadEndCause::NotApproved);
    if core.state.announced(|announced| announced.dead_ends.insert(dead_end.clone())) {
        let (tool, cause) = dead_end;
        core.emit(|| SessionEvent::DeadEnd { tool, cause });
    }
}

impl Announced {
    fn turn(
        &mut self,
        view: &Arc<View>,
        turn: u64,
        dead_ends: Vec<(ToolName, DeadEndCause)>,
    ) -> Vec<SessionEvent> {
        let list = match self.last.replace(Arc::clone(view)) {
            None => ListChange::First,
            Some(last) if Arc::ptr_eq(&last, view) => ListChange::Unchanged,
            Some(last) => ListChange::between(last.listed(), view.listed()),
        };
        let mut events = vec![SessionEvent::TurnStarted { turn, tools: view.listed().len(), list }];
        let is_disabled = |name: &ToolName| {
            view.left_out().iter().any(|(entry, why)| entry.name() == name && *why == Absence::Disabled)
        };
        self.disabled.retain(is_disabled);
        for (entry, why) in view.left_out() {
            let tool = entry.name().clone();
            match why {
                Absence::Disabled if self.disabled.insert(tool.clone()) => {
                    events.push(SessionEvent::Disabled { tool });
                }
                Absence::Unusable(reason) if self.left_out.insert(tool.clone()) => {
                    events.push(SessionEvent::LeftOut { tool, reason: reason.clone() });
                }
                Absence::Disabled | Absence::Unusable(_) => {}
            }
        }
        // A way that was there in between is told again when it is gone.
        self.dead_ends.retain(|told| told.1 == DeadEndCause::NotApproved || dead_ends.contains(told));
        for (tool, cause) in dead_ends {
            if self.dead_ends.insert((tool.clone(), cause)) {
                events.push(SessionEvent::DeadEnd { tool, cause });
            }
        }
        events
    }
}

/// The discovery tools of the host that are not listed though tools are hidden that nothing else reveals. The library's
/// own are always listed where `build()` needs them.
fn dead_ends(core: &Arc<SessionCore>, view: &View) -> Vec<(ToolName, DeadEndCause)> {
    let mut missing = view
        .left_out()
        .iter()
        .filter(|(entry, _)| entry.options.kind == ToolKind::Discovery)
        .map(|(entry, why)| {
            let cause = match why {
                Absence::Disabled => DeadEndCause::Disabled,
                Absence::Unusable(_) => DeadEndCause::LeftOut,
            };
            (entry.name().clone(), cause)
        })
        .peekable();
    if missing.peek().is_none() || !is_stranded(core, view, None) {
        return Vec::new();
    }
    missing.collect()
}

/// Whether something is hidden that only this discovery tool reveals.
fn is_only_way(core: &Arc<SessionCore>, view: &View, entry: &Entry) -> bool {
    match entry.built_in {
        Some(BuiltIn::Groups(GroupTool::Load)) => {
            group_states(core, &core.state.reveals()).iter().any(GroupState::is_loadable)
        }
        Some(BuiltIn::Groups(GroupTool::Available)) => false,
        None | Some(BuiltIn::Search(..)) => is_stranded(core, view, Some(entry)),
    }
}

/// Whether a deferred tool of the session is hidden that nothing in the list reveals, `without` one of its tools.
fn is_stranded(core: &Arc<SessionCore>, view: &View, without: Option<&Entry>) -> bool {
    let registry = &core.registry;
    let is_without = |entry: &Entry| without.is_some_and(|without| without.name() == entry.name());
    let of_host = |entry: &Arc<Entry>| {
        entry.options.kind == ToolKind::Discovery && entry.built_in.is_none() && !is_without(entry)
    };
    if view.listed().iter().any(of_host) {
        return false;
    }
    let leads = |id: ScopeId, tool: &DiscoveryTool| match registry.scope(id).name_of(*tool) {
        Some(name) => {
            view.find(registry.find(name.as_str()), name.as_str()).is_some_and(|entry| !is_without(entry))
        }
        None => false,
    };
    let needed = |tool: &&DiscoveryTool| {
        matches!(tool, DiscoveryTool::Search | DiscoveryTool::Load | DiscoveryTool::Call)
    };
    let is_reached =
        |id: ScopeId| registry.scope(id).search.tools().iter().filter(needed).all(|tool| leads(id, tool));
    let is_unreached = |entry: &&Arc<Entry>| !entry.scope.is_some_and(is_reached);
    let is_hidden = |entry: &Arc<Entry>| {
        !view.has(entry) && search::enabled(core, entry) && entry.definition.unusable().is_none()
    };
    registry.deferred().chain(view.late_hidden()).filter(is_unreached).any(is_hidden)
}
