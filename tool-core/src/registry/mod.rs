//! The immutable, validated set of tools: cheap to clone, shared by all sessions, without any state of a run.

mod assemble;
mod builder;
mod entry;
mod error;
mod rules;

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, OnceLock},
};

pub use builder::RegistryBuilder;
pub(crate) use entry::{Entry, Place, ToolId};
pub use error::{BuildError, BuildErrors, CheckError, CheckErrors, Warning};

use crate::{
    Session, ToolDefinition, ToolName,
    context::{HostValues, Requirement},
    event::Events,
    name::folded,
    search::{Documents, RankerChoice},
};

/// The immutable, validated set of tools. `Send + Sync`; a clone is cheap and is the same registry.
///
/// # Examples
/// ```
/// use tool_core::{FunctionTool, Registry, ToolContext};
///
/// let echo = FunctionTool::builder("echo", "Say it again.").handler(async |_: (), _: ToolContext| "hi");
/// let registry = Registry::builder().tool(echo).build()?;
/// assert_eq!(registry.definitions().len(), 1);
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct Registry(Arc<RegistryInner>);

pub(crate) struct RegistryInner {
    entries: Vec<Entry>,
    by_name: HashMap<ToolName, ToolId>,
    /// Names without case and separators, prefixed and bare, of all tools that are not denied.
    by_folded: HashMap<String, Vec<ToolId>>,
    /// Eager tools by name, then discovery tools: how every list begins.
    pub(crate) base: Vec<ToolId>,
    /// Deferred tools that can be revealed, in (toolset, name) order.
    pub(crate) deferred: Vec<ToolId>,
    pub(crate) values: HostValues,
    pub(crate) session_values: Vec<Requirement>,
    pub(crate) ranker: RankerChoice,
    documents: OnceLock<Documents>,
    pub(crate) events: Events,
    warnings: Vec<Warning>,
}

impl Registry {
    /// Starts an empty registry.
    pub fn builder() -> RegistryBuilder {
        RegistryBuilder::default()
    }

    /// A new session over this registry: nothing revealed.
    pub fn session(&self) -> Session {
        Session::new(self.clone())
    }

    /// All tools that are not denied, in (toolset, name) order, the search tool included.
    pub fn definitions(&self) -> Vec<&ToolDefinition> {
        let entries = self.0.entries.iter().filter(|entry| entry.place != Place::Denied);
        entries.map(|entry| &entry.definition).collect()
    }

    /// The tool of this model-facing name, whether or not a session can see it.
    pub fn definition(&self, name: &str) -> Option<&ToolDefinition> {
        let entry = self.entry(self.find(name)?);
        (entry.place != Place::Denied).then_some(&entry.definition)
    }

    /// What works, but hardly as meant. Worth logging at start.
    pub fn warnings(&self) -> &[Warning] {
        &self.0.warnings
    }

    /// Makes every schema. For a test or CI: at run time schemas are made on first use.
    ///
    /// # Errors
    /// [`CheckErrors`] names each tool whose types make no object schema. Such a tool is left out of every list.
    pub fn check(&self) -> Result<(), CheckErrors> {
        let failed: Vec<_> = self
            .0
            .entries
            .iter()
            .filter_map(|entry| {
                let definition = &entry.definition;
                let error = definition.unusable()?.clone();
                Some(CheckError { tool: definition.name().clone(), location: entry.options.location, error })
            })
            .collect();
        if failed.is_empty() { Ok(()) } else { Err(CheckErrors(failed)) }
    }

    /// Whether both are clones of one registry.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The hidden tools that `text` names.
    pub(crate) fn hidden_tools_named_in(&self, text: &str) -> Vec<ToolName> {
        rules::named_in(text, &rules::hidden_names(&self.0.entries))
    }

    pub(crate) fn find(&self, name: &str) -> Option<ToolId> {
        self.0.by_name.get(name).copied()
    }

    /// Tools whose name, prefixed or bare, equals `name` but for case and separators.
    pub(crate) fn find_folded(&self, name: &str) -> &[ToolId] {
        self.0.by_folded.get(&folded(name)).map_or(&[], Vec::as_slice)
    }

    #[allow(clippy::indexing_slicing, reason = "a ToolId is made only for an entry of its registry")]
    pub(crate) fn entry(&self, id: ToolId) -> &Entry {
        &self.0.entries[id.index()]
    }

    pub(crate) fn inner(&self) -> &RegistryInner {
        &self.0
    }

    /// What the search ranks, made at the first search.
    pub(crate) fn documents(&self) -> &Documents {
        self.0.documents.get_or_init(|| Documents::of(self))
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("tools", &self.0.entries.len()).finish_non_exhaustive()
    }
}
