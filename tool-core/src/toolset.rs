//! A container of tools with a namespace and an optional prefix.

use std::{borrow::Cow, sync::Arc};

use crate::{Tool, ToolSelector, policy::Policy};

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
#[derive(Debug)]
pub struct Toolset {
    pub(crate) namespace: Cow<'static, str>,
    pub(crate) prefix: Option<Cow<'static, str>>,
    pub(crate) tools: Vec<RegisteredTool>,
    pub(crate) policy: Policy,
}

/// A tool as it was handed over.
pub(crate) struct RegisteredTool(pub(crate) Arc<dyn Tool>);

impl std::fmt::Debug for RegisteredTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self.0.definition(), f)
    }
}

impl Toolset {
    /// An empty toolset. The namespace must be unique in a registry.
    pub fn new(namespace: impl Into<Cow<'static, str>>) -> Self {
        Self { namespace: namespace.into(), prefix: None, tools: Vec::new(), policy: Policy::default() }
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

    pub(crate) fn push(&mut self, tool: impl Tool) {
        self.tools.push(RegisteredTool(Arc::new(tool)));
    }
}
