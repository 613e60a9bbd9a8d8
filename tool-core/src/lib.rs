//! Tools for LLM agents: declare functions, show the model only the tools it needs, refuse the rest.

// So that the macro's default path `::tool_core` works inside this crate too.
#[allow(unused_extern_crates)]
extern crate self as tool_core;

#[doc = include_str!("docs/coming_from.md")]
pub mod coming_from {}

mod agent;
mod approval;
mod budget;
mod call;
mod context;
mod declare;
mod definition;
mod discovery;
mod error;
mod event;
mod fingerprint;
mod function_tool;
mod group;
mod guard;
mod macros;
mod name;
mod output;
mod policy;
mod registry;
mod schema;
mod search;
mod session;
mod source;
mod span;
mod store;
mod text;
mod tool;
mod toolset;
mod turn;

pub use agent::{
    Agent, AgentBuildError, AgentBuilder, AgentEvent, AgentStream, Conversation, FinishReason,
    ForeignSession, Message, Model, ModelError, ModelErrorKind, ModelFuture, ModelIdentity, ModelReply,
    ModelRequest, ResultStatus, Run, RunError, RunFuture, RunLimits, RunOptions, RunResult, StopReason,
    SubAgent, SubAgentError, SubAgentFault, ToolChoice, Usage,
};
#[cfg(feature = "test-util")]
pub use agent::{ScriptError, ScriptedModel, SeenRequest};
pub use approval::{ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, CallProgress};
pub use budget::{Budget, Limit};
pub use call::{Arguments, CallOutcome, CallResult, ToolCall};
pub use context::{FromContext, Requirement, Requirements, ToolContext};
#[doc(hidden)]
pub use declare::private as __private;
pub use declare::{Declared, MethodRef, ToolArg, ToolRef};
pub use definition::{
    Approval, EnabledFn, Loading, Location, ToolAnnotations, ToolDefinition, ToolKind, ToolOptions,
};
pub use discovery::{DiscoveryTool, Listing, ToolSearch};
pub use error::{ToolError, ToolErrorKind};
pub use event::{DeadEndCause, EventContext, EventSink, ListChange, RefusalReason, Rewrite, SessionEvent};
pub use fingerprint::Fingerprint;
pub use function_tool::{FunctionTool, FunctionToolBuilder, IntoToolOutput, IntoToolResult};
pub use group::{GroupOutcome, LoadedGroup, SkipReason, SkippedTool, ToolGroup};
#[doc(inline)]
pub use macros::{function_tool, function_tools};
pub use name::{MAX_NAME_LEN, NameError, ToolName};
pub use output::{ContentPart, Json, ToolOutput};
pub use policy::{PatternError, ToolPattern, ToolSelector};
pub use registry::{BuildError, BuildErrors, CheckError, CheckErrors, Registry, RegistryBuilder, Warning};
pub use schema::{Schema, SchemaError};
pub use search::{
    ArgumentText, Catalog, FieldedRanker, FieldedRankerBuilder, FieldedRankerError, HybridRanker, RankFuture,
    Ranked, Ranker, RankerError, SearchDocument, SearchField, SearchHit, SearchResults, Stemming,
    SubstringRanker,
};
pub use session::{
    Added, DecideError, ImportReport, OpenError, ResumeError, ResumeReport, RevealOutcome, SaveError,
    SaveReport, Session, SessionOperations, SessionSnapshot, TurnError, TurnStop,
};
pub use source::{
    RejectedTool, SourceError, SourceFuture, SourceListing, SourceSettings, SourceState, SourceStatus,
    SourceTool, ToolSource,
};
pub use store::{
    FileStore, MemoryStore, SaveOutcome, SessionStore, StoreError, StoreFuture, StoreVersion, StoredSession,
};
pub use tokio_util::sync::CancellationToken;
pub use tool::{Tool, ToolFuture};
pub use toolset::Toolset;
pub use turn::{Batch, Ledger, ToolTokens, Turn};
