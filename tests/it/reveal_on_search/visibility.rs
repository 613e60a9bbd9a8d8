//! What a request lists before and after a search.

use proptest::prelude::*;
use serde_json::json;
use tool_core::Registry;

use crate::support::{Runs, bytes, call, eager, hidden, hits, names, search, text, texts};

#[tokio::test]
async fn hidden_tools_are_absent_from_the_bytes_until_the_turn_after_a_hit() {
    let registry = Registry::builder()
        .tool(eager("echo"))
        .tool(hidden("payment_processor", "Charges a credit card."))
        .tool(hidden("schema_migrator", "Changes tables."))
        .build()
        .unwrap();
    let session = registry.session();
    let first = session.turn().await.unwrap();
    assert_eq!(names(&first), ["echo", "tool_search"]);
    for word in ["payment_processor", "credit card", "schema_migrator", "tables"] {
        assert!(!bytes(&first).contains(word), "{word}");
    }

    text(&first, search("1", "credit card")).await;
    assert_eq!(names(&first), ["echo", "tool_search"], "a turn never changes");

    let second = session.turn().await.unwrap();
    assert_eq!(names(&second), ["echo", "tool_search", "payment_processor"]);
    assert!(bytes(&second).contains("Charges a credit card."));
    assert!(!bytes(&second).contains("schema_migrator"));
    let charged = text(&second, call("2", "payment_processor")).await;
    assert_eq!(charged, "payment_processor ran");
}

#[tokio::test]
async fn revealed_tools_stay_for_the_whole_session() {
    let registry =
        Registry::builder().tools([hidden("one", "First."), hidden("two", "Second.")]).build().unwrap();
    let session = registry.session();
    text(&session.turn().await.unwrap(), search("1", "first")).await;
    for query in ["second", "", "nonsense", "second", "first"] {
        text(&session.turn().await.unwrap(), search("2", query)).await;
        assert!(names(&session.turn().await.unwrap()).contains(&"one".to_owned()), "after {query:?}");
    }
    assert_eq!(session.revealed(), ["one", "two"]);
}

#[tokio::test]
async fn without_deferred_tools_there_is_no_search_tool() {
    let registry = Registry::builder().tools([eager("b"), eager("a")]).build().unwrap();
    assert_eq!(names(&registry.session().turn().await.unwrap()), ["a", "b"]);
    let set_up = Registry::builder()
        .tools([eager("b"), eager("a")])
        .search(tool_core::ToolSearch::new())
        .build()
        .unwrap();
    assert_eq!(names(&set_up.session().turn().await.unwrap()), ["a", "b"]);
    assert_eq!(
        bytes(&set_up.session().turn().await.unwrap()),
        bytes(&registry.session().turn().await.unwrap())
    );
}

#[tokio::test]
async fn without_search_and_deferred_tools_the_list_is_the_eager_tools() {
    let registry = Registry::builder().tools([eager("b"), eager("a")]).without_search().build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    assert_eq!(names(&turn), ["a", "b"]);
    assert_eq!(
        bytes(&turn),
        serde_json::to_string(&registry.definitions()).unwrap(),
        "nothing is added and nothing changed"
    );
}

#[tokio::test]
async fn the_search_tool_stays_when_everything_is_found() {
    let registry = Registry::builder().tool(hidden("only", "The only one.")).build().unwrap();
    let session = registry.session();
    text(&session.turn().await.unwrap(), search("1", "only")).await;
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search", "only"]);
}

#[tokio::test]
async fn the_list_can_be_asked_for_any_number_of_times() {
    let registry = Registry::builder().tool(hidden("one", "First.")).build().unwrap();
    let session = registry.session();
    text(&session.turn().await.unwrap(), search("1", "first")).await;
    let expected = bytes(&session.turn().await.unwrap());
    for _ in 0..10 {
        assert_eq!(bytes(&session.turn().await.unwrap()), expected);
    }
}

#[tokio::test]
async fn parallel_searches_of_one_batch_reveal_the_union() {
    let tools = ["alpha", "beta", "gamma", "delta"];
    let registry = Registry::builder().tools(tools.map(|name| hidden(name, "X."))).build().unwrap();
    for _ in 0..1_000 {
        let session = registry.session();
        let turn = session.turn().await.unwrap();
        let found = texts(&turn, tools.map(|name| search(name, name))).await;
        for (name, text) in tools.iter().zip(&found) {
            assert_eq!(hits(text), [*name]);
        }
        assert_eq!(session.revealed(), tools);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn parallel_searches_of_many_batches_reveal_the_union() {
    let tools = ["alpha", "beta", "gamma", "delta"];
    let registry = Registry::builder().tools(tools.map(|name| hidden(name, "X."))).build().unwrap();
    for _ in 0..1_000 {
        let session = std::sync::Arc::new(registry.session());
        let batches = tools.map(|name| {
            let session = std::sync::Arc::clone(&session);
            tokio::spawn(async move { text(&session.turn().await.unwrap(), search(name, name)).await })
        });
        for batch in batches {
            batch.await.unwrap();
        }
        let mut revealed = session.revealed();
        revealed.sort();
        assert_eq!(revealed, ["alpha", "beta", "delta", "gamma"]);
    }
}

#[tokio::test]
async fn fewer_deferred_tools_than_the_threshold_are_all_eager() {
    let two = || [hidden("one", "First."), hidden("two", "Second.")];
    let below =
        Registry::builder().tools(two()).search(tool_core::ToolSearch::new().above(3)).build().unwrap();
    assert_eq!(names(&below.session().turn().await.unwrap()), ["one", "two"]);
    let enough =
        Registry::builder().tools(two()).search(tool_core::ToolSearch::new().above(2)).build().unwrap();
    assert_eq!(names(&enough.session().turn().await.unwrap()), ["tool_search"]);
}

#[tokio::test]
async fn the_host_reveals_by_name() {
    let registry = Registry::builder().tools([hidden("one", "First."), eager("echo")]).build().unwrap();
    let session = registry.session();
    let before = session.turn().await.unwrap();
    let name = tool_core::ToolName::new("one").unwrap();
    assert_eq!(session.reveal("one"), tool_core::RevealOutcome::Revealed(name.clone()));
    assert_eq!(session.reveal("one"), tool_core::RevealOutcome::AlreadyVisible(name));
    assert_eq!(session.reveal("none"), tool_core::RevealOutcome::NotFound);
    assert!(matches!(session.reveal("echo"), tool_core::RevealOutcome::AlreadyVisible(_)));
    assert_eq!(names(&before), ["echo", "tool_search"]);
    assert_eq!(names(&session.turn().await.unwrap()), ["echo", "tool_search", "one"]);
}

#[tokio::test]
async fn what_is_deferred_is_what_the_list_leaves_out() {
    let registry = Registry::builder()
        .tools([hidden("one", "First."), hidden("two", "Second."), eager("echo")])
        .build()
        .unwrap();
    let session = registry.session();
    let deferred = |turn: &tool_core::Turn| -> Vec<String> {
        turn.deferred().map(|tool| tool.name().to_string()).collect()
    };
    let first = session.turn().await.unwrap();
    assert_eq!(deferred(&first), ["one", "two"]);
    text(&first, search("1", "first")).await;
    assert_eq!(deferred(&first), ["one", "two"]);
    assert_eq!(deferred(&session.turn().await.unwrap()), ["two"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the model asks for: the next list is this one, and behind it the new hits in the order of the results.
    #[test]
    fn a_hit_is_in_the_next_list_and_nothing_else_is(
        queries in prop::collection::vec("[a-e ]{0,6}|alpha|beta|delta|t[0-9]", 1..6),
        top_k in -2i64..8,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let described = ["alpha", "beta alpha", "delta", "bead", "cab", "a b c", "delta beta", "ace", "e", "abc"];
            let tools = described.iter().enumerate().map(|(n, text)| hidden(&format!("t{n}"), text));
            let registry = Registry::builder().tools(tools).tool(Runs::default().eager("echo")).build().unwrap();
            let session = registry.session();
            for query in queries {
                let turn = session.turn().await.unwrap();
                let before = names(&turn);
                let arguments = json!({"query": query, "top_k": top_k});
                let text = text(&turn, crate::support::call_with("1", "tool_search", arguments)).await;
                let mut expected = before.clone();
                expected.extend(hits(&text).into_iter().filter(|hit| !before.contains(hit)));
                assert_eq!(names(&session.turn().await.unwrap()), expected, "{text}");
            }
        });
    }
}
