//! The host's yes or no to single calls, asked after the gate and before the call.

use std::{fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{Arguments, Declared, Fingerprint, ToolContext, ToolName, ToolOutput, ToolSelector, text};

/// How long a policy may take unless the host says otherwise.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// The future of one decision.
pub type ApprovalFuture<'a> = Pin<Box<dyn Future<Output = ApprovalDecision> + Send + 'a>>;

/// Decides about calls of tools that require approval. A policy that panics or is late means deny.
///
/// # Examples
/// ```
/// use tool_core::{ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, ToolContext};
///
/// /// Waits for a person.
/// struct AskSomebody;
///
/// impl ApprovalPolicy for AskSomebody {
///     fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
///         Box::pin(async { ApprovalDecision::Suspend })
///     }
/// }
/// ```
pub trait ApprovalPolicy: Send + Sync + 'static {
    /// The decision about one call.
    fn decide<'a>(&'a self, request: &'a ApprovalRequest, context: &'a ToolContext) -> ApprovalFuture<'a>;
}

/// A call that waits for the host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The id of the call, for [`Session::decide`](crate::Session::decide); one is made for a call that has none.
    pub call_id: String,
    /// The tool.
    pub tool: ToolName,
    /// The arguments, as they came.
    pub arguments: Arguments,
    /// What the model was told of the tool.
    pub fingerprint: Fingerprint,
    /// Whether the call was begun before.
    #[serde(default)]
    pub progress: CallProgress,
}

/// How far a call is that waits for the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CallProgress {
    /// It never ran.
    #[default]
    NotBegun,
    /// It was allowed and begun, and no result is known: the process that ran it is gone, or runs it still. Look what
    /// it did before you allow it again; [`Answer`](ApprovalDecision::Answer) is for what it did.
    Interrupted,
}

impl ApprovalRequest {
    pub(crate) fn new(
        call_id: String,
        tool: ToolName,
        arguments: Arguments,
        fingerprint: Fingerprint,
    ) -> Self {
        Self { call_id, tool, arguments, fingerprint, progress: CallProgress::NotBegun }
    }
}

impl fmt::Display for ApprovalRequest {
    /// `charge_card {"amount_cents":1250}`, for a person to read, on one line and never cut: characters that would move,
    /// hide or reorder what a terminal shows are written as `\u{202e}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.tool, text::visible(&self.arguments.to_text()))
    }
}

/// What the host says to a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApprovalDecision {
    /// This call may run.
    AllowOnce,
    /// This call and all later ones of the tool in this session may run, as long as the tool does not change.
    AllowForSession,
    /// The call must not run; the model reads the reason.
    Deny {
        /// Why, for the model.
        reason: String,
    },
    /// Decide later: the batch is suspended.
    Suspend,
    /// The host ran the call itself, and this is its result.
    Answer(ToolOutput),
}

impl ApprovalDecision {
    /// A denial with a reason for the model.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: reason.into() }
    }
}

/// The policy of a registry, and what it is asked about.
#[derive(Clone)]
pub(crate) struct Approvals {
    pub(crate) policy: Arc<dyn ApprovalPolicy>,
    pub(crate) timeout: Duration,
    /// Tools that need approval whatever they declare.
    pub(crate) required: Vec<ToolSelector>,
}

impl Approvals {
    /// Whether the host wants to be asked about a tool, whatever it declares.
    pub(crate) fn asks_about(&self, declared: Option<Declared>, name: &ToolName) -> bool {
        self.required.iter().any(|selector| selector.selects(declared, name))
    }

    pub(crate) fn new(policy: Arc<dyn ApprovalPolicy>) -> Self {
        Self { policy, timeout: DEFAULT_TIMEOUT, required: Vec::new() }
    }
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approvals").field("required", &self.required).finish_non_exhaustive()
    }
}
