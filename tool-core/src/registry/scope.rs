//! A search in a registry: which deferred tools it covers, and under which names its tools stand.

use std::{borrow::Cow, sync::Arc, sync::OnceLock};

use super::Entry;
use crate::{DiscoveryTool, ToolName, ToolSearch, search::Documents};

/// One [`ToolSearch`] of a registry.
pub(crate) struct Scope {
    pub(crate) search: ToolSearch,
    /// The toolset that it belongs to; `None` for the registry's own.
    pub(crate) namespace: Option<Cow<'static, str>>,
    /// The names of its tools, prefix included.
    pub(crate) names: Vec<(DiscoveryTool, ToolName)>,
    /// The deferred tools that it covers, in (toolset, name) order.
    pub(crate) hidden: Vec<Arc<Entry>>,
    documents: OnceLock<Documents>,
}

impl Scope {
    pub(crate) fn new(
        search: ToolSearch,
        namespace: Option<Cow<'static, str>>,
        names: Vec<(DiscoveryTool, ToolName)>,
        hidden: Vec<Arc<Entry>>,
    ) -> Self {
        Self { search, namespace, names, hidden, documents: OnceLock::new() }
    }

    /// What the search ranks, made at the first search.
    pub(crate) fn documents(&self) -> &Documents {
        self.documents.get_or_init(|| Documents::of(self.hidden.clone()))
    }

    pub(crate) fn name_of(&self, tool: DiscoveryTool) -> Option<&ToolName> {
        self.names.iter().find(|(of, _)| *of == tool).map(|(_, name)| name)
    }
}
