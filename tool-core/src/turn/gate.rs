//! The gate: a name that is not in the turn is refused before anything else sees the call.

use std::sync::Arc;

use super::{View, view};
use crate::{
    RefusalReason, Registry, SessionEvent, ToolCall, ToolContext,
    context::ContextInner,
    name::folded,
    registry::{Entry, Place, ToolId},
    session::SessionCore,
    text,
};

/// Longest echo of a name that the model made up, in characters.
const MAX_ECHO: usize = 64;
/// How many ways of discovery a refusal names.
const MAX_WAYS: usize = 3;

/// What the gate says of a call.
pub(super) enum Verdict {
    Allowed(ToolId),
    /// The text for the model.
    Refused(String),
}

/// Judges a name against the turn's list.
pub(super) fn judge(core: &Arc<SessionCore>, view: &Arc<View>, call: &ToolCall) -> Verdict {
    let registry = &core.registry;
    let found = registry.find(&call.name);
    if let Some(id) = found
        && view.lists(registry, id)
    {
        let entry = registry.entry(id);
        if entry.options.enabled.is_none_or(|enabled| view::ask(enabled, &judging_context(core, call, entry)))
        {
            return Verdict::Allowed(id);
        }
    }
    core.emit(|| SessionEvent::Refused {
        call_id: call.id.clone(),
        name: echo(&call.name),
        reason: reason(view, registry, found),
    });
    Verdict::Refused(refusal(registry, view, &call.name))
}

fn judging_context(core: &Arc<SessionCore>, call: &ToolCall, entry: &Entry) -> ToolContext {
    let mut inner = ContextInner::new(Arc::clone(core), call.clone());
    inner.tool = Some(entry.definition.name().clone());
    ToolContext::new(inner)
}

fn reason(view: &View, registry: &Registry, found: Option<ToolId>) -> RefusalReason {
    let Some(id) = found else { return RefusalReason::Unknown };
    match registry.entry(id).place {
        Place::Denied => RefusalReason::Denied,
        Place::Eager | Place::Discovery => RefusalReason::Disabled,
        Place::Deferred if view.knows(id) => RefusalReason::Disabled,
        Place::Deferred => RefusalReason::Hidden,
    }
}

/// The one text for unknown, hidden, denied and disabled names: it depends on the name as sent and on the turn's list only.
fn refusal(registry: &Registry, view: &View, name: &str) -> String {
    let mut text = String::with_capacity(160);
    text.push_str("Tool '");
    text.push_str(&echo(name));
    text.push_str("' is not in your current tool list.");
    let discovery =
        registry.inner().base.iter().rev().take_while(|id| registry.entry(**id).place == Place::Discovery);
    let mut ways: Vec<_> = discovery.filter(|id| view.lists(registry, **id)).collect();
    ways.reverse();
    for way in ways.into_iter().take(MAX_WAYS) {
        text.push_str(" Call ");
        text.push_str(registry.entry(*way).definition.name().as_str());
        text.push_str(" to find tools.");
    }
    if let Some(listed) = respelled(registry, view, name) {
        text.push_str(" Did you mean '");
        text.push_str(listed);
        text.push_str("'?");
    }
    text
}

/// A listed name that equals `name` but for case and separators.
fn respelled<'r>(registry: &'r Registry, view: &View, name: &str) -> Option<&'r str> {
    if name.len() > MAX_ECHO * 2 {
        return None;
    }
    let wanted = folded(name);
    let candidates = registry.find_folded(name).iter().filter(|id| view.lists(registry, **id));
    candidates
        .map(|id| registry.entry(*id).definition.name().as_str())
        .find(|listed| *listed != name && folded(listed) == wanted)
}

/// What the model itself sent, cleaned and cut.
pub(crate) fn echo(name: &str) -> String {
    let cleaned = text::one_line(name, MAX_ECHO * 4);
    cleaned.chars().take(MAX_ECHO).collect()
}
