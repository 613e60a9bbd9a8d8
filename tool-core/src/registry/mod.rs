//! The immutable, validated set of tools: cheap to clone, shared by all sessions, without any state of a run.

mod assemble;
mod builder;
mod derive;
mod discovery;
mod entry;
mod error;
mod groups;
mod host;
mod late;
mod rules;
mod scope;
mod sources;

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, OnceLock},
};

use builder::Layer;
pub use builder::RegistryBuilder;
pub(crate) use entry::{Entry, Holder, Place, ScopeId};
pub use error::{BuildError, BuildErrors, CheckError, CheckErrors, Warning};
pub(crate) use groups::{Group, GroupState, GroupStatus};
pub(crate) use late::{LateFault, LateTool};
pub(crate) use scope::Scope;
pub(crate) use sources::{HeldSource, Listed, RegisteredSource, Sources};

use crate::{
    Session, ToolDefinition, ToolName,
    approval::Approvals,
    context::{HostValues, Requirement},
    event::Events,
    name::folded,
    policy::Policy,
    search::Documents,
    span::Content,
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
    /// In (toolset, name) order, discovery tools last.
    entries: Vec<Arc<Entry>>,
    by_name: HashMap<ToolName, Arc<Entry>>,
    /// Names without case and separators, prefixed and bare, of all tools that are not denied.
    by_folded: HashMap<String, Vec<Arc<Entry>>>,
    /// Eager tools by name, then discovery tools: how every list begins.
    pub(crate) base: Vec<Arc<Entry>>,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) groups: Vec<Group>,
    pub(crate) values: HostValues,
    pub(crate) session_values: Vec<Requirement>,
    pub(crate) approvals: Option<Approvals>,
    pub(crate) events: Events,
    pub(crate) content: Content,
    /// All deferred tools, whatever search covers them; made when a discovery tool of the host searches.
    all_documents: OnceLock<Documents>,
    /// For tools that come later: of a lazy group, or added to a session.
    policy: Policy,
    layers: Vec<Layer>,
    warnings: Vec<Warning>,
    /// What it was built from, to build narrower ones.
    declared: RegistryBuilder,
    /// None where no toolset has one.
    pub(crate) sources: Option<Arc<Sources>>,
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

    /// All tools that are not denied, in (toolset, name) order, discovery tools last.
    pub fn definitions(&self) -> Vec<&ToolDefinition> {
        let absent = |entry: &Entry| matches!(entry.place, Place::Denied | Place::Dormant);
        self.0.entries.iter().filter(|entry| !absent(entry)).map(|entry| &entry.definition).collect()
    }

    /// The tool of this model-facing name, whether or not a session can see it.
    pub fn definition(&self, name: &str) -> Option<&ToolDefinition> {
        let entry = self.find(name)?;
        (!matches!(entry.place, Place::Denied | Place::Dormant)).then_some(&entry.definition)
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

    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Entry>> {
        self.0.by_name.get(name)
    }

    /// Tools whose name, prefixed or bare, equals `name` but for case and separators; none for what has neither letters
    /// nor digits.
    pub(crate) fn find_folded(&self, name: &str) -> &[Arc<Entry>] {
        let folded = folded(name);
        if folded.is_empty() { &[] } else { self.0.by_folded.get(&folded).map_or(&[], Vec::as_slice) }
    }

    pub(crate) fn inner(&self) -> &RegistryInner {
        &self.0
    }

    pub(crate) fn entries(&self) -> &[Arc<Entry>] {
        &self.0.entries
    }

    /// All deferred tools, in (toolset, name) order.
    pub(crate) fn deferred(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.0.entries.iter().filter(|entry| entry.place == Place::Deferred)
    }

    #[allow(clippy::indexing_slicing, reason = "a ScopeId is made only for a scope of its registry")]
    pub(crate) fn scope(&self, id: ScopeId) -> &Scope {
        &self.0.scopes[id.0]
    }

    /// The search that covers toolsets without one of their own.
    pub(crate) fn common_scope(&self) -> Option<ScopeId> {
        self.0.scopes.iter().position(|scope| scope.namespace.is_none()).map(ScopeId)
    }

    pub(crate) fn group(&self, name: &str) -> Option<&Group> {
        self.0.groups.iter().find(|group| group.name == name)
    }

    /// What a search ranks: of one scope, or all.
    pub(crate) fn documents(&self, scope: Option<ScopeId>) -> &Documents {
        match scope {
            Some(id) => self.scope(id).documents(),
            None => self.0.all_documents.get_or_init(|| Documents::of(self.deferred().cloned().collect())),
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("tools", &self.0.entries.len()).finish_non_exhaustive()
    }
}
