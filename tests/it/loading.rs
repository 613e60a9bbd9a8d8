//! One suite of behaviours for tools in every list and for hidden ones that a search revealed: what a tool does must not
//! depend on how the model came to see it.
#![allow(clippy::ptr_arg, reason = "a host value is looked up by its owned type")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tool_core::{
    Arguments, CallOutcome, CallResult, FunctionTool, FunctionToolBuilder, Json, Loading, Registry,
    RegistryBuilder, ResultStatus, Session, Tool, ToolCall, ToolContext, ToolDefinition, ToolError,
    ToolErrorKind, ToolFuture, ToolOptions, ToolOutput, Turn, function_tool,
};

use crate::support::{builder, eager, names, poll_once, search};

/// The name of the tool that a behaviour is about.
const NAME: &str = "subject";

fn subject(loading: Loading) -> FunctionToolBuilder {
    builder(NAME, "What this is about.").loading(loading)
}

/// A session in whose next turn the subject is listed: at once, or after a search.
async fn session(registry: Registry, loading: Loading) -> Session {
    let session = registry.session();
    if loading == Loading::Deferred {
        let turn = session.turn().await.unwrap();
        assert!(!names(&turn).contains(&NAME.to_owned()));
        turn.call_all([search("find", NAME)]).await;
    }
    session
}

async fn listed(registry: RegistryBuilder, loading: Loading) -> Turn {
    // So that both have a list of several tools.
    let registry = registry.tool(eager("another")).build().unwrap();
    let turn = session(registry, loading).await.turn().await.unwrap();
    assert!(names(&turn).contains(&NAME.to_owned()), "{turn:?}");
    turn
}

async fn call(tool: impl Tool, loading: Loading, arguments: impl Into<Arguments>) -> CallResult {
    let turn = listed(Registry::builder().tool(tool), loading).await;
    turn.call_all([ToolCall::new("1", NAME, arguments)]).await.into_results().remove(0)
}

fn failure(result: &CallResult) -> &ToolError {
    match &result.outcome {
        CallOutcome::Failed(error) => error,
        other => panic!("{other:?}"),
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Sum {
    a: i64,
    #[serde(default)]
    b: i64,
}

fn add(loading: Loading) -> FunctionTool {
    subject(loading).handler(async |sum: Sum, _: ToolContext| format!("{}", sum.a + sum.b))
}

async fn arguments_reach_the_handler(loading: Loading) {
    for arguments in [json!({"a": 1, "b": 2}), json!(r#"{"a":1,"b":2}"#)] {
        assert_eq!(call(add(loading), loading, arguments.clone()).await.text(), "3");
        assert_eq!(call(add(loading), loading, arguments.to_string()).await.text(), "3");
    }
    assert_eq!(call(add(loading), loading, json!({"a": 1})).await.text(), "1");
}

async fn bad_arguments_are_told_in_words(loading: Loading) {
    for (arguments, expected) in [
        (json!({}).into(), "missing argument `a`"),
        (json!({"a": "x"}).into(), "a: invalid type: string \"x\", expected i64"),
        (json!({"a": 1, "zz": 2}).into(), "unknown argument `zz`; expected one of `a`, `b`"),
        (json!([1]).into(), "the arguments must be a JSON object, not an array"),
        (Arguments::from("{"), "Invalid JSON input: "),
    ] {
        let result = call(add(loading), loading, arguments).await;
        assert!(result.text().starts_with(expected), "{result}");
        assert_eq!(failure(&result).kind(), ToolErrorKind::InvalidArguments);
        assert_eq!(result.status(), ResultStatus::Failed);
    }
}

async fn a_panic_is_a_result(loading: Loading) {
    let before_awaiting =
        subject(loading).handler(|(): (), _: ToolContext| -> std::future::Ready<()> { panic!("boom") });
    let while_running =
        subject(loading).handler(async |(): (), _: ToolContext| -> () { panic!("b{}", "oom") });
    let blocking = subject(loading).blocking(|(): (), _: ToolContext| -> () { panic!("boom") });
    for tool in [before_awaiting, while_running, blocking] {
        let result = call(tool, loading, "{}").await;
        assert_eq!(result.text(), "The tool failed unexpectedly.");
        assert_eq!(failure(&result).kind(), ToolErrorKind::Panicked);
        assert!(failure(&result).to_string().contains("boom"), "{:?}", failure(&result));
    }
}

async fn a_time_out_is_a_result(loading: Loading) {
    let tool = subject(loading)
        .timeout(Duration::from_secs(30))
        .handler(|(): (), _: ToolContext| std::future::pending::<()>());
    let started = tokio::time::Instant::now();
    let result = call(tool, loading, "{}").await;
    assert_eq!(result.text(), "the tool did not answer within 30s");
    assert_eq!(failure(&result).kind(), ToolErrorKind::TimedOut);
    let waited = started.elapsed();
    assert!(waited >= Duration::from_secs(30) && waited < Duration::from_secs(31), "{waited:?}");
}

async fn a_tool_that_is_in_time_is_not_cut_off(loading: Loading) {
    let tool =
        subject(loading).timeout(Duration::from_secs(30)).handler(async |(): (), context: ToolContext| {
            tokio::time::sleep(Duration::from_secs(29)).await;
            assert!(context.deadline().is_some());
            "in time"
        });
    assert_eq!(call(tool, loading, "{}").await.text(), "in time");
}

async fn without_a_time_out_a_tool_may_take_a_day(loading: Loading) {
    let tool = subject(loading).handler(async |(): (), context: ToolContext| {
        tokio::time::sleep(Duration::from_secs(86_400)).await;
        assert!(context.deadline().is_none());
        "done"
    });
    assert_eq!(call(tool, loading, "{}").await.text(), "done");
}

async fn a_timed_out_call_is_cancelled(loading: Loading) {
    let token = Arc::new(Mutex::new(None));
    let tool = {
        let token = Arc::clone(&token);
        subject(loading).timeout(Duration::from_secs(1)).handler(move |(): (), context: ToolContext| {
            *token.lock().unwrap() = Some(context.cancellation().clone());
            std::future::pending::<()>()
        })
    };
    call(tool, loading, "{}").await;
    assert!(token.lock().unwrap().take().unwrap().is_cancelled());
}

async fn an_error_keeps_its_two_texts(loading: Loading) {
    let tool = subject(loading).handler(async |(): (), _: ToolContext| {
        Err::<(), _>(ToolError::new("10.0.0.7 refused").for_model("Not reachable."))
    });
    let result = call(tool, loading, "{}").await;
    assert_eq!(result.text(), "Not reachable.");
    assert_eq!(failure(&result).to_string(), "10.0.0.7 refused");
    assert_eq!(failure(&result).kind(), ToolErrorKind::Failed);
    assert!(!result.succeeded() && !result.refused());
}

async fn an_error_is_one_line_and_cut(loading: Loading) {
    let tool = subject(loading).handler(async |(): (), _: ToolContext| {
        Err::<(), _>(format!("two\nlines \u{1b}[31m{}", "x".repeat(9_000)))
    });
    let result = call(tool, loading, "{}").await;
    let text = result.text();
    assert!(text.starts_with("two lines xxx") && text.ends_with('…') && text.len() <= 2_000, "{text}");
}

async fn the_context_says_whose_call_it_is(loading: Loading) {
    let tool = subject(loading).handler(async |(): (), context: ToolContext| {
        format!("{} {}", context.call_id(), context.tool_name().unwrap())
    });
    assert_eq!(call(tool, loading, "{}").await.text(), "1 subject");
}

/// Reads a host value.
#[function_tool(name = "subject")]
fn eager_greeting(#[context] greeting: &String) -> String {
    greeting.clone()
}

/// Reads a host value.
#[function_tool(name = "subject", defer_loading)]
fn deferred_greeting(#[context] greeting: &String) -> String {
    greeting.clone()
}

async fn host_values_reach_annotated_tools(loading: Loading) {
    let tool = match loading {
        Loading::Eager => eager_greeting::TOOL,
        Loading::Deferred => deferred_greeting::TOOL,
    };
    let turn = listed(Registry::builder().tool(tool).state("hello".to_owned()), loading).await;
    let results = turn.call_all([ToolCall::new("1", NAME, "")]).await.into_results();
    assert_eq!(results[0].text(), "hello");
}

async fn json_has_a_schema_and_a_structured_value(loading: Loading) {
    let tool = subject(loading).handler(async |sum: Sum, _: ToolContext| Json(sum));
    let turn = listed(Registry::builder().tool(tool), loading).await;
    let definition = turn.tools().find(|tool| *tool.name() == NAME).unwrap();
    assert!(definition.output_schema().unwrap().is_some());
    let results = turn.call_all([ToolCall::new("1", NAME, json!({"a": 1, "b": 2}))]).await.into_results();
    let output = results[0].to_output();
    assert_eq!(output.structured(), Some(&json!({"a": 1, "b": 2})));
    assert_eq!(output.to_text(), r#"{"a":1,"b":2}"#);
}

async fn images_and_several_parts_stay_apart(loading: Loading) {
    let tool = subject(loading)
        .handler(async |(): (), _: ToolContext| ToolOutput::text("a chart").with_image("image/png", "AAAA"));
    let result = call(tool, loading, "{}").await;
    assert_eq!(result.text(), "a chart\n[image: image/png]");
    assert_eq!(result.into_output().parts().len(), 2);
}

async fn unit_reads_ok_and_text_has_no_quotes(loading: Loading) {
    let unit = subject(loading).handler(async |(): (), _: ToolContext| {});
    assert_eq!(call(unit, loading, "").await.text(), "ok");
    let text = subject(loading).handler(async |(): (), _: ToolContext| "say \"hi\"");
    assert_eq!(call(text, loading, "null").await.text(), "say \"hi\"");
}

async fn results_are_cut_at_64_kib_with_a_notice(loading: Loading) {
    for (bytes, cut) in [(64 * 1024, 0), (64 * 1024 + 1, 1), (100_000, 100_000 - 64 * 1024)] {
        let tool = subject(loading).handler(move |(): (), _: ToolContext| async move { "x".repeat(bytes) });
        let result = call(tool, loading, "{}").await;
        if cut == 0 {
            assert_eq!(result.text().len(), bytes);
        } else {
            let text = result.text();
            let (kept, notice) = text.rsplit_once('\n').unwrap();
            assert_eq!((kept.len(), notice), (64 * 1024, format!("[cut: {cut} more bytes]").as_str()));
        }
    }
    // Cut between characters, never inside one.
    let umlauts = subject(loading).handler(async |(): (), _: ToolContext| format!("x{}", "ä".repeat(40_000)));
    assert!(call(umlauts, loading, "{}").await.text().contains("ä\n[cut: "));
}

async fn dropping_the_batch_cancels(loading: Loading) {
    let token = Arc::new(Mutex::new(None));
    let tool = {
        let token = Arc::clone(&token);
        subject(loading).handler(move |(): (), context: ToolContext| {
            *token.lock().unwrap() = Some(context.cancellation().clone());
            std::future::pending::<()>()
        })
    };
    let turn = listed(Registry::builder().tool(tool), loading).await;
    let mut batch = Box::pin(turn.call_all([ToolCall::new("1", NAME, "{}")]));
    assert!(poll_once(&mut batch).await.is_none());
    let token = token.lock().unwrap().take().unwrap();
    assert!(!token.is_cancelled());
    drop(batch);
    assert!(token.is_cancelled());
}

async fn a_blocking_body_runs_on_another_thread(loading: Loading) {
    let here = std::thread::current().id();
    let tool = subject(loading).blocking(move |(): (), _: ToolContext| std::thread::current().id() == here);
    assert_eq!(call(tool, loading, "{}").await.text(), "false");
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

async fn layers_are_passed_from_outside_in_and_only_behind_the_gate(loading: Loading) {
    let passed = Arc::new(Mutex::new(Vec::new()));
    let layer = |name| {
        let passed = Arc::clone(&passed);
        move |inner| Layer { inner, name, passed: Arc::clone(&passed) }
    };
    let registry = Registry::builder().tool(add(loading)).wrap(layer("inner")).wrap(layer("outer"));
    let turn = listed(registry, loading).await;
    passed.lock().unwrap().clear();
    let calls = [ToolCall::new("1", "unknown", "{}"), ToolCall::new("2", NAME, json!({"a": 2}))];
    let results = turn.call_all(calls).await.into_results();
    assert_eq!(results[1].text(), "2");
    assert_eq!(*passed.lock().unwrap(), ["outer subject", "inner subject"]);
}

async fn enabled_is_asked_at_the_turn_and_at_the_call(loading: Loading) {
    struct Switch(std::sync::atomic::AtomicBool);
    fn switched(context: &ToolContext) -> bool {
        context.get::<Switch>().unwrap().0.load(std::sync::atomic::Ordering::SeqCst)
    }
    let switch = Arc::new(Switch(true.into()));
    let set = |on| switch.0.store(on, std::sync::atomic::Ordering::SeqCst);
    let tool = subject(loading).enabled(switched).handler(async |(): (), _: ToolContext| "ran");
    let registry = Registry::builder().tool(tool).state_arc(Arc::clone(&switch)).build().unwrap();
    let session = session(registry, loading).await;
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

async fn an_enabled_that_panics_is_a_no(loading: Loading) {
    fn angry(_: &ToolContext) -> bool {
        panic!("no")
    }
    let tool = subject(loading).enabled(angry).handler(async |(): (), _: ToolContext| "ran");
    let registry = Registry::builder().tool(tool).build().unwrap();
    let session = session(registry, loading).await;
    let turn = session.turn().await.unwrap();
    assert!(!names(&turn).contains(&NAME.to_owned()));
    assert!(turn.call_all([ToolCall::new("1", NAME, "{}")]).await.into_results()[0].refused());
}

async fn calls_of_one_batch_run_side_by_side(loading: Loading) {
    let barrier = Arc::new(tokio::sync::Barrier::new(3));
    let tool = {
        subject(loading).handler(move |(): (), context: ToolContext| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                context.call_id().to_owned()
            }
        })
    };
    let turn = listed(Registry::builder().tool(tool), loading).await;
    let results = turn.call_all(["a", "b", "c"].map(|id| ToolCall::new(id, NAME, "{}"))).await.into_results();
    let texts: Vec<_> = results.iter().map(|result| result.text().into_owned()).collect();
    assert_eq!(texts, ["a", "b", "c"]);
}

async fn the_definition_is_the_declared_one(loading: Loading) {
    let turn = listed(Registry::builder().tool(add(loading)), loading).await;
    let definition = turn.tools().find(|tool| *tool.name() == NAME).unwrap();
    assert_eq!(
        serde_json::to_string(definition).unwrap(),
        concat!(
            r#"{"name":"subject","description":"What this is about.","inputSchema":{"type":"object","#,
            r#""properties":{"a":{"type":"integer"},"b":{"type":"integer","default":0}},"required":["a"],"#,
            r#""additionalProperties":false}}"#
        )
    );
}

/// Each behaviour as two tests, with the clock stopped.
macro_rules! suite {
    ($($behaviour:ident)*) => {
        mod eager_tools {
            $(#[tokio::test(start_paused = true)]
            async fn $behaviour() {
                crate::support::ends(super::$behaviour(tool_core::Loading::Eager)).await;
            })*
        }

        mod revealed_tools {
            $(#[tokio::test(start_paused = true)]
            async fn $behaviour() {
                crate::support::ends(super::$behaviour(tool_core::Loading::Deferred)).await;
            })*
        }
    };
}

suite! {
    arguments_reach_the_handler
    bad_arguments_are_told_in_words
    a_panic_is_a_result
    a_time_out_is_a_result
    a_tool_that_is_in_time_is_not_cut_off
    without_a_time_out_a_tool_may_take_a_day
    a_timed_out_call_is_cancelled
    an_error_keeps_its_two_texts
    an_error_is_one_line_and_cut
    the_context_says_whose_call_it_is
    host_values_reach_annotated_tools
    json_has_a_schema_and_a_structured_value
    images_and_several_parts_stay_apart
    unit_reads_ok_and_text_has_no_quotes
    results_are_cut_at_64_kib_with_a_notice
    dropping_the_batch_cancels
    a_blocking_body_runs_on_another_thread
    layers_are_passed_from_outside_in_and_only_behind_the_gate
    enabled_is_asked_at_the_turn_and_at_the_call
    an_enabled_that_panics_is_a_no
    calls_of_one_batch_run_side_by_side
    the_definition_is_the_declared_one
}
