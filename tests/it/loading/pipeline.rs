//! What stands around a tool: the host's layers, `enabled`, approval.

use tool_core::{ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, SessionEvent};

use super::*;
use crate::support::Log;

suite! {
    layers_are_passed_from_outside_in_and_only_behind_the_gate
    enabled_is_asked_at_the_turn_and_at_the_call
    an_enabled_that_panics_is_a_no
    approval_is_asked_for_the_call_with_its_arguments
    events_have_the_name_and_the_id_of_the_call
}

/// Notes when it is passed.
struct Layer {
    inner: Arc<dyn Tool>,
    name: &'static str,
    passed: Arc<Mutex<Vec<String>>>,
}

impl Tool for Layer {
    fn definition(&self) -> &ToolDefinition {
        self.inner.definition()
    }

    fn options(&self) -> &ToolOptions {
        self.inner.options()
    }

    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a> {
        self.passed.lock().unwrap().push(format!("{} {}", self.name, context.tool_name().unwrap()));
        self.inner.call(arguments, context)
    }
}

async fn layers_are_passed_from_outside_in_and_only_behind_the_gate(way: Way) {
    let passed = Arc::new(Mutex::new(Vec::new()));
    let layer = |name| {
        let passed = Arc::clone(&passed);
        move |inner| Layer { inner, name, passed: Arc::clone(&passed) }
    };
    let registry = way.registry([add()]).wrap(layer("inner")).wrap(layer("outer"));
    let turn = listed(registry, way).await;
    passed.lock().unwrap().clear();
    let calls = [ToolCall::new("1", "unknown", "{}"), ToolCall::new("2", NAME, json!({"a": 2}))];
    let results = turn.call_all(calls).await.into_results();
    assert_eq!(results[1].text(), "2");
    assert_eq!(*passed.lock().unwrap(), ["outer subject", "inner subject"]);
}

async fn enabled_is_asked_at_the_turn_and_at_the_call(way: Way) {
    struct Switch(std::sync::atomic::AtomicBool);
    fn switched(context: &ToolContext) -> bool {
        context.get::<Switch>().unwrap().0.load(std::sync::atomic::Ordering::SeqCst)
    }
    let switch = Arc::new(Switch(true.into()));
    let set = |on| switch.0.store(on, std::sync::atomic::Ordering::SeqCst);
    let tool = subject().enabled(switched).handler(async |(): (), _: ToolContext| "ran");
    let registry = way.registry([tool]).state_arc(Arc::clone(&switch)).build().unwrap();
    let session = registry.session();
    way.reveal(&session, NAME).await;
    let subject = || [ToolCall::new("1", NAME, "{}")];
    let turn = session.turn().await.unwrap();
    assert_eq!(turn.call_all(subject()).await.into_results()[0].text(), "ran");
    set(false);
    assert!(turn.call_all(subject()).await.into_results()[0].refused());
    assert!(!names(&session.turn().await.unwrap()).contains(&NAME.to_owned()));
    set(true);
    assert_eq!(turn.call_all(subject()).await.into_results()[0].text(), "ran");
    assert!(names(&session.turn().await.unwrap()).contains(&NAME.to_owned()), "in its old place again");
}

async fn an_enabled_that_panics_is_a_no(way: Way) {
    fn angry(_: &ToolContext) -> bool {
        panic!("no")
    }
    let tool = subject().enabled(angry).handler(async |(): (), _: ToolContext| "ran");
    let registry = way.registry([tool]).build().unwrap();
    let session = registry.session();
    way.reveal(&session, NAME).await;
    let turn = session.turn().await.unwrap();
    assert!(!names(&turn).contains(&NAME.to_owned()));
    assert!(turn.call_all([ToolCall::new("1", NAME, "{}")]).await.into_results()[0].refused());
}

/// Allows what is asked about, and keeps it.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<ApprovalRequest>>>);

impl ApprovalPolicy for Asked {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        self.0.lock().unwrap().push(request.clone());
        Box::pin(std::future::ready(ApprovalDecision::AllowOnce))
    }
}

async fn approval_is_asked_for_the_call_with_its_arguments(way: Way) {
    let asked = Asked::default();
    let tool =
        subject().requires_approval().handler(async |sum: Sum, _: ToolContext| format!("{}", sum.a + sum.b));
    let turn = listed(way.registry([tool]).approval(asked.clone()), way).await;
    let results = turn.call_all([ToolCall::new("7", NAME, json!({"a": 2}))]).await.into_results();
    assert_eq!(results[0].text(), "2");
    let asked = asked.0.lock().unwrap();
    assert_eq!(asked.len(), 1);
    assert_eq!((asked[0].call_id.as_str(), asked[0].tool.as_str()), ("7", NAME));
    assert_eq!(asked[0].arguments, Arguments::from(json!({"a": 2})));
}

async fn events_have_the_name_and_the_id_of_the_call(way: Way) {
    let log = Log::default();
    let turn = listed(way.registry([add()]).events(log.clone()), way).await;
    let seen = log.all().len();
    let calls = [ToolCall::new("7", NAME, json!({"a": 2})), ToolCall::new("8", NAME, "[]")];
    turn.call_all(calls).await;
    let events: Vec<_> = log.all().split_off(seen).into_iter().filter_map(ended).collect();
    assert_eq!(events, [("7".to_owned(), NAME.to_owned(), true), ("8".to_owned(), NAME.to_owned(), false)]);
}

/// Call, tool and success of an event that ends a call.
fn ended(event: SessionEvent) -> Option<(String, String, bool)> {
    match event {
        SessionEvent::Called { call_id, tool, .. } => Some((call_id, tool.to_string(), true)),
        SessionEvent::Failed { call_id, tool, .. } => Some((call_id, tool.to_string(), false)),
        _ => None,
    }
}
