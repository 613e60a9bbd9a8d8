//! The serialisable form of a session: names and fingerprints, never host values or messages.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Session, bound::Writer, change::Content, open_calls::WaitingCall, reveals::Operation};
use crate::{CallResult, Fingerprint, Registry, ToolName, registry::Entry};

/// The version that this library writes.
const VERSION: u32 = 1;

/// All state of a session, as versioned JSON. It is trusted input: sign it if it leaves the host.
///
/// # Examples
/// ```
/// # use tool_core::{FunctionTool, Registry, SessionSnapshot, ToolContext};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let hidden = FunctionTool::builder("hidden", "Not for every turn.")
///     .deferred()
///     .handler(async |_: (), _: ToolContext| "ran");
/// let registry = Registry::builder().tool(hidden).build()?;
/// let session = registry.session();
/// session.reveal("hidden");
///
/// let saved = serde_json::to_string(&session.snapshot())?;
/// let snapshot: SessionSnapshot = serde_json::from_str(&saved)?;
/// let (session, report) = registry.session().resume(snapshot).await?;
/// assert_eq!(session.revealed()[0].as_str(), "hidden");
/// assert!(report.is_complete());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionSnapshot {
    version: u32,
    /// In reveal order.
    #[serde(default)]
    pub(super) revealed: Vec<SavedTool>,
    /// In load order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) groups: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) approvals: Vec<SavedApproval>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) open: Option<SavedCalls>,
    /// Of what a store keeps: who saved it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) writers: Vec<Writer>,
    /// What a newer minor version wrote: kept and written again.
    #[serde(flatten)]
    pub(super) unknown: Map<String, Value>,
}

/// A revealed tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedTool {
    pub(super) namespace: String,
    pub(super) name: ToolName,
    pub(super) fingerprint: Fingerprint,
    #[serde(default, skip_serializing_if = "Origin::is_registry")]
    pub(super) origin: Origin,
}

/// Where a revealed tool came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Origin {
    /// The registry declares it.
    #[default]
    Registry,
    /// It comes with its source, its group, or `session.add`: one that is not there may still come.
    Late,
}

impl Origin {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives it so")]
    fn is_registry(&self) -> bool {
        *self == Self::Registry
    }
}

impl SavedTool {
    fn of(registry: &Registry, entry: &Entry) -> Self {
        let origin =
            if registry.find(entry.name().as_str()).is_some() { Origin::Registry } else { Origin::Late };
        let (namespace, name) = (entry.namespace.to_string(), entry.name().clone());
        Self { namespace, name, fingerprint: entry.fingerprint().clone(), origin }
    }
}

/// A tool whose calls may run without asking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SavedApproval {
    pub(super) tool: ToolName,
    pub(super) fingerprint: Fingerprint,
}

/// A suspended batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct SavedCalls {
    #[serde(default)]
    pub(super) id: String,
    pub(super) results: Vec<Option<CallResult>>,
    pub(super) waiting: Vec<WaitingCall>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) operations: Vec<SavedOperation>,
}

/// A change that a suspended batch has not committed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SavedOperation {
    Reveal(SavedTool),
    Unload(ToolName),
    LoadGroup(String),
}

/// Why a session cannot be resumed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// A later version of the library wrote the snapshot.
    #[error("the snapshot has version {found}; this library reads versions up to {VERSION}")]
    NewerVersion {
        /// The version of the snapshot.
        found: u32,
    },
}

fn check(version: u32) -> Result<(), ResumeError> {
    if version > VERSION { Err(ResumeError::NewerVersion { found: version }) } else { Ok(()) }
}

impl SessionSnapshot {
    pub(super) fn check(&self) -> Result<(), ResumeError> {
        check(self.version)
    }

    /// Looks at nothing but the version: what a later one has beside it may be of another shape.
    pub(super) fn check_bytes(bytes: &[u8]) -> Result<Result<(), ResumeError>, serde_json::Error> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        serde_json::from_slice(bytes).map(|Version { version }| check(version))
    }

    /// The revealed names, in order.
    pub fn revealed(&self) -> impl Iterator<Item = &ToolName> {
        self.revealed.iter().map(|tool| &tool.name)
    }

    /// The loaded groups, in order.
    pub fn groups(&self) -> &[String] {
        &self.groups
    }
}

impl Default for SessionSnapshot {
    /// The snapshot of a session in which nothing has happened.
    fn default() -> Self {
        Self {
            version: VERSION,
            revealed: Vec::new(),
            groups: Vec::new(),
            approvals: Vec::new(),
            open: None,
            writers: Vec::new(),
            unknown: Map::new(),
        }
    }
}

impl SavedOperation {
    fn of(registry: &Registry, operation: &Operation) -> Option<Self> {
        match operation {
            Operation::Reveal(entry) => Some(Self::Reveal(SavedTool::of(registry, entry))),
            Operation::RevealPending(saved) => Some(Self::Reveal(saved.clone())),
            Operation::Unload(name) => Some(Self::Unload(name.clone())),
            Operation::LoadGroup { group, .. } => Some(Self::LoadGroup(group.clone())),
            Operation::Add(_) => None,
        }
    }
}

impl Session {
    /// All state of this session, to be kept. Host values are not in it, nor tools that were added.
    pub fn snapshot(&self) -> SessionSnapshot {
        SessionSnapshot::of(&self.core.registry, self.core.state.content())
    }
}

impl SessionSnapshot {
    pub(super) fn of(registry: &Registry, content: Content) -> Self {
        let Content { reveals, approved, open, unknown } = content;
        let saved = reveals.order().iter().filter_map(|name| {
            if let Some(entry) = reveals.find(registry, name.as_str()) {
                return Some(SavedTool::of(registry, entry));
            }
            let (namespace, fingerprint) = reveals.pending(name)?.clone();
            Some(SavedTool { namespace, name: name.clone(), fingerprint, origin: Origin::Late })
        });
        let approvals = approved.into_iter();
        Self {
            version: VERSION,
            revealed: saved.collect(),
            groups: reveals.groups().iter().chain(reveals.unbuilt()).cloned().collect(),
            approvals: approvals.map(|(tool, fingerprint)| SavedApproval { tool, fingerprint }).collect(),
            open: open.map(|open| SavedCalls {
                id: open.id,
                results: open.results,
                waiting: open.waiting,
                operations: open
                    .operations
                    .iter()
                    .filter_map(|operation| SavedOperation::of(registry, operation))
                    .collect(),
            }),
            writers: Vec::new(),
            unknown,
        }
    }
}
