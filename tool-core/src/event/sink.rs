//! Where events go: the host's [`EventSink`], which is told whose each one is.

use std::{fmt, sync::Arc};

use super::SessionEvent;
use crate::context::HostValues;

/// Receives every event of every session of a registry, on the thread where it happens. Must be quick.
///
/// # Examples
/// ```
/// use std::{collections::HashMap, sync::Mutex};
/// use tool_core::{EventContext, EventSink, SessionEvent};
///
/// /// Who the session belongs to: `registry.session().with(Tenant("acme"))`.
/// struct Tenant(&'static str);
///
/// /// Counts refused calls, tenant by tenant.
/// #[derive(Default)]
/// struct Refusals(Mutex<HashMap<&'static str, usize>>);
///
/// impl EventSink for Refusals {
///     fn on_event(&self, event: &SessionEvent, context: &EventContext<'_>) {
///         if let (SessionEvent::Refused { .. }, Some(tenant)) = (event, context.get::<Tenant>()) {
///             *self.0.lock().unwrap().entry(tenant.0).or_default() += 1;
///         }
///     }
/// }
/// ```
pub trait EventSink: Send + Sync + 'static {
    /// Called for each event. A panic is caught and ignored.
    fn on_event(&self, event: &SessionEvent, context: &EventContext<'_>);
}

impl<T: EventSink + ?Sized> EventSink for Arc<T> {
    fn on_event(&self, event: &SessionEvent, context: &EventContext<'_>) {
        (**self).on_event(event, context);
    }
}

/// Whose an event is: the session's id and its host values.
#[derive(Clone, Copy)]
pub struct EventContext<'a> {
    session: Option<(&'a str, &'a HostValues)>,
    registry: &'a HostValues,
}

impl<'a> EventContext<'a> {
    pub(crate) fn new(session: Option<(&'a str, &'a HostValues)>, registry: &'a HostValues) -> Self {
        Self { session, registry }
    }

    /// The [id](crate::Session::id) of the session. `None` where an event is of no session, but of the registry.
    pub fn session_id(&self) -> Option<&'a str> {
        self.session.map(|(id, _)| id)
    }

    /// The host value of type `T`: the session's, else the registry's. `T` may be `dyn Trait`.
    pub fn get<T: ?Sized + Send + Sync + 'static>(&self) -> Option<&'a Arc<T>> {
        self.session.and_then(|(_, values)| values.get()).or_else(|| self.registry.get())
    }
}

impl fmt::Debug for EventContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventContext").field("session_id", &self.session_id()).finish_non_exhaustive()
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

    pub(crate) fn emit<'a>(
        &self,
        event: impl FnOnce() -> SessionEvent,
        context: impl FnOnce() -> EventContext<'a>,
    ) {
        if let Some(sink) = &self.0 {
            let (event, context) = (event(), context());
            let caught =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| sink.on_event(&event, &context)));
            if caught.is_err() {
                tracing::warn!("an event sink panicked; the event is lost");
            }
        }
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Events(sink)" } else { "Events(none)" })
    }
}
