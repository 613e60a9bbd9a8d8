//! What happens in a session, for the host: events go to one synchronous [`EventSink`].
//!
//! Arguments and results of calls are never in an event; names that a model made up are cleaned and cut.

use std::{sync::Arc, time::Duration};

use crate::{ToolErrorKind, ToolName};

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// A search ended.
    Searched {
        /// The tools shown to the model, best first.
        hits: Vec<ToolName>,
        /// How many tools matched.
        matched: usize,
    },
    /// A ranker failed and the built-in one answered.
    Degraded {
        /// What the ranker said.
        reason: String,
    },
    /// A tool becomes visible with the next turn.
    Revealed {
        /// The tool.
        tool: ToolName,
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
    /// A group was loaded.
    GroupLoaded {
        /// Its name.
        group: String,
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
    /// A tool failed, or its arguments could not be decoded.
    Failed {
        /// The id of the call.
        call_id: String,
        /// The tool.
        tool: ToolName,
        /// What kind of failure.
        kind: ToolErrorKind,
        /// The text for the host.
        message: String,
        /// From the first poll to the result.
        elapsed: Duration,
    },
    /// A tool was left out of the list because its schema cannot be made.
    LeftOut {
        /// The tool.
        tool: ToolName,
        /// Why.
        reason: String,
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

/// Receives every event of every session of a registry, on the thread where it happens. Must be quick.
///
/// # Examples
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
/// use tool_core::{EventSink, SessionEvent};
///
/// #[derive(Default)]
/// struct Refusals(AtomicUsize);
///
/// impl EventSink for Refusals {
///     fn on_event(&self, event: &SessionEvent) {
///         if let SessionEvent::Refused { .. } = event {
///             self.0.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
/// ```
pub trait EventSink: Send + Sync + 'static {
    /// Called for each event. A panic is caught and ignored.
    fn on_event(&self, event: &SessionEvent);
}

impl<T: EventSink + ?Sized> EventSink for Arc<T> {
    fn on_event(&self, event: &SessionEvent) {
        (**self).on_event(event);
    }
}

/// The sink of a registry, if it has one. Events are built only then.
#[derive(Clone, Default)]
pub(crate) struct Events(Option<Arc<dyn EventSink>>);

impl Events {
    pub(crate) fn new(sink: Arc<dyn EventSink>) -> Self {
        Self(Some(sink))
    }

    pub(crate) fn are_wanted(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn emit(&self, event: impl FnOnce() -> SessionEvent) {
        if let Some(sink) = &self.0 {
            let event = event();
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| sink.on_event(&event)));
            if caught.is_err() {
                tracing::warn!("an event sink panicked; the event is lost");
            }
        }
    }
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Events(sink)" } else { "Events(none)" })
    }
}
