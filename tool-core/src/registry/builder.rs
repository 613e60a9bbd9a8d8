//! Collects declarations and settings; `build()` hands them to `assemble`.

use std::{any::type_name, fmt, sync::Arc, time::Duration};

use super::{BuildErrors, Registry, assemble};
use crate::{
    ApprovalPolicy, EventSink, Tool, ToolGroup, ToolSearch, ToolSelector, Toolset,
    approval::Approvals,
    context::{HostValues, Requirements},
    declare::ToolRef,
    event::Events,
    policy::Policy,
    span::Content,
    toolset::DEFAULT_NAMESPACE,
};

/// A host's layer around a tool.
pub(super) type Layer = Arc<dyn Fn(Arc<dyn Tool>) -> Arc<dyn Tool> + Send + Sync>;

/// How tools are found.
#[derive(Debug, Clone)]
pub(super) enum SearchSetting {
    /// The search tool, where there is something to find.
    With(ToolSearch),
    /// None.
    Without,
}

/// Collects tools, host values and settings of a [`Registry`]. Nothing is checked before [`build`](Self::build).
#[derive(Clone)]
pub struct RegistryBuilder {
    pub(super) default_toolset: Toolset,
    pub(super) toolsets: Vec<Toolset>,
    pub(super) linked: Option<Vec<ToolRef>>,
    pub(super) policy: Policy,
    pub(super) values: HostValues,
    pub(super) duplicate_values: Vec<&'static str>,
    pub(super) session_values: Requirements,
    pub(super) search: SearchSetting,
    pub(super) layers: Vec<Layer>,
    pub(super) events: Events,
    pub(super) content: Content,
    pub(super) groups: Vec<ToolGroup>,
    pub(super) approvals: Option<Approvals>,
    /// Kept here until there is a policy.
    pub(super) approval_required: Vec<ToolSelector>,
}

impl Default for RegistryBuilder {
    #[track_caller]
    fn default() -> Self {
        Self {
            default_toolset: Toolset::new(DEFAULT_NAMESPACE),
            toolsets: Vec::new(),
            linked: None,
            policy: Policy::default(),
            values: HostValues::default(),
            duplicate_values: Vec::new(),
            session_values: Requirements::default(),
            search: SearchSetting::With(ToolSearch::new()),
            layers: Vec::new(),
            events: Events::default(),
            content: Content::default(),
            groups: Vec::new(),
            approvals: None,
            approval_required: Vec::new(),
        }
    }
}

impl RegistryBuilder {
    /// Adds every `#[function_tool]` of the binary that no list, toolset or group names.
    ///
    /// A crate that is never mentioned is not linked: write `use my_tools as _;`.
    #[cfg(feature = "inventory")]
    #[must_use]
    pub fn linked(mut self) -> Self {
        self.linked = Some(crate::declare::linked().collect());
        self
    }

    /// Adds a tool to the default toolset.
    #[must_use]
    pub fn tool(mut self, tool: impl Tool) -> Self {
        self.default_toolset.push(tool);
        self
    }

    /// Adds tools to the default toolset: `tools![…]`, `service.tools()`, any list.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = impl Tool>) -> Self {
        self.default_toolset = self.default_toolset.tools(tools);
        self
    }

    /// Adds a toolset.
    #[must_use]
    pub fn toolset(mut self, toolset: Toolset) -> Self {
        self.toolsets.push(toolset);
        self
    }

    /// Adds a group that the model loads as a whole.
    #[must_use]
    pub fn group(mut self, group: ToolGroup) -> Self {
        self.groups.push(group);
        self
    }

    /// Asks `policy` about each call of a tool that requires approval.
    #[must_use]
    pub fn approval(mut self, policy: impl ApprovalPolicy) -> Self {
        self.approvals = Some(Approvals::new(Arc::new(policy)));
        self
    }

    /// Requires approval for more tools than those that declare it; discovery tools may be among them.
    #[must_use]
    pub fn require_approval(mut self, selectors: impl IntoIterator<Item = impl Into<ToolSelector>>) -> Self {
        self.approval_required.extend(selectors.into_iter().map(Into::into));
        self
    }

    /// How long the approval policy may take: 30 s unless set. Later means deny.
    #[must_use]
    pub fn approval_timeout(mut self, timeout: Duration) -> Self {
        if let Some(approvals) = &mut self.approvals {
            approvals.timeout = timeout;
        }
        self
    }

    /// Gives a host value to every session: `#[context] x: &T` finds it by its type.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(self, value: T) -> Self {
        self.state_arc(Arc::new(value))
    }

    /// As [`state`](Self::state), for a value that is shared already; `T` may be `dyn Trait`.
    #[must_use]
    pub fn state_arc<T: ?Sized + Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        if self.values.insert(value) {
            self.duplicate_values.push(type_name::<T>());
        }
        self
    }

    /// Declares a host value that every session brings itself: `registry.session().with(value)`.
    #[must_use]
    pub fn session_state<T: ?Sized + Send + Sync + 'static>(mut self) -> Self {
        self.session_values.host_value::<T>();
        self
    }

    /// Sets up the search tool. Without this it has its defaults, and is there when something is to be found.
    #[must_use]
    pub fn search(mut self, search: ToolSearch) -> Self {
        self.search = SearchSetting::With(search);
        self
    }

    /// Leaves the search tool out; deferred tools then need another way to be found.
    #[must_use]
    pub fn without_search(mut self) -> Self {
        self.search = SearchSetting::Without;
        self
    }

    /// Hides tools from every session. Deny wins over allow.
    #[must_use]
    pub fn deny(mut self, selectors: impl IntoIterator<Item = impl Into<ToolSelector>>) -> Self {
        self.policy.deny(selectors);
        self
    }

    /// Hides all tools but these. The registry's own search tool stays.
    #[must_use]
    pub fn allow(mut self, selectors: impl IntoIterator<Item = impl Into<ToolSelector>>) -> Self {
        self.policy.allow(selectors);
        self
    }

    /// Puts a layer around every tool, behind the gate: audit, rate limit, cache, redaction. Later layers are outside.
    ///
    /// Definition and options of the layer are not asked: a tool keeps what it declared.
    #[must_use]
    pub fn wrap<T: Tool>(mut self, layer: impl Fn(Arc<dyn Tool>) -> T + Send + Sync + 'static) -> Self {
        self.layers.push(Arc::new(move |tool| Arc::new(layer(tool))));
        self
    }

    /// Sends the events of every session to `sink`.
    #[must_use]
    pub fn events(mut self, sink: impl EventSink) -> Self {
        self.events = Events::new(Arc::new(sink));
        self
    }

    /// Puts arguments and results of calls, and the texts of their errors, into the `execute_tool` spans. They may hold
    /// anything that users and tools say; without this no span has them.
    #[must_use]
    pub fn capture_content(mut self) -> Self {
        self.content = Content::Captured;
        self
    }

    /// Checks everything and makes the registry.
    ///
    /// # Errors
    /// [`BuildErrors`] lists all that cannot work, each with the place of its declaration.
    pub fn build(self) -> Result<Registry, BuildErrors> {
        assemble::registry(self)
    }
}

impl fmt::Debug for RegistryBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryBuilder")
            .field("toolsets", &self.toolsets)
            .field("search", &self.search)
            .finish_non_exhaustive()
    }
}
