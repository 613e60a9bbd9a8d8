//! The frozen view for one model request: what the model may see and call.
//!
//! A [`Turn`] is made by `Session::turn` and never changes; what its calls reveal is in the next one.

mod announce;
mod approve;
mod batch;
mod finish;
mod gate;
mod ledger;
mod run;
mod view;

use std::{fmt, sync::Arc};

pub(crate) use announce::Announced;
pub use batch::Batch;
use batch::Calls;
pub(crate) use finish::finish;
pub use ledger::{Ledger, ToolTokens};
pub(crate) use run::{call_for_host, call_from_inside};
pub(crate) use view::{View, ask, without_call};

use crate::{
    ToolCall, ToolDefinition, ToolKind, TurnStop,
    registry::{Entry, Place},
    search,
    session::SessionCore,
};

/// What the model may see and call in one request.
///
/// # Examples
/// ```
/// use tool_core::{FunctionTool, Registry, ToolCall, ToolContext};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let hidden = FunctionTool::builder("hidden", "Not for every turn.")
///     .deferred()
///     .handler(async |_: (), _: ToolContext| "ran");
/// let registry = Registry::builder().tool(hidden).build()?;
/// let turn = registry.session().turn().await?;
///
/// let results = turn.call_all([ToolCall::new("1", "hidden", "{}")]).await.into_results();
/// assert_eq!(
///     results[0].text(),
///     "Tool 'hidden' is not in your current tool list. Call tool_search to find tools."
/// );
/// # Ok(())
/// # }
/// ```
pub struct Turn {
    core: Arc<SessionCore>,
    view: Arc<View>,
    number: u64,
}

impl Turn {
    pub(crate) fn new(core: Arc<SessionCore>) -> Self {
        let view = View::current(&core);
        let number = core.state.begin_turn();
        announce::turn(&core, &view, number);
        Self { core, view, number }
    }

    /// The list to send, in order: eager tools by name, discovery tools, then what was revealed.
    pub fn tools(&self) -> impl ExactSizeIterator<Item = &ToolDefinition> {
        self.view.listed().iter().map(|entry| &entry.definition)
    }

    /// Whether a tool of the list reveals others, or does ordinary work. `None` for what is not in the list.
    pub fn kind(&self, name: &str) -> Option<ToolKind> {
        self.view.listed().iter().find(|entry| *entry.name() == name).map(|entry| entry.options.kind)
    }

    /// The deferred tools that this turn does not list: those of the registry, then those added to the session, each in
    /// (toolset, name) order, without those that the session cannot have. They cost no tokens; a provider with native deferral takes them beside the list.
    pub fn deferred(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.unlisted(|place| place == Place::Deferred).map(|entry| &entry.definition)
    }

    /// Tools in places that a reveal leads to, which this turn does not list though the session can have them.
    fn unlisted(&self, is_meant: impl Fn(Place) -> bool) -> impl Iterator<Item = &Arc<Entry>> {
        let entries = self.core.registry.entries().iter().chain(self.view.deferred_of_sources());
        entries
            .filter(move |entry| is_meant(entry.place))
            .filter(|entry| !self.view.has(entry))
            .chain(self.view.late_hidden())
            .filter(|entry| search::enabled(&self.core, entry) && entry.definition.unusable().is_none())
    }

    /// The tokens of the list and of what is hidden, tool by tool, as the host counts them: `count` renders a definition
    /// for its provider and counts that. Walks all tools, so it is for reports, not for every request of a large catalog.
    pub fn ledger(&self, mut count: impl FnMut(&ToolDefinition) -> usize) -> Ledger {
        self.ledger_of(|entry| count(&entry.definition))
    }

    pub(crate) fn ledger_of(&self, count: impl FnMut(&Entry) -> usize) -> Ledger {
        let hidden = self.unlisted(|place| matches!(place, Place::Deferred | Place::Grouped));
        Ledger::new(self.view.listed().iter(), hidden, count)
    }

    /// Judges and runs the calls of one reply, at most eight at a time, and returns one result per call, in call order.
    ///
    /// What the calls reveal takes effect together when all have ended: it is in the next turn, never in this one.
    /// Dropping the future cancels the calls and reveals nothing. May be used again: the same list, a new batch.
    pub async fn call_all(&self, calls: impl IntoIterator<Item = ToolCall>) -> Batch {
        batch::run(&self.core, &self.view, self.number, Calls::of(calls)).await
    }

    /// Why the run should end after the calls of this turn, if so: turn after turn only searched, or had every call
    /// refused. The results of the turn before said so already.
    pub fn stop_reason(&self) -> Option<TurnStop> {
        self.core.state.with_progress(|progress, _| progress.stop(self.number))
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.tools().map(ToolDefinition::name)).finish()
    }
}
