//! The list of a turn, made from registry and reveal order, shared by all turns until something changes.

use std::sync::Arc;

use crate::{
    Registry, SessionEvent, ToolCall, ToolContext,
    context::ContextInner,
    registry::{Place, ToolId},
    session::SessionCore,
};

/// Which tools are listed, in order. Membership is one comparison for an eager tool and a binary search among the
/// revealed ones otherwise.
#[derive(Debug)]
pub(crate) struct View {
    listed: Box<[ToolId]>,
    /// Sorted.
    revealed: Box<[ToolId]>,
    /// Eager and revealed tools that are not listed: disabled, or without a schema. Sorted; hardly ever any.
    left_out: Box<[ToolId]>,
}

impl View {
    /// The view of a session's present state.
    pub(crate) fn current(core: &Arc<SessionCore>) -> Arc<Self> {
        let order = match core.state.view() {
            Ok(view) => return view,
            Err(order) => order,
        };
        let (view, stability) = Self::of(core, &order);
        let view = Arc::new(view);
        if stability == Stability::Fixed {
            core.state.keep_view(&view, &order);
        }
        view
    }

    fn of(core: &Arc<SessionCore>, order: &[ToolId]) -> (Self, Stability) {
        let registry = &core.registry;
        let base = &registry.inner().base;
        let mut stability = Stability::Fixed;
        let mut listed = Vec::with_capacity(base.len() + order.len());
        let mut left_out = Vec::new();
        let mut revealed = Vec::with_capacity(order.len());
        let mut context = None;
        for id in base.iter().chain(order) {
            let entry = registry.entry(*id);
            if let Some(enabled) = entry.options.enabled {
                stability = Stability::AskedEachTurn;
                let context = context.get_or_insert_with(|| without_call(core));
                if !ask(enabled, context) {
                    left_out.push(*id);
                    continue;
                }
            }
            if let Some(error) = entry.definition.unusable() {
                let tool = entry.definition.name();
                core.emit(|| SessionEvent::LeftOut { tool: tool.clone(), reason: error.to_string() });
                left_out.push(*id);
                continue;
            }
            if entry.place == Place::Deferred {
                revealed.push(*id);
            }
            listed.push(*id);
        }
        left_out.sort_unstable();
        revealed.sort_unstable();
        (Self { listed: listed.into(), revealed: revealed.into(), left_out: left_out.into() }, stability)
    }

    pub(crate) fn listed(&self) -> &[ToolId] {
        &self.listed
    }

    /// Whether a deferred tool was revealed before the turn, listed or not.
    pub(crate) fn knows(&self, id: ToolId) -> bool {
        self.revealed.binary_search(&id).is_ok() || self.left_out.binary_search(&id).is_ok()
    }

    /// Whether the turn lists a tool: then, and only then, it may be called.
    pub(crate) fn lists(&self, registry: &Registry, id: ToolId) -> bool {
        match registry.entry(id).place {
            Place::Eager | Place::Discovery => {
                self.left_out.is_empty() || self.left_out.binary_search(&id).is_err()
            }
            Place::Deferred => self.revealed.binary_search(&id).is_ok(),
            Place::Denied => false,
        }
    }
}

/// Whether a view holds until something is revealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stability {
    Fixed,
    AskedEachTurn,
}

/// The context of a question that belongs to no call.
pub(crate) fn without_call(core: &Arc<SessionCore>) -> ToolContext {
    ToolContext::new(ContextInner::new(Arc::clone(core), ToolCall::new("", "", "")))
}

/// Asks `enabled`; a panic counts as no.
pub(crate) fn ask(enabled: crate::EnabledFn, context: &ToolContext) -> bool {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| enabled(context))).unwrap_or_else(|_| {
        tracing::warn!(
            tool = context.tool_name().map(tracing::field::display),
            "`enabled` panicked: taken as no"
        );
        false
    })
}
