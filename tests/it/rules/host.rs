//! Host and model differ: the host's calls pass no gate; a call from inside a tool is judged like the model's.

use std::time::Duration;

use tool_core::{FunctionTool, Registry, ToolContext, ToolErrorKind, ToolPattern};

use crate::support::{Log, Runs, builder, call, ends, names, search, text};

fn never(_: &ToolContext) -> bool {
    false
}

fn calling(name: &str, target: &'static str) -> FunctionTool {
    builder(name, "Calls another.")
        .handler(move |(): (), context: ToolContext| async move { context.call(target, "{}").await })
}

#[tokio::test]
async fn the_host_calls_hidden_tools_and_reveals_nothing() {
    let runs = Runs::default();
    let registry = Registry::builder().tool(runs.hidden("secret", "S.")).build().unwrap();
    let session = registry.session();
    assert_eq!(session.call("secret", "{}").await.unwrap().to_text(), "secret ran");
    assert_eq!(runs.all(), ["secret"]);
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search"]);
}

#[tokio::test(start_paused = true)]
async fn decoding_time_outs_and_enabled_hold_for_the_host() {
    let runs = Runs::default();
    let slow = builder("slow", "Never ends.")
        .timeout(Duration::from_secs(5))
        .handler(|(): (), _: ToolContext| std::future::pending::<()>());
    let registry = Registry::builder()
        .tools([
            runs.eager("echo"),
            slow,
            runs.tool(builder("disabled", "D.").enabled(never)),
            runs.eager("denied"),
        ])
        .deny([ToolPattern::new("denied").unwrap()])
        .build()
        .unwrap();
    let session = registry.session();
    let kind =
        async |name: &str, arguments: &str| ends(session.call(name, arguments)).await.unwrap_err().kind();
    assert_eq!(kind("echo", r#"{"x":1}"#).await, ToolErrorKind::InvalidArguments);
    assert_eq!(kind("slow", "{}").await, ToolErrorKind::TimedOut);
    for name in ["disabled", "denied", "unknown"] {
        assert_eq!(kind(name, "{}").await, ToolErrorKind::Failed, "{name}");
    }
    assert!(runs.all().is_empty());
}

#[tokio::test]
async fn a_search_of_the_host_reveals_when_it_ends() {
    let registry = Registry::builder().tool(Runs::default().hidden("secret", "S.")).build().unwrap();
    let session = registry.session();
    session.call("tool_search", r#"{"query":"secret"}"#).await.unwrap();
    assert_eq!(session.revealed(), ["secret"]);
}

#[tokio::test]
async fn a_call_from_inside_a_tool_is_judged_by_the_list_of_its_turn() {
    let (runs, log) = (Runs::default(), Log::default());
    let registry = Registry::builder()
        .tools([
            calling("outer", "secret"),
            calling("outer_echo", "echo"),
            runs.hidden("secret", "S."),
            runs.eager("echo"),
        ])
        .events(log.clone())
        .build()
        .unwrap();
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    let refused = text(&turn, call("1", "outer")).await;
    assert_eq!(refused, "Tool 'secret' is not in your current tool list. Call tool_search to find tools.");
    assert!(runs.all().is_empty());
    assert_eq!(log.refusals().len(), 1);
    assert_eq!(text(&turn, call("2", "outer_echo")).await, "echo ran");

    text(&turn, search("3", "secret")).await;
    assert!(text(&turn, call("4", "outer")).await.contains("not in your current tool list"), "the same turn");
    assert_eq!(text(&session.turn().await.unwrap(), call("5", "outer")).await, "secret ran");
}

#[tokio::test]
async fn a_call_from_inside_a_host_call_is_the_hosts() {
    let runs = Runs::default();
    let registry =
        Registry::builder().tools([calling("outer", "secret"), runs.hidden("secret", "S.")]).build().unwrap();
    assert_eq!(registry.session().call("outer", "{}").await.unwrap().to_text(), "secret ran");
}

#[tokio::test]
async fn calls_go_through_any_number_of_tools() {
    let runs = Runs::default();
    let registry = Registry::builder()
        .tools([calling("a", "b"), calling("b", "c"), calling("c", "d"), runs.eager("d")])
        .build()
        .unwrap();
    assert_eq!(text(&registry.session().turn().await.unwrap(), call("1", "a")).await, "d ran");
}
