//! Discovery tools that users write: a paged catalogue over the session operations.

use tool_core::{
    Registry, RevealOutcome, ToolContext, ToolError, ToolErrorKind, ToolKind, function_tool, tools,
};

use crate::support::{Log, Runs, builder, call, call_with, hidden, names, search, text, texts};

const PAGE: usize = 2;

/// Lists all tools, two a page, and makes them callable.
#[function_tool(discovery)]
fn catalogue(#[default(1)] page: usize, #[context] context: &ToolContext) -> Result<String, ToolError> {
    let operations = context.operations().ok_or_else(|| ToolError::new("outside of a batch"))?;
    let names: Vec<String> = operations
        .deferred()
        .chunks(PAGE)
        .nth(page.saturating_sub(1))
        .unwrap_or_default()
        .iter()
        .map(|tool| tool.name().to_string())
        .collect();
    let revealed = names.iter().map(|name| match operations.reveal(name) {
        RevealOutcome::Revealed(name) => format!("{name}: from your next message"),
        other => format!("{name}: {other:?}"),
    });
    Ok(revealed.collect::<Vec<_>>().join("\n"))
}

fn registry(runs: &Runs, log: &Log) -> Registry {
    let hidden = ["one", "two", "three"].map(|name| runs.hidden(name, "X."));
    Registry::builder()
        .tools(tools![catalogue])
        .tools(hidden)
        .without_search()
        .events(log.clone())
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_users_own_discovery_tool_reveals_like_the_built_in_one() {
    let (runs, log) = (Runs::default(), Log::default());
    let session = registry(&runs, &log).session();
    let first = session.turn().await.unwrap();
    assert_eq!(names(&first), ["catalogue"], "in the list instead of the built-in one");

    let calls = [call("0", "one"), call("1", "catalogue"), call("2", "one"), call("3", "three")];
    let answers = texts(&first, calls).await;
    assert_eq!(answers[1], "one: from your next message\nthree: from your next message");
    for refused in [0, 2, 3] {
        assert!(
            answers[refused].contains("is not in your current tool list. Call catalogue to find tools."),
            "{answers:?}"
        );
    }
    assert!(runs.all().is_empty());
    assert_eq!(log.revealed(), ["one", "three"]);

    let second = session.turn().await.unwrap();
    assert_eq!(names(&second), ["catalogue", "one", "three"]);
    assert_eq!(text(&second, call("4", "three")).await, "three ran");
    text(&second, call_with("5", "catalogue", serde_json::json!({"page": 2}))).await;
    assert_eq!(session.revealed(), ["one", "three", "two"]);
}

#[tokio::test]
async fn it_stands_beside_the_built_in_one_in_the_order_of_names() {
    let runs = Runs::default();
    let registry = Registry::builder()
        .tools(tools![catalogue])
        .tools([runs.hidden("one", "X."), runs.eager("zebra")])
        .build()
        .unwrap();
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn), ["zebra", "catalogue", "tool_search"]);
    assert_eq!(
        text(&turn, call("1", "one")).await,
        "Tool 'one' is not in your current tool list. Call catalogue to find tools. Call tool_search to find tools."
    );
}

#[tokio::test]
async fn at_most_three_ways_are_named_in_a_refusal() {
    let ways = ["way_a", "way_b", "way_c", "way_d"].map(|name| {
        builder(name, "Discovers.").kind(ToolKind::Discovery).handler(async |(): (), _: ToolContext| "")
    });
    let registry =
        Registry::builder().tools(ways).tool(hidden("one", "X.")).without_search().build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    assert_eq!(
        text(&turn, call("1", "one")).await,
        "Tool 'one' is not in your current tool list. Call way_a to find tools. Call way_b to find tools. \
         Call way_c to find tools."
    );
}

#[tokio::test]
async fn ordinary_tools_have_no_session_operations() {
    let nosy = builder("nosy", "Looks.")
        .handler(async |(): (), context: ToolContext| context.operations().is_some());
    let registry = Registry::builder().tools([nosy, hidden("one", "X.")]).build().unwrap();
    let session = registry.session();
    assert_eq!(text(&session.turn().await.unwrap(), call("1", "nosy")).await, "false");
    assert_eq!(session.call("nosy", "{}").await.unwrap().to_text(), "false");
}

#[tokio::test]
async fn operations_that_are_kept_longer_than_their_batch_change_nothing() {
    use std::sync::{Arc, Mutex};
    let kept: Arc<Mutex<Option<tool_core::SessionOperations>>> = Arc::default();
    let keeping = {
        let kept = Arc::clone(&kept);
        builder("keeping", "Keeps.").kind(ToolKind::Discovery).handler(move |(): (), context: ToolContext| {
            let kept = Arc::clone(&kept);
            async move { *kept.lock().unwrap() = context.operations().cloned() }
        })
    };
    let registry = Registry::builder().tools([keeping, hidden("one", "X.")]).build().unwrap();
    let session = registry.session();
    text(&session.turn().await.unwrap(), call("1", "keeping")).await;
    let operations = kept.lock().unwrap().take().unwrap();
    assert_eq!(operations.reveal("one"), RevealOutcome::BatchEnded);
    assert!(session.revealed().is_empty());
}

#[tokio::test]
async fn discovery_calls_of_one_batch_see_the_ones_before_them() {
    let (runs, log) = (Runs::default(), Log::default());
    let session = registry(&runs, &log).session();
    let twice = texts(&session.turn().await.unwrap(), [call("1", "catalogue"), call("2", "catalogue")]).await;
    assert!(twice[0].contains("one: from your next message"), "{twice:?}");
    assert!(twice[1].contains("one: AlreadyVisible"), "{twice:?}");
    assert_eq!(session.revealed(), ["one", "three"]);
}

#[tokio::test]
async fn a_discovery_tool_is_not_called_from_inside_a_tool() {
    let sly = builder("sly", "Searches behind the scenes.").handler(async |(): (), context: ToolContext| {
        context.call("tool_search", serde_json::json!({"query": "sought"})).await
    });
    let registry = Registry::builder().tools([sly, hidden("one", "Sought.")]).build().unwrap();
    let session = registry.session();
    let results = session.turn().await.unwrap().call_all([call("1", "sly")]).await.into_results();
    assert!(!results[0].succeeded());
    assert!(session.revealed().is_empty());
}

#[tokio::test]
async fn a_discovery_tool_that_fails_or_panics_keeps_what_others_revealed() {
    let failing = builder("failing", "Fails.").kind(ToolKind::Discovery).handler(
        async |(): (), context: ToolContext| {
            context.operations().unwrap().reveal("two");
            Err::<(), _>(ToolError::new("no"))
        },
    );
    let panicking = builder("panicking", "Panics.")
        .kind(ToolKind::Discovery)
        .handler(async |(): (), _: ToolContext| -> () { panic!("boom") });
    let registry = Registry::builder()
        .tools([failing, panicking, hidden("one", "Sought."), hidden("two", "X.")])
        .build()
        .unwrap();
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    let calls = [call("1", "failing"), search("2", "sought"), call("3", "panicking")];
    let results = turn.call_all(calls).await.into_results();
    let kinds: Vec<_> = results
        .iter()
        .map(|result| match &result.outcome {
            tool_core::CallOutcome::Failed(error) => Some(error.kind()),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, [Some(ToolErrorKind::Failed), None, Some(ToolErrorKind::Panicked)]);
    assert_eq!(session.revealed(), ["two", "one"]);
}
