//! One tool as a registry holds it.

use std::{borrow::Cow, sync::Arc};

use crate::{Tool, ToolDefinition, ToolOptions};

/// Index of a tool in its registry: tools are in (toolset, name) order, so ids are the same in every process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ToolId(pub(crate) u32);

impl ToolId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a tool stands in the list of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Before everything else, by name.
    Eager,
    /// After the eager tools.
    Discovery,
    /// In reveal order, once revealed.
    Deferred,
    /// Nowhere: hidden by `deny` or `allow`.
    Denied,
}

/// One tool: what is called, what the model sees, where it stands.
pub(crate) struct Entry {
    /// With the host's layers around it.
    pub(crate) tool: Arc<dyn Tool>,
    /// Under the model-facing name.
    pub(crate) definition: ToolDefinition,
    pub(crate) options: ToolOptions,
    pub(crate) namespace: Cow<'static, str>,
    pub(crate) prefix: Option<Cow<'static, str>>,
    pub(crate) place: Place,
}

impl Entry {
    /// The name without the toolset's prefix.
    pub(crate) fn bare_name(&self) -> &str {
        let name = self.definition.name().as_str();
        self.prefix.as_deref().and_then(|prefix| name.strip_prefix(prefix)?.strip_prefix('_')).unwrap_or(name)
    }
}
