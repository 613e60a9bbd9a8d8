//! A container of tools with a namespace, an optional prefix, and optionally a search of its own.

use std::{borrow::Cow, sync::Arc};

use crate::{
    Budget, Loading, SourceSettings, Tool, ToolSearch, ToolSelector, ToolSource,
    policy::{Policy, Subject},
    registry::HeldSource,
};

/// The namespace of tools that belong to no named toolset.
pub(crate) const DEFAULT_NAMESPACE: &str = "default";

/// Tools with a namespace of their own, and a prefix for the names that the model sees.
///
/// # Examples
/// ```
/// use tool_core::{FunctionTool, Registry, ToolContext, Toolset};
///
/// let status = FunctionTool::builder("status", "State of the working tree.")
///     .handler(async |_: (), _: ToolContext| "clean");
/// let registry = Registry::builder().toolset(Toolset::new("git").prefix("git").tool(status)).build()?;
/// assert!(registry.definition("git_status").is_some());
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
#[derive(Debug, Clone)]
pub struct Toolset {
    pub(crate) namespace: Cow<'static, str>,
    pub(crate) prefix: Option<Cow<'static, str>>,
    pub(crate) tools: Vec<RegisteredTool>,
    pub(crate) policy: Policy,
    pub(crate) search: Option<ToolSearch>,
    pub(crate) budget: Option<Budget>,
    /// How tools are loaded that do not say so themselves.
    pub(crate) loading: Loading,
    /// At most one, and then no tools.
    pub(crate) sources: Vec<DeclaredSource>,
    pub(crate) source_settings: SourceSettings,
}

/// A source as it was handed over.
#[derive(Clone)]
pub(crate) struct DeclaredSource {
    pub(crate) source: Arc<HeldSource>,
    pub(crate) loading: Loading,
}

impl std::fmt::Debug for DeclaredSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeclaredSource").field("loading", &self.loading).finish_non_exhaustive()
    }
}

/// A tool as it was handed over.
#[derive(Clone)]
pub(crate) struct RegisteredTool {
    pub(crate) tool: Arc<dyn Tool>,
    /// The toolset's word against the author's.
    pub(crate) always_available: bool,
    /// Whether it is one of the library's own.
    pub(crate) subject: Subject,
}

impl RegisteredTool {
    pub(crate) fn new(tool: impl Tool) -> Self {
        Self { tool: Arc::new(tool), always_available: false, subject: Subject::Tool }
    }
}

impl std::fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self.tool.definition(), f)
    }
}

impl Toolset {
    /// An empty toolset. The namespace must be unique in a registry.
    pub fn new(namespace: impl Into<Cow<'static, str>>) -> Self {
        Self {
            namespace: namespace.into(),
            prefix: None,
            tools: Vec::new(),
            policy: Policy::default(),
            search: None,
            budget: None,
            loading: Loading::Eager,
            sources: Vec::new(),
            source_settings: SourceSettings::default(),
        }
    }

    /// Puts `prefix` and `_` before the name of each tool, wherever the model sees it.
    #[must_use]
    pub fn prefix(mut self, prefix: impl Into<Cow<'static, str>>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// Adds a tool.
    #[must_use]
    pub fn tool(mut self, tool: impl Tool) -> Self {
        self.push(tool);
        self
    }

    /// Adds tools: `tools![…]`, `service.tools()`, any list.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = impl Tool>) -> Self {
        tools.into_iter().for_each(|tool| self.push(tool));
        self
    }

    /// Adds tools that are eager here, whatever they declare and whatever [`deferred`](Self::deferred) says.
    #[must_use]
    pub fn always_available(mut self, tools: impl IntoIterator<Item = impl Tool>) -> Self {
        let tools = tools
            .into_iter()
            .map(|tool| RegisteredTool { always_available: true, ..RegisteredTool::new(tool) });
        self.tools.extend(tools);
        self
    }

    /// Takes the tools from a source, which may change: they are hidden until a discovery tool reveals them. A toolset with
    /// a source has no other tools, and its prefix is its namespace unless [`prefix`](Self::prefix) says otherwise.
    #[must_use]
    pub fn source(mut self, source: impl ToolSource) -> Self {
        self.sources.push(DeclaredSource { source: HeldSource::new(source), loading: Loading::Deferred });
        self
    }

    /// As [`source`](Self::source), with all its tools in every list as long as the source lists them.
    #[must_use]
    pub fn always_available_source(mut self, source: impl ToolSource) -> Self {
        self.sources.push(DeclaredSource { source: HeldSource::new(source), loading: Loading::Eager });
        self
    }

    /// Sets time-outs and retries of the source.
    #[must_use]
    pub fn source_settings(mut self, settings: SourceSettings) -> Self {
        self.source_settings = settings;
        self
    }

    /// Defers all tools of this toolset but those added with [`always_available`](Self::always_available).
    #[must_use]
    pub fn deferred(mut self) -> Self {
        self.loading = Loading::Deferred;
        self
    }

    /// Gives this toolset discovery tools of its own, under its prefix, and takes it out of the registry's search.
    #[must_use]
    pub fn search(mut self, search: ToolSearch) -> Self {
        self.search = Some(search);
        self
    }

    /// Narrows the budget of the search that covers this toolset, for the tools of this toolset alone.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = Some(budget);
        self
    }

    /// Hides tools of this toolset.
    #[must_use]
    pub fn deny(mut self, selectors: impl IntoIterator<Item = impl Into<ToolSelector>>) -> Self {
        self.policy.deny(selectors);
        self
    }

    /// Hides all tools of this toolset but these.
    #[must_use]
    pub fn allow(mut self, selectors: impl IntoIterator<Item = impl Into<ToolSelector>>) -> Self {
        self.policy.allow(selectors);
        self
    }

    /// The prefix of its names: with a source never none.
    pub(crate) fn effective_prefix(&self) -> Option<&Cow<'static, str>> {
        self.prefix.as_ref().or_else(|| (!self.sources.is_empty()).then_some(&self.namespace))
    }

    pub(crate) fn push(&mut self, tool: impl Tool) {
        self.tools.push(RegisteredTool::new(tool));
    }
}
