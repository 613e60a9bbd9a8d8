//! Bad input is an answer: one bounded result per call, one event per call, and the session goes on.

use std::time::Duration;

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::{
    ApprovalFuture, ApprovalPolicy, ApprovalRequest, Arguments, Catalog, FunctionTool, RankFuture, Ranker,
    Registry, SessionEvent, ToolCall, ToolContext, ToolError, ToolGroup, ToolOutput, ToolPattern, ToolSearch,
};

use super::scripts::{failing, panicking};
use crate::support::{Log, block_on, builder, call, eager, hidden, names, text, texts};

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Order {
    item: String,
    count: u8,
    #[serde(default)]
    notes: Vec<Note>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
enum Note {
    Gift,
    Text(String),
    Nested { inner: Option<Box<Note>> },
}

fn order() -> FunctionTool {
    builder("order", "Takes an order.").handler(async |_: Order, _: ToolContext| "ordered")
}

/// Repeats its arguments, however long.
fn raw() -> FunctionTool {
    builder("raw", "Repeats.").raw(r#"{"type":"object"}"#, async |arguments: Arguments, _: ToolContext| {
        arguments.to_text().repeat(20)
    })
}

fn registry(log: &Log) -> Registry {
    Registry::builder()
        .tools([order(), raw(), failing(), panicking(), hidden("secret", "S.")])
        .events(log.clone())
        .build()
        .unwrap()
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    let names = ["item", "count", "notes", "query", "top_k", "Gift", "Nested", "inner", "itm", "\u{1b}[31mx"];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        let name = prop_oneof![prop::sample::select(names.to_vec()).prop_map(str::to_owned), any::<String>()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::hash_map(name, inner, 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn arguments() -> impl Strategy<Value = Arguments> {
    prop_oneof![
        value().prop_map(Arguments::from),
        value().prop_map(|value| Arguments::from(value.to_string())),
        value().prop_map(|value| Arguments::from(Value::from(value.to_string()))),
        any::<String>().prop_map(Arguments::from),
        // JSON that breaks off.
        (value(), any::<prop::sample::Index>()).prop_map(|(value, at)| {
            let mut text = value.to_string();
            let cut = text.char_indices().map(|(at, _)| at).nth(at.index(text.chars().count())).unwrap();
            text.truncate(cut);
            Arguments::from(text)
        }),
    ]
}

fn any_call() -> impl Strategy<Value = ToolCall> {
    let tools = ["order", "raw", "failing", "panicking", "tool_search", "secret", "none"];
    let name =
        prop_oneof![4 => prop::sample::select(tools.to_vec()).prop_map(str::to_owned), 1 => any::<String>()];
    ("[0-4]|", name, arguments()).prop_map(|(id, name, arguments)| ToolCall::new(id, name, arguments))
}

/// The id of the call that an event ends.
fn ended(event: &SessionEvent) -> Option<&str> {
    match event {
        SessionEvent::Called { call_id, .. }
        | SessionEvent::Failed { call_id, .. }
        | SessionEvent::Refused { call_id, .. } => Some(call_id),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_call_has_one_bounded_result_and_one_event(calls in prop::collection::vec(any_call(), 0..8)) {
        block_on(async {
            let log = Log::default();
            let session = registry(&log).session();
            let turn = session.turn().await.unwrap();
            let results = turn.call_all(calls.clone()).await.into_results();
            assert_eq!(results.len(), calls.len());
            for (call, result) in calls.iter().zip(&results) {
                assert_eq!((&call.id, &call.name), (&result.call_id, &result.name));
                assert!(result.text().len() <= 64 * 1024 + 100, "{} bytes", result.text().len());
            }
            let events = log.all();
            let mut ended: Vec<_> = events.iter().filter_map(ended).collect();
            let mut ids: Vec<_> = calls.iter().map(|call| call.id.as_str()).collect();
            ended.sort_unstable();
            ids.sort_unstable();
            assert_eq!(ended, ids);
            assert!(names(&session.turn().await.unwrap()).contains(&"order".to_owned()));
        });
    }

    #[test]
    fn errors_are_one_clean_line(arguments in arguments()) {
        block_on(async {
            let session = registry(&Log::default()).session();
            if let Err(error) = session.call("order", arguments).await {
                let message = error.model_message();
                assert!(!message.is_empty() && message.len() <= 2_000, "{} bytes", message.len());
                assert!(!message.chars().any(char::is_control), "{message:?}");
            }
        });
    }
}

#[tokio::test]
async fn results_of_many_parts_are_cut_together() {
    let parts = builder("parts", "Two long texts.").handler(async |(): (), _: ToolContext| {
        ToolOutput::text("ä".repeat(20 * 1024))
            .with_image("image/png", "AA==")
            .with_text("é".repeat(20 * 1024))
    });
    let registry = Registry::builder().tool(parts).build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    let output = turn.call_all([call("1", "parts")]).await.into_results().remove(0).into_output();
    let lengths: Vec<_> = output
        .parts()
        .iter()
        .map(|part| match part {
            tool_core::ContentPart::Text { text } => text.len(),
            _ => 0,
        })
        .collect();
    assert_eq!(lengths[..3], [40 * 1024, 0, 24 * 1024]);
    assert_eq!(output.to_text().lines().last().unwrap(), "[cut: 16384 more bytes]");
}

#[tokio::test]
async fn a_failing_sink_does_not_fail_the_call() {
    struct Broken;
    impl tool_core::EventSink for Broken {
        fn on_event(&self, _: &SessionEvent, _: &tool_core::EventContext<'_>) {
            panic!("broken sink")
        }
    }
    let registry = Registry::builder().tool(crate::support::eager("echo")).events(Broken).build().unwrap();
    assert_eq!(text(&registry.session().turn().await.unwrap(), call("1", "echo")).await, "echo ran");
}

#[tokio::test]
async fn a_deeply_nested_argument_is_answered() {
    let deep = format!("{}{}", r#"{"item":"#, "[".repeat(100_000));
    let log = Log::default();
    let turn = registry(&log).session().turn().await.unwrap();
    let answer = text(&turn, ToolCall::new("1", "order", deep)).await;
    assert!(answer.starts_with("Invalid JSON input: ") || answer.starts_with("item"), "{answer}");
    let answer = text(&turn, ToolCall::new("2", "order", json!({"item": 5}))).await;
    assert_eq!(answer, "item: invalid type: integer `5`, expected a string");
}

/// Never ready, and panics when it is dropped.
struct Grenade;

impl Drop for Grenade {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

impl Grenade {
    async fn wait<T>() -> T {
        let _held = Self;
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_tool_that_panics_when_its_time_out_drops_it_fails_alone() {
    tokio::time::pause();
    let slow = builder("slow", "Never ends.")
        .timeout(Duration::from_secs(1))
        .handler(async |(): (), _: ToolContext| Grenade::wait::<&str>().await);
    let session = Registry::builder().tools([slow, eager("echo")]).build().unwrap().session();
    let answers = texts(&session.turn().await.unwrap(), [call("1", "slow"), call("2", "echo")]).await;
    assert_eq!(answers, ["the tool did not answer within 1s", "echo ran"]);
}

#[test]
fn a_time_out_where_nothing_can_be_timed_does_not_panic() {
    let yields = builder("yields", "Takes two polls.").timeout(Duration::from_secs(1)).handler(
        async |(): (), _: ToolContext| {
            tokio::task::yield_now().await;
            "done"
        },
    );
    let session = Registry::builder().tool(yields).build().unwrap().session();
    let answer = async || text(&session.turn().await.unwrap(), call("1", "yields")).await;
    assert_eq!(futures_util::FutureExt::now_or_never(answer()).as_deref(), Some("done"));
    let without_timers = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert_eq!(without_timers.block_on(answer()), "done");
}

#[tokio::test]
async fn a_long_unknown_argument_of_a_discovery_tool_is_echoed_short() {
    let session = Registry::builder().tool(hidden("pay", "Pay.")).build().unwrap().session();
    let odd = json!({ "query": "pay", "\u{202e}key".repeat(1_000): 1 });
    let answer = text(&session.turn().await.unwrap(), ToolCall::new("1", "tool_search", odd)).await;
    let echo: String = "key".repeat(1_000).chars().take(64).collect();
    assert_eq!(answer, format!("unknown argument `{echo}`; expected `query` or `top_k`"));
}

#[tokio::test(start_paused = true)]
async fn a_policy_a_ranker_and_a_builder_that_panic_when_dropped_late_are_late_and_no_more() {
    struct Policy;
    impl ApprovalPolicy for Policy {
        fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
            Box::pin(Grenade::wait())
        }
    }
    struct Late;
    impl Ranker for Late {
        fn rank<'a>(&'a self, _: &'a str, _: &'a Catalog) -> RankFuture<'a> {
            Box::pin(Grenade::wait())
        }
    }
    let group = ToolGroup::lazy("web", "Web.", async |_: ToolContext| {
        Grenade::wait::<Result<Vec<FunctionTool>, ToolError>>().await
    });
    let registry = Registry::builder()
        .tools([eager("pay"), hidden("secret", "A secret.")])
        .search(ToolSearch::new().ranker(Late))
        .group(group)
        .approval(Policy)
        .require_approval([ToolPattern::new("pay").unwrap()])
        .build()
        .unwrap();
    let session = registry.session();
    let load = ToolCall::new("2", "load_tools", json!({"name": "web"}));
    let calls = [ToolCall::new("1", "pay", "{}"), load, crate::support::search("3", "secret")];
    let answers = texts(&session.turn().await.unwrap(), calls).await;
    assert_eq!(answers[0], "Tool 'pay' was not approved: the approval could not be asked for");
    assert_eq!(answers[1], "Could not load 'web': the build took more than 60s");
    assert!(answers[2].starts_with(r#"[{"name":"secret""#), "{answers:?}");
}
