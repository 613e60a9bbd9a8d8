//! Spans: names and attributes of OpenTelemetry's conventions, who is inside of whom, and no content unless it is asked
//! for.

mod calls;
mod runs;

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex},
};

use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::DefaultGuard,
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
    registry::LookupSpan,
};

/// Keeps every span of this thread, in the order in which they began.
#[derive(Clone, Default)]
struct Spans(Arc<Mutex<Vec<Seen>>>);

/// One span.
#[derive(Debug, Clone, Default)]
struct Seen {
    name: &'static str,
    /// The place of the span around it.
    parent: Option<usize>,
    fields: BTreeMap<String, String>,
    /// Messages that were logged right inside it.
    logs: Vec<String>,
    closed: bool,
}

/// Its place in the list.
struct Place(usize);

impl Spans {
    /// Sees what this thread does from now on.
    fn on_this_thread() -> (Self, DefaultGuard) {
        let spans = Self::default();
        let subscriber = tracing_subscriber::registry().with(spans.clone());
        (spans, tracing::subscriber::set_default(subscriber))
    }

    fn all(&self) -> Vec<Seen> {
        self.0.lock().unwrap().clone()
    }

    /// The only span with a value of `otel.name`.
    fn named(&self, name: &str) -> Seen {
        let all = self.all();
        let mut found = all.iter().filter(|seen| seen.get("otel.name") == Some(name));
        let seen = found.next().unwrap_or_else(|| panic!("no {name} in {all:#?}")).clone();
        assert!(found.next().is_none(), "two of {name} in {all:#?}");
        seen
    }
}

impl Seen {
    fn get(&self, field: &str) -> Option<&str> {
        self.fields.get(field).map(String::as_str)
    }
}

struct Fields<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}

fn place<S: Subscriber + for<'a> LookupSpan<'a>>(id: &Id, context: &Context<'_, S>) -> Option<usize> {
    context.span(id)?.extensions().get::<Place>().map(|place| place.0)
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Spans {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let span = context.span(id).unwrap();
        let parent = span.parent().and_then(|parent| place(&parent.id(), &context));
        let mut seen = Seen { name: span.name(), parent, ..Seen::default() };
        attributes.record(&mut Fields(&mut seen.fields));
        let mut all = self.0.lock().unwrap();
        span.extensions_mut().insert(Place(all.len()));
        all.push(seen);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let place = place(id, &context).unwrap();
        values.record(&mut Fields(&mut self.0.lock().unwrap()[place].fields));
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let Some(place) = context.event_span(event).and_then(|span| place(&span.id(), &context)) else {
            return;
        };
        let mut fields = BTreeMap::new();
        event.record(&mut Fields(&mut fields));
        self.0.lock().unwrap()[place].logs.extend(fields.remove("message"));
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let place = place(&id, &context).unwrap();
        self.0.lock().unwrap()[place].closed = true;
    }
}
