//! The list of a turn, made from registry and reveals, shared by all turns until something changes.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use crate::{
    Registry, ToolContext, ToolName,
    context::ContextInner,
    discovery::Mode,
    registry::{Entry, Listed, Place},
    session::{Reveals, SessionCore},
};

/// Which tools are listed, in order, and which may be called. Holds the tools: what changes later does not change it.
#[derive(Debug)]
pub(crate) struct View {
    listed: Arc<[Arc<Entry>]>,
    /// What was revealed, and what sources have always available: listed, and in bridge mode callable without being listed.
    revealed: HashMap<ToolName, Arc<Entry>>,
    /// Those of `revealed` that the registry does not have: of lazy groups, of sources, added to the session. In order.
    late: Vec<Arc<Entry>>,
    /// Deferred tools that the registry does not have and that are not revealed.
    late_hidden: Vec<Arc<Entry>>,
    /// Tools that would be listed and are not. Hardly ever any.
    left_out: Vec<(Arc<Entry>, Absence)>,
    /// The lists of the sources that this is a view of.
    sources: Arc<Listed>,
    /// What refusals say of the ways that the list offers, made by the first one.
    ways: OnceLock<String>,
}

impl View {
    /// The view of a session's present state.
    pub(crate) fn current(core: &Arc<SessionCore>) -> Arc<Self> {
        let (reveals, version) = match core.state.view() {
            Ok(view) => return view,
            Err(made_of) => made_of,
        };
        let (mut view, stability) = Self::of(core, &reveals);
        if core.registry.inner().scopes.iter().any(|scope| scope.search.mode() == Mode::Bridge) {
            let first = core
                .state
                .frozen(|| Arc::new(Self::of(core, &Reveals::over(Arc::clone(reveals.sources()))).0));
            view.listed = Arc::clone(&first.listed);
        }
        let view = Arc::new(view);
        if stability == Stability::Fixed {
            core.state.keep_view(&view, version);
        }
        view
    }

    fn of(core: &Arc<SessionCore>, reveals: &Reveals) -> (Self, Stability) {
        let base = base(&core.registry, reveals);
        let mut stability = Stability::Fixed;
        let mut listed = Vec::with_capacity(base.len() + reveals.order().len());
        let mut left_out = Vec::new();
        let mut revealed = HashMap::new();
        let mut late = Vec::new();
        let mut context = None;
        // A tool that was deferred when it was revealed and is eager now stands in its eager place.
        let extra = reveals
            .entries(&core.registry)
            .filter(|entry| !entry.is_always_listed() && entry.place != Place::Denied);
        for entry in base.iter().chain(extra) {
            let name = entry.name();
            if let Some(enabled) = entry.options.enabled {
                stability = Stability::AskedEachTurn;
                let context = context.get_or_insert_with(|| without_call(core));
                if !ask(enabled, context) {
                    left_out.push((Arc::clone(entry), Absence::Disabled));
                    continue;
                }
            }
            if let Some(error) = entry.definition.unusable() {
                left_out.push((Arc::clone(entry), Absence::Unusable(error.to_string())));
                continue;
            }
            if !entry.is_base() {
                revealed.insert(name.clone(), Arc::clone(entry));
                if core.registry.find(name.as_str()).is_none() {
                    late.push(Arc::clone(entry));
                }
            }
            listed.push(Arc::clone(entry));
        }
        let late_hidden = reveals
            .session_tools()
            .into_iter()
            .filter(|entry| entry.place == Place::Deferred && !reveals.contains(entry.name().as_str()));
        let late_hidden = late_hidden.cloned().collect();
        let (listed, sources) = (listed.into(), Arc::clone(reveals.sources()));
        (Self { listed, revealed, late, late_hidden, left_out, sources, ways: OnceLock::new() }, stability)
    }

    /// The deferred tools of sources.
    pub(crate) fn deferred_of_sources(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.sources.deferred()
    }

    pub(crate) fn ways(&self, make: impl FnOnce() -> String) -> &str {
        self.ways.get_or_init(make)
    }

    pub(crate) fn listed(&self) -> &[Arc<Entry>] {
        &self.listed
    }

    /// Revealed tools that only the session has: the registry's indexes do not know them.
    pub(crate) fn late(&self) -> &[Arc<Entry>] {
        &self.late
    }

    /// Deferred tools that only the session has, in (toolset, name) order, without those that are revealed.
    pub(crate) fn late_hidden(&self) -> &[Arc<Entry>] {
        &self.late_hidden
    }

    /// The tool that may be called under a name in this turn. `known` is the registry's tool of that name.
    pub(crate) fn find<'a>(&'a self, known: Option<&'a Arc<Entry>>, name: &str) -> Option<&'a Arc<Entry>> {
        match known {
            Some(entry) if entry.is_base() => (!self.leaves_out(name)).then_some(entry),
            _ => self.revealed.get(name),
        }
    }

    /// Whether the tool was revealed before the turn, listed or not.
    pub(crate) fn knows(&self, entry: &Entry) -> bool {
        self.has(entry) || self.leaves_out(entry.name().as_str())
    }

    /// The tools that would be listed and are not, and why.
    pub(super) fn left_out(&self) -> &[(Arc<Entry>, Absence)] {
        &self.left_out
    }

    fn leaves_out(&self, name: &str) -> bool {
        self.left_out.iter().any(|(left, _)| left.name() == name)
    }

    /// Whether the list has the tool, or, in bridge mode, has it callable.
    pub(crate) fn has(&self, entry: &Entry) -> bool {
        if entry.is_base() {
            !self.leaves_out(entry.name().as_str())
        } else {
            self.revealed.contains_key(entry.name().as_str())
        }
    }
}

/// Why a tool is not listed that would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Absence {
    /// Its `enabled` says no.
    Disabled,
    /// Its schema cannot be made.
    Unusable(String),
}

/// How every list begins: eager tools by name, those of sources among them, then discovery tools.
fn base<'a>(registry: &'a Registry, reveals: &'a Reveals) -> Cow<'a, [Arc<Entry>]> {
    let (base, more) = (&registry.inner().base, reveals.sources().eager());
    if more.is_empty() {
        return Cow::Borrowed(base);
    }
    let (eager, discovery) = base.split_at(base.partition_point(|entry| entry.place == Place::Eager));
    let mut eager: Vec<_> =
        eager.iter().chain(more.iter().filter(|entry| reveals.holds(registry, entry))).cloned().collect();
    eager.sort_by(|a, b| a.name().cmp(b.name()));
    eager.extend_from_slice(discovery);
    Cow::Owned(eager)
}

/// Whether a view holds until something is revealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stability {
    Fixed,
    AskedEachTurn,
}

/// The context of a question that belongs to no call.
pub(crate) fn without_call(core: &Arc<SessionCore>) -> ToolContext {
    ToolContext::new(ContextInner::new(Arc::clone(core), String::new()))
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
