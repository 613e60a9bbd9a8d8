//! `execute_tool`: the span of one call.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tool_core::{
    FunctionTool, Registry, RegistryBuilder, Session, ToolContext, ToolError, function_tool, tools,
};
use tracing::Instrument;
use tracing_subscriber::layer::SubscriberExt;

use super::Spans;
use crate::support::{Gates, builder, call, call_with, eager, hidden, poll_once, search, texts};

#[derive(Deserialize, schemars::JsonSchema)]
struct Card {
    number: String,
}

fn pay() -> FunctionTool {
    builder("pay", "Pays by card.").handler(async |card: Card, _: ToolContext| match card.number.as_str() {
        "0" => Err(ToolError::new("card 0 of hunter2 is stolen").for_model("Not with this card.")),
        number => Ok(format!("paid by {number}")),
    })
}

fn session(builder: RegistryBuilder) -> Session {
    builder.tools([pay(), eager("echo"), hidden("alpha", "First.")]).build().unwrap().session()
}

#[tokio::test]
async fn a_call_has_the_names_of_the_convention_and_no_content() {
    let (spans, _guard) = Spans::on_this_thread();
    let session = session(Registry::builder()).with_id("conversation 1");
    texts(&session.turn().await.unwrap(), [call_with("call_1", "pay", json!({"number": "hunter2"}))]).await;
    let [seen] = spans.all().try_into().unwrap();
    assert_eq!(seen.name, "execute_tool");
    assert!(seen.closed);
    let fields: Vec<_> = seen.fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(
        fields,
        [
            ("gen_ai.conversation.id", "conversation 1"),
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.call.id", "call_1"),
            ("gen_ai.tool.description", "Pays by card."),
            ("gen_ai.tool.name", "pay"),
            ("gen_ai.tool.type", "function"),
            ("otel.kind", "internal"),
            ("otel.name", "execute_tool pay"),
        ]
    );
}

#[tokio::test]
async fn a_made_up_id_is_no_conversation_and_a_call_of_the_host_has_none() {
    let (spans, _guard) = Spans::on_this_thread();
    session(Registry::builder()).call("echo", "{}").await.unwrap();
    let seen = spans.named("execute_tool echo");
    assert_eq!((seen.get("gen_ai.conversation.id"), seen.get("gen_ai.tool.call.id")), (None, None));
}

#[tokio::test]
async fn content_is_there_if_the_registry_says_so() {
    let (spans, _guard) = Spans::on_this_thread();
    let session = session(Registry::builder().capture_content());
    let turn = session.turn().await.unwrap();
    texts(&turn, [call_with("1", "pay", json!({"number": "4242"}))]).await;
    texts(&turn, [call_with("2", "pay", json!({"number": "0"}))]).await;
    let [good, bad] = spans.all().try_into().unwrap();
    assert_eq!(good.get("gen_ai.tool.call.arguments"), Some(r#"{"number":"4242"}"#));
    assert_eq!(good.get("gen_ai.tool.call.result"), Some("paid by 4242"));
    assert_eq!(bad.get("gen_ai.tool.call.result"), None);
    assert_eq!(bad.get("otel.status_description"), Some("card 0 of hunter2 is stolen"));
}

#[tokio::test(start_paused = true)]
async fn each_failure_has_its_type_and_no_text() {
    let (spans, _guard) = Spans::on_this_thread();
    let gates = Gates::default();
    let door = gates.clone();
    let late =
        builder("late", "Waits.").timeout(Duration::from_secs(1)).handler(move |(): (), _: ToolContext| {
            let door = door.clone();
            async move { door.pass("never").await }
        });
    let panicking = builder("panicking", "Panics.")
        .handler(async |(): (), _: ToolContext| -> &'static str { panic!("hunter2") });
    let session = session(Registry::builder().tools([late, panicking]));
    let turn = session.turn().await.unwrap();
    let failing = [
        ("pay", json!({"number": "0"}), "failed"),
        ("pay", json!({"hunter2": true}), "invalid_arguments"),
        ("late", json!({}), "timed_out"),
        ("panicking", json!({}), "panicked"),
    ];
    for (name, arguments, _) in &failing {
        texts(&turn, [call_with("1", name, arguments.clone())]).await;
    }
    let seen = spans.all();
    for (seen, (_, _, kind)) in seen.iter().zip(&failing) {
        assert_eq!((seen.get("error.type"), seen.get("otel.status_code")), (Some(*kind), Some("ERROR")));
    }
    assert_eq!(seen.len(), failing.len());
    assert!(!format!("{seen:?}").contains("hunter2"), "{seen:#?}");
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_and_closed() {
    let (spans, _guard) = Spans::on_this_thread();
    let gates = Gates::default();
    let slow = builder("slow", "Waits.").handler(move |(): (), _: ToolContext| {
        let gates = gates.clone();
        async move { gates.pass("never").await }
    });
    let session = session(Registry::builder().tool(slow));
    let turn = session.turn().await.unwrap();
    let mut calling = Box::pin(turn.call_all([call("1", "slow")]));
    assert!(poll_once(&mut calling).await.is_none());
    drop(calling);
    let seen = spans.named("execute_tool slow");
    assert_eq!((seen.get("error.type"), seen.closed), (Some("cancelled"), true));
}

#[tokio::test]
async fn a_refused_call_runs_nothing_and_has_no_span() {
    let (spans, _guard) = Spans::on_this_thread();
    let session = session(Registry::builder());
    texts(&session.turn().await.unwrap(), [call("1", "alpha"), call("2", "gone")]).await;
    assert!(spans.all().is_empty());
}

#[tokio::test]
async fn logs_of_parallel_calls_are_each_in_the_span_of_their_call() {
    let (spans, _guard) = Spans::on_this_thread();
    let gates = Gates::default();
    let tool = |name: &'static str| {
        let gates = gates.clone();
        builder(name, "Logs.").handler(move |(): (), _: ToolContext| {
            let gates = gates.clone();
            async move {
                tracing::info!("{name} begins");
                gates.pass(name).await;
                tracing::info!("{name} ends");
            }
        })
    };
    let session = session(Registry::builder().tools([tool("one"), tool("two")]));
    let turn = session.turn().await.unwrap();
    let mut calling = Box::pin(texts(&turn, [call("1", "one"), call("2", "two")]));
    assert!(poll_once(&mut calling).await.is_none());
    gates.open("two");
    assert!(poll_once(&mut calling).await.is_none());
    tracing::info!("outside");
    gates.open("one");
    calling.await;
    for name in ["one", "two"] {
        let seen = spans.named(&format!("execute_tool {name}"));
        assert_eq!(seen.logs, [format!("{name} begins"), format!("{name} ends")]);
        assert_eq!(seen.parent, None);
    }
}

/// Opens a span where it must not hold up others.
#[function_tool(blocking)]
fn blocking_step() -> bool {
    tracing::Span::current().metadata().is_some_and(|metadata| metadata.name() == "execute_tool")
}

#[test]
fn a_blocking_body_runs_inside_of_the_span_of_its_call() {
    let spans = Spans::default();
    let subscriber = tracing_subscriber::registry().with(spans.clone());
    let dispatch = tracing::Dispatch::new(subscriber);
    let of_each_thread = dispatch.clone();
    // The blocking pool has threads of its own; the subscriber is theirs too.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .on_thread_start(move || {
            let guard = tracing::dispatcher::set_default(&of_each_thread);
            std::mem::forget(guard);
        })
        .build()
        .unwrap();
    let _guard = tracing::dispatcher::set_default(&dispatch);
    runtime.block_on(async {
        let session = session(Registry::builder().tools(tools![blocking_step]));
        assert_eq!(texts(&session.turn().await.unwrap(), [call("1", "blocking_step")]).await, ["true"]);
    });
    assert!(spans.named("execute_tool blocking_step").closed);
}

#[tokio::test]
async fn calls_are_inside_of_the_hosts_span_and_calls_of_tools_inside_of_theirs() {
    let (spans, _guard) = Spans::on_this_thread();
    let outer = builder("outer", "Calls.")
        .handler(async |(): (), context: ToolContext| context.call("echo", "{}").await);
    let session = session(Registry::builder().tool(outer));
    let turn = session.turn().await.unwrap();
    texts(&turn, [call("1", "outer"), search("2", "alpha")]).instrument(tracing::info_span!("request")).await;
    let all = spans.all();
    let parent = |name: &str| spans.named(name).parent.map(|place| all[place].name);
    assert_eq!(parent("execute_tool outer"), Some("request"));
    assert_eq!(parent("execute_tool tool_search"), Some("request"));
    assert_eq!(
        spans.named("execute_tool echo").parent.map(|place| all[place].get("otel.name").unwrap()),
        Some("execute_tool outer")
    );
    assert_eq!(spans.named("execute_tool echo").get("gen_ai.tool.call.id"), Some("1"));
}
