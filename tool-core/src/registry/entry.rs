//! One tool as registries, sessions and turns hold it.

use std::{
    borrow::Cow,
    fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    Fingerprint, NameError, Tool, ToolDefinition, ToolName, ToolOptions, budget::Budget, discovery::BuiltIn,
    search::SearchDocument,
};

/// Where a tool stands in the list of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Before everything else, by name.
    Eager,
    /// After the eager tools.
    Discovery,
    /// In reveal order, once revealed: found by a search, loaded with a group, added to a session.
    Deferred,
    /// In reveal order, once its group is loaded; no search finds it.
    Grouped,
    /// A discovery tool that has nothing to discover yet: in reveal order, once a session adds something.
    Dormant,
    /// Nowhere: hidden by `deny` or `allow`.
    Denied,
}

/// Index of a search in its registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ScopeId(pub(crate) usize);

/// One tool: what is called, what the model sees, where it stands. Turns hold entries by `Arc`: a tool that goes away
/// while a call runs is not gone for that call.
pub(crate) struct Entry {
    /// With the host's layers around it.
    pub(crate) tool: Arc<dyn Tool>,
    /// Under the model-facing name.
    pub(crate) definition: ToolDefinition,
    pub(crate) options: ToolOptions,
    pub(crate) namespace: Cow<'static, str>,
    pub(crate) prefix: Option<Cow<'static, str>>,
    pub(crate) place: Place,
    /// Who holds the name, for people and models.
    pub(crate) holder: Holder,
    /// The search that covers it.
    pub(crate) scope: Option<ScopeId>,
    /// The budget of its toolset.
    pub(crate) budget: Option<Arc<Budget>>,
    /// What the library's own discovery tools are.
    pub(crate) built_in: Option<BuiltIn>,
    pub(crate) fingerprint: OnceLock<Fingerprint>,
    /// What a source's tool has beside that.
    pub(crate) sourced: Option<Sourced>,
    /// What searches read, made by the first one that covers it.
    pub(crate) document: OnceLock<Arc<SearchDocument>>,
}

/// Of a tool that comes from a source.
pub(crate) struct Sourced {
    /// As the source calls it.
    wire_name: Arc<str>,
    /// Set when the source does not list it any more, or not as it was.
    gone: AtomicBool,
}

impl Sourced {
    pub(super) fn new(wire_name: Arc<str>) -> Self {
        Self { wire_name, gone: AtomicBool::new(false) }
    }
}

/// Who holds a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Holder {
    /// The default toolset, or a discovery tool of the library.
    Agent,
    /// A toolset by its namespace.
    Toolset(Cow<'static, str>),
    /// A group by its name.
    Group(Cow<'static, str>),
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent => f.write_str("the agent's own tools"),
            Self::Toolset(name) | Self::Group(name) => write!(f, "'{name}'"),
        }
    }
}

/// What makes a tool unusable wherever it is registered.
pub(super) fn fault_of(tool: &dyn Tool) -> Option<String> {
    let blank = || tool.definition().description().trim().is_empty();
    tool.fault().or_else(|| blank().then(|| "the description is empty".to_owned()))
}

/// The definition under the name that the model sees.
pub(super) fn prefixed(tool: &dyn Tool, prefix: Option<&str>) -> Result<ToolDefinition, NameError> {
    let definition = tool.definition();
    let Some(prefix) = prefix else { return Ok(definition.clone()) };
    Ok(definition.renamed(ToolName::new(format!("{prefix}_{}", definition.name()))?))
}

impl Entry {
    pub(crate) fn name(&self) -> &ToolName {
        self.definition.name()
    }

    /// The name without the toolset's prefix; what its source calls the tool, if it has one.
    pub(crate) fn bare_name(&self) -> &str {
        if let Some(wire_name) = self.wire_name() {
            return wire_name;
        }
        let name = self.definition.name().as_str();
        self.prefix.as_deref().and_then(|prefix| name.strip_prefix(prefix)?.strip_prefix('_')).unwrap_or(name)
    }

    /// What the model was told of the tool, as one hash.
    pub(crate) fn fingerprint(&self) -> &Fingerprint {
        self.fingerprint.get_or_init(|| Fingerprint::of(&self.definition))
    }

    /// Whether the tool is in every list of every session, from the first turn to the last.
    pub(crate) fn is_base(&self) -> bool {
        self.is_always_listed() && self.sourced.is_none()
    }

    /// Whether the tool is in every list as long as it exists.
    pub(crate) fn is_always_listed(&self) -> bool {
        matches!(self.place, Place::Eager | Place::Discovery)
    }

    /// How its source calls the tool, if it has one.
    pub(crate) fn wire_name(&self) -> Option<&str> {
        self.sourced.as_ref().map(|sourced| &*sourced.wire_name)
    }

    /// Whether its source has withdrawn or changed the tool since: turns that list it refuse it.
    pub(crate) fn is_gone(&self) -> bool {
        self.sourced.as_ref().is_some_and(|sourced| sourced.gone.load(Ordering::Acquire))
    }

    pub(super) fn retire(&self) {
        if let Some(sourced) = &self.sourced {
            sourced.gone.store(true, Ordering::Release);
        }
    }
}

impl AsRef<Entry> for Entry {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", self.name()).field("place", &self.place).finish_non_exhaustive()
    }
}
