//! What happens in sessions, for the host: every [`SessionEvent`] goes to one synchronous [`EventSink`].
//!
//! Arguments and results of calls are never in an event; names that a model made up are cleaned and cut. Each call ends
//! in exactly one of `Called`, `Failed`, `Refused`, `NotApproved` and `Answered`; one that waits for the host is
//! `Suspended` before.

mod list;
mod sink;

use std::time::Duration;

pub use list::{ListChange, Rewrite};
pub(crate) use sink::Events;
pub use sink::{EventContext, EventSink};

use crate::{Limit, SourceState, ToolErrorKind, ToolName, TurnStop};

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// A turn was made: the host is about to send its list.
    TurnStarted {
        /// The turn, from 1, since the session was made or resumed.
        turn: u64,
        /// How many tools are listed.
        tools: usize,
        /// What became of the list since the turn before: whether a provider's prompt cache still holds, and why not.
        list: ListChange,
    },
    /// A search ended, of a model or of a discovery tool of the host.
    Searched {
        /// The tools that were found, best first.
        hits: Vec<ToolName>,
        /// How many tools matched.
        matched: usize,
        /// Why the built-in ranker answered instead of the host's, if it did.
        degraded: Option<String>,
    },
    /// Something of the host failed, and the library's own took its place: a ranker.
    Degraded {
        /// What it said.
        reason: String,
    },
    /// A tool becomes visible with the next turn.
    Revealed {
        /// The tool.
        tool: ToolName,
    },
    /// A tool was found, loaded or restored, or revealed in a session that others share, but the budget has no room for it:
    /// it stays hidden.
    OverBudget {
        /// The tool.
        tool: ToolName,
        /// The limit that it would pass.
        limit: Limit,
    },
    /// An open call was dropped: calls that somebody else left open in this session were stored first.
    CallDropped {
        /// The id of the call.
        call_id: String,
    },
    /// The results of a suspended batch are not in the store yet; the next save writes them.
    NotSaved {
        /// What the store said.
        reason: String,
    },
    /// A tool leaves the list with the next turn, because model or host unloaded it.
    Unloaded {
        /// The tool.
        tool: ToolName,
    },
    /// A revealed tool is not what it was when the session was saved; it is revealed with its new definition.
    Changed {
        /// The tool.
        tool: ToolName,
    },
    /// A revealed tool left the list, because its source does not list it any more. It has its place if it comes back.
    Vanished {
        /// The tool.
        tool: ToolName,
    },
    /// A revealed tool is there again, because its source lists it as it was or `session.add` brought it: it is in the list
    /// at its old place.
    Returned {
        /// The tool.
        tool: ToolName,
    },
    /// A source changed a revealed tool: it is hidden again, and calls need a new approval.
    Revoked {
        /// The tool.
        tool: ToolName,
    },
    /// A source became ready, or failed. Of the registry, and of the session that brought the source.
    SourceState {
        /// The toolset of the source.
        namespace: String,
        /// How it is now.
        state: SourceState,
    },
    /// A source lists a tool that nobody can use. Told once, as long as the source says the same of it.
    ToolRejected {
        /// The toolset of the source.
        namespace: String,
        /// The name that the source gave: cleaned, at most 64 characters.
        tool: String,
        /// Why.
        reason: String,
    },
    /// A group was loaded.
    GroupLoaded {
        /// Its name.
        group: String,
    },
    /// A group could not be built: an error, a panic or a time-out. It stays loadable.
    GroupFailed {
        /// Its name.
        group: String,
        /// What the build said.
        error: String,
    },
    /// The approval policy, or the host, refused a call.
    NotApproved {
        /// The id of the call.
        call_id: String,
        /// The tool.
        tool: ToolName,
        /// What the model reads.
        reason: String,
    },
    /// A call waits for the host.
    Suspended {
        /// The id of the call.
        call_id: String,
        /// The tool.
        tool: ToolName,
    },
    /// The host answered a call itself; the tool did not run.
    Answered {
        /// The id of the call.
        call_id: String,
        /// The tool.
        tool: ToolName,
    },
    /// A name outside the turn's list was called; nothing ran.
    Refused {
        /// The id of the call.
        call_id: String,
        /// The name as called: cleaned, at most 64 characters.
        name: String,
        /// What the host may know and the model may not.
        reason: RefusalReason,
    },
    /// A tool returned.
    Called {
        /// The id of the call.
        call_id: String,
        /// The tool.
        tool: ToolName,
        /// From the first poll to the result.
        elapsed: Duration,
    },
    /// A tool failed, its arguments could not be decoded, or nobody waited for it any more.
    Failed {
        /// The id of the call.
        call_id: String,
        /// The tool.
        tool: ToolName,
        /// What kind of failure; `Cancelled` for a call that was dropped.
        kind: ToolErrorKind,
        /// The text for the host.
        message: String,
        /// From the first poll to the result.
        elapsed: Duration,
    },
    /// A tool is left out of the list because its schema cannot be made. Told once a session.
    LeftOut {
        /// The tool.
        tool: ToolName,
        /// Why.
        reason: String,
    },
    /// A tool is left out of the list because its `enabled` says no. Told again only after it said yes.
    Disabled {
        /// The tool.
        tool: ToolName,
    },
    /// Tools are hidden, and nothing that the model may call reveals them. Told once a cause.
    ///
    /// Hidden tools stay hidden and the run goes on; the host can reveal them itself.
    DeadEnd {
        /// The discovery tool that is the way to them.
        tool: ToolName,
        /// Why it is none.
        cause: DeadEndCause,
    },
    /// The model was told that its turns go in circles.
    Circling {
        /// What it does over and over.
        doing: TurnStop,
    },
    /// The model went on in circles after it was told: the turn has a
    /// [`stop_reason`](crate::Turn::stop_reason).
    Stopped {
        /// What it did over and over.
        reason: TurnStop,
    },
}

/// Why a call was refused. The model reads the same text for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalReason {
    /// No tool has this name.
    Unknown,
    /// The tool is deferred and was not revealed before this turn.
    Hidden,
    /// `deny` or `allow` hides the tool.
    Denied,
    /// `enabled` said no.
    Disabled,
    /// The tool changed, or went away, between the reply and the call.
    Changed,
}

/// Why a discovery tool leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeadEndCause {
    /// Its `enabled` says no for this session.
    Disabled,
    /// It is left out of the list, because its schema cannot be made.
    LeftOut,
    /// A call of it was not approved.
    NotApproved,
}
