//! The gate: a name that is not in the turn is refused before anything else sees the call.

use std::{sync::Arc, time::Duration};

use super::{View, run, view};
use crate::{
    DiscoveryTool, RefusalReason, Registry, SessionEvent, ToolCall, ToolContext, ToolError,
    context::ContextInner,
    discovery::{self, BuiltIn, GroupTool, Mode},
    name::folded,
    registry::{Entry, Place, ScopeId},
    session::SessionCore,
    text,
};

/// Longest name that a listed one can be a spelling of, in bytes.
const MAX_RESPELLED: usize = 128;
/// How many ways of discovery a refusal names.
const MAX_WAYS: usize = 3;

/// What the gate says of a call.
pub(super) enum Verdict {
    Allowed(Arc<Entry>),
    /// The text for the model.
    Refused(String),
    /// A call through the bridge that is no call.
    Invalid(ToolError),
}

/// Judges a call against the turn's list. A call through the bridge becomes the call of its target.
pub(super) fn judge(core: &Arc<SessionCore>, view: &View, call: ToolCall) -> (ToolCall, Verdict) {
    let verdict = judge_name(core, view, &call);
    match verdict {
        Verdict::Allowed(entry) if discovery::is_bridge(&entry) => match discovery::unwrap(&call) {
            Ok(inner) => {
                let verdict = match judge_name(core, view, &inner) {
                    Verdict::Allowed(entry) if entry.place == Place::Discovery => refuse(core, view, &inner),
                    verdict => verdict,
                };
                (inner, verdict)
            }
            Err(error) => {
                run::tell_failure(core, &entry, &call.id, &error, Duration::ZERO);
                (call, Verdict::Invalid(error))
            }
        },
        verdict => (call, verdict),
    }
}

fn judge_name(core: &Arc<SessionCore>, view: &View, call: &ToolCall) -> Verdict {
    let found = view.find(core.registry.find(&call.name), &call.name);
    match found {
        Some(entry) if !entry.is_gone() && is_enabled(core, call, entry) => {
            Verdict::Allowed(Arc::clone(entry))
        }
        _ => refuse(core, view, call),
    }
}

/// Asks `enabled` for a call.
pub(super) fn is_enabled(core: &Arc<SessionCore>, call: &ToolCall, entry: &Arc<Entry>) -> bool {
    entry.options.enabled.is_none_or(|enabled| {
        let mut inner = ContextInner::new(Arc::clone(core), call.id.clone());
        inner.tool = Some(Arc::clone(entry));
        view::ask(enabled, &ToolContext::new(inner))
    })
}

/// Refuses a call, and tells the host why.
pub(super) fn refuse(core: &Arc<SessionCore>, view: &View, call: &ToolCall) -> Verdict {
    core.emit(|| SessionEvent::Refused {
        call_id: call.id.clone(),
        name: text::echo(&call.name).into_owned(),
        reason: reason(core, view, &call.name),
    });
    Verdict::Refused(refusal(&core.registry, view, &call.name))
}

fn reason(core: &SessionCore, view: &View, name: &str) -> RefusalReason {
    if view.find(core.registry.find(name), name).is_some_and(|entry| entry.is_gone()) {
        return RefusalReason::Changed;
    }
    let reveals = core.state.reveals();
    match reveals.find(&core.registry, name).map(|entry| (entry.place, view.knows(entry))) {
        None | Some((Place::Dormant, false)) => RefusalReason::Unknown,
        Some((Place::Denied, _)) => RefusalReason::Denied,
        Some((Place::Eager | Place::Discovery, _) | (_, true)) => RefusalReason::Disabled,
        Some((Place::Deferred | Place::Grouped, false)) => RefusalReason::Hidden,
    }
}

/// The one text for unknown, hidden, denied and disabled names: it depends on the name as sent and on the turn's list only.
fn refusal(registry: &Registry, view: &View, name: &str) -> String {
    let mut text = String::with_capacity(160);
    text.push_str("Tool '");
    text.push_str(&text::echo(name));
    text.push_str("' is not in your current tool list.");
    text.push_str(view.ways(|| ways(registry, view)));
    if let Some(listed) = respelled(registry, view, name) {
        text.push_str(" Did you mean '");
        text.push_str(listed);
        text.push_str("'?");
    }
    text
}

/// The sentences for the ways that a list offers, in its order.
fn ways(registry: &Registry, view: &View) -> String {
    view.listed().iter().filter_map(|entry| way(registry, view, entry)).take(MAX_WAYS).collect()
}

/// The sentence for a way of discovery that begins with a listed tool.
fn way(registry: &Registry, view: &View, entry: &Entry) -> Option<String> {
    let is_listed = |name: &str| view.find(registry.find(name), name).is_some();
    match entry.built_in {
        None if entry.options.kind == crate::ToolKind::Discovery => {
            Some(format!(" Call {} to find tools.", entry.name()))
        }
        Some(BuiltIn::Search(DiscoveryTool::Search, scope)) => Some(search_way(registry, entry, scope)),
        Some(BuiltIn::Groups(GroupTool::Available)) if is_listed("load_tools") => {
            Some(format!(" Call {} to see groups, then load_tools.", entry.name()))
        }
        _ => None,
    }
}

fn search_way(registry: &Registry, entry: &Entry, scope: ScopeId) -> String {
    let scope = registry.scope(scope);
    match (scope.search.mode(), scope.name_of(DiscoveryTool::Load)) {
        (Mode::Load, Some(load)) => format!(" Call {}, then {load}.", entry.name()),
        _ => format!(" Call {} to find tools.", entry.name()),
    }
}

/// A listed name that equals `name` but for case and separators.
fn respelled<'v>(registry: &'v Registry, view: &'v View, name: &str) -> Option<&'v str> {
    if name.len() > MAX_RESPELLED {
        return None;
    }
    let known = registry.find_folded(name).iter().filter(|entry| view.has(entry)).chain(view.late());
    let mut listed = known.map(|entry| entry.name().as_str()).filter(|listed| *listed != name).peekable();
    listed.peek()?;
    let wanted = folded(name);
    listed.find(|listed| folded(listed) == wanted)
}
