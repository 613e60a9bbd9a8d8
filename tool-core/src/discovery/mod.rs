//! The discovery tools: a few ordinary tools over the session operations, one small set a mode.
//!
//! [`ToolSearch`] says which mode covers which toolsets; [`BuiltInTool`] is each of its tools in a registry. Everything
//! that they can do, a tool marked `discovery` can do too; only the bridge's `tool_call` is more: the gate unwraps it.

mod arguments;
mod bridge;
mod config;
mod group_tools;
mod listing;
mod load_tools;
mod search_tool;

use std::borrow::Cow;

pub(crate) use arguments::{Members, invalid};
pub(crate) use bridge::{is_bridge, unwrap};
pub(crate) use config::{DEFAULT_SOURCE_WAIT, Mode};
pub use config::{DiscoveryTool, Listing, ToolSearch};
pub(crate) use group_tools::{GroupTool, GroupTools, group_named};

use crate::{
    Arguments, Loading, Location, NameError, Schema, Tool, ToolContext, ToolDefinition, ToolError,
    ToolFuture, ToolKind, ToolName, ToolOptions,
    definition::LazySchema,
    registry::{Entry, ScopeId},
};

/// Which discovery tool of the library an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuiltIn {
    /// Of a [`ToolSearch`].
    Search(DiscoveryTool, ScopeId),
    /// Of the groups.
    Groups(GroupTool),
}

/// The options of each of them.
fn options(location: Location) -> ToolOptions {
    ToolOptions {
        loading: Loading::Eager,
        kind: ToolKind::Discovery,
        location: Some(location),
        ..ToolOptions::default()
    }
}

/// A tool of a [`ToolSearch`] in a registry.
pub(crate) struct BuiltInTool {
    tool: DiscoveryTool,
    scope: ScopeId,
    definition: ToolDefinition,
    options: ToolOptions,
}

impl BuiltInTool {
    /// One tool of a search, under the toolset's prefix; its description may list what is hidden.
    pub(crate) fn new(
        search: &ToolSearch,
        tool: DiscoveryTool,
        scope: ScopeId,
        prefix: Option<&str>,
        hidden: &[&Entry],
    ) -> Result<Self, NameError> {
        let name = ToolName::new(search.tool_name(tool))?;
        let name = match prefix {
            Some(prefix) => ToolName::new(format!("{prefix}_{name}"))?,
            None => name,
        };
        let mut description = search.tool_description(tool).to_owned();
        if tool == DiscoveryTool::Search {
            description.push_str(&listing::text(search.shown_listing(), hidden));
        }
        let (mode, top_k) = (search.mode(), search.default_top_k());
        let schema = LazySchema::new(move || match tool {
            DiscoveryTool::Search => Schema::foreign(&search_tool::input_schema(mode, top_k)),
            DiscoveryTool::Load | DiscoveryTool::Unload => Schema::foreign(load_tools::NAME_SCHEMA),
            DiscoveryTool::Clear => Schema::foreign(load_tools::NO_ARGUMENTS),
            DiscoveryTool::Call => Schema::foreign(bridge::CALL_SCHEMA),
        });
        let options = options(search.location());
        Ok(Self {
            tool,
            scope,
            definition: ToolDefinition::new(name, Cow::Owned(description), schema),
            options,
        })
    }
}

impl Tool for BuiltInTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn options(&self) -> &ToolOptions {
        &self.options
    }

    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a> {
        Box::pin(async move {
            match self.tool {
                DiscoveryTool::Search => search_tool::call(self, arguments, &context).await,
                DiscoveryTool::Load => load_tools::load(self, arguments, &context),
                DiscoveryTool::Unload => load_tools::unload(self, arguments, &context),
                DiscoveryTool::Clear => load_tools::clear(self, arguments, &context),
                // The gate, and the host's own calls, unwrap it into the call of its target.
                DiscoveryTool::Call => Err(ToolError::new("a call of the bridge has no tool of its own")),
            }
        })
    }
}
