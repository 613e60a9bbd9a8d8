//! Whose an event is: the id of the session, and its host values.

use std::sync::{Arc, Mutex};

use tool_core::{EventContext, EventSink, MemoryStore, Registry, Session, SessionEvent, ToolContext};

use crate::support::{builder, call, eager, text};

struct Tenant(&'static str);
struct Region(&'static str);

/// Session, tenant and region.
type Owner = (String, &'static str, &'static str);

/// The owner of each event that is no beginning of a turn.
#[derive(Clone, Default)]
struct Whose(Arc<Mutex<Vec<Owner>>>);

impl EventSink for Whose {
    fn on_event(&self, event: &SessionEvent, context: &EventContext<'_>) {
        if !matches!(event, SessionEvent::TurnStarted { .. }) {
            let session = context.session_id().unwrap().to_owned();
            let tenant = context.get::<Tenant>().map_or("nobody", |tenant| tenant.0);
            self.0.lock().unwrap().push((session, tenant, context.get::<Region>().unwrap().0));
        }
    }
}

#[tokio::test]
async fn a_sink_of_many_tenants_knows_whose_each_event_is() {
    let whose = Whose::default();
    let registry = Registry::builder()
        .tool(eager("echo"))
        .state(Region("here"))
        .session_state::<Tenant>()
        .events(whose.clone())
        .build()
        .unwrap();
    let first = registry.session().with(Tenant("acme")).with_id("conversation 1");
    let second = registry.session().with_id("conversation 2").with(Tenant("globex")).with(Region("there"));
    for session in [&first, &second, &first] {
        text(&session.turn().await.unwrap(), call("1", "echo")).await;
    }
    let of_first = ("conversation 1".to_owned(), "acme", "here");
    let of_second = ("conversation 2".to_owned(), "globex", "there");
    assert_eq!(*whose.0.lock().unwrap(), [of_first.clone(), of_second, of_first]);
    assert_eq!(first.id(), "conversation 1");
}

#[tokio::test]
async fn a_session_without_an_id_makes_one_that_stays_and_is_its_own() {
    let whose = Whose::default();
    let asking = builder("whose", "Says which session it runs in.")
        .handler(async |(): (), context: ToolContext| context.session_id().to_owned());
    let registry =
        Registry::builder().tool(asking).state(Region("here")).events(whose.clone()).build().unwrap();
    let (first, second) = (registry.session(), registry.session());
    assert_eq!(first.id().len(), 32);
    assert_ne!(first.id(), second.id());
    for session in [&first, &second, &first] {
        assert_eq!(text(&session.turn().await.unwrap(), call("1", "whose")).await, session.id());
    }
    let told: Vec<_> = whose.0.lock().unwrap().iter().map(|(session, ..)| session.clone()).collect();
    assert_eq!(told, [first.id(), second.id(), first.id()]);
}

#[tokio::test]
async fn a_session_of_a_store_has_its_key_as_its_id_unless_the_host_gave_one() {
    let whose = Whose::default();
    let registry =
        Registry::builder().tool(eager("echo")).state(Region("here")).events(whose.clone()).build().unwrap();
    let store = Arc::new(MemoryStore::new());
    let (first, _) = registry.session().open(&store, "conversation 1").await.unwrap();
    first.save().await.unwrap();
    let (elsewhere, _) = registry.session().open(&store, "conversation 1").await.unwrap();
    let (named, _) = registry.session().with_id("mine").open(&store, "conversation 1").await.unwrap();
    let (later, _) = registry.session().open(&store, "conversation 1").await.unwrap();
    let sessions = [first, elsewhere, named, later.with_id("later")];
    for session in &sessions {
        text(&session.turn().await.unwrap(), call("1", "echo")).await;
    }
    let expected = ["conversation 1", "conversation 1", "mine", "later"];
    assert_eq!(sessions.each_ref().map(Session::id), expected);
    let told: Vec<_> = whose.0.lock().unwrap().iter().map(|(session, ..)| session.clone()).collect();
    assert_eq!(told, expected);
}
