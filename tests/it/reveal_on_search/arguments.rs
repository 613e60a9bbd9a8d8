//! What the model may send to the search tool.

use serde_json::{Value, json};
use tool_core::{Arguments, Registry, Session, ToolCall, ToolErrorKind, ToolSearch};

use crate::support::{call_with, hidden, hits, note, text};

const TOP_K: &str = "Invalid 'top_k': must be an integer between 1 and 50.";

/// Sixty tools that all match `report`.
fn sixty() -> Session {
    let tools = (0..60).map(|number| hidden(&format!("report_{number:02}"), "Writes a report."));
    Registry::builder().tools(tools).build().unwrap().session()
}

/// What the model reads, and how many tools were revealed.
async fn searched(arguments: impl Into<Arguments>) -> (String, usize) {
    let session = sixty();
    let turn = session.turn().await.unwrap();
    let text = text(&turn, ToolCall::new("1", "tool_search", arguments)).await;
    (text, session.revealed().len())
}

#[tokio::test]
async fn five_tools_are_returned_unless_the_model_says_how_many() {
    let (text, revealed) = searched(json!({"query": "report"})).await;
    assert_eq!((hits(&text).len(), revealed), (5, 5));
    let (text, revealed) = searched(json!({"query": "report", "top_k": 7})).await;
    assert_eq!((hits(&text).len(), revealed), (7, 7));
}

#[tokio::test]
async fn top_k_is_clamped_to_one_and_fifty() {
    for (top_k, expected) in [
        (json!(99_999), 50),
        (json!(51), 50),
        (json!(50), 50),
        (json!(1), 1),
        (json!(0), 1),
        (json!(-5), 1),
        (json!(3.0), 3),
        (json!(u64::MAX), 50),
        (json!(i64::MIN), 1),
        (json!(1e300), 50),
    ] {
        let (text, revealed) = searched(json!({"query": "report", "top_k": top_k})).await;
        assert_eq!((hits(&text).len(), revealed), (expected, expected), "top_k {top_k}");
    }
}

#[tokio::test]
async fn a_top_k_that_is_no_integer_is_answered_in_words() {
    for top_k in [json!("2"), json!(2.9), json!(null), json!(true), json!([3]), json!({}), json!("NaN")] {
        let (text, revealed) = searched(json!({"query": "report", "top_k": top_k})).await;
        assert_eq!((text.as_str(), revealed), (TOP_K, 0), "top_k {top_k}");
    }
    // JSON has no such number.
    let (text, revealed) = searched(r#"{"query": "report", "top_k": NaN}"#).await;
    assert!(text.starts_with("Invalid JSON input: "), "{text}");
    assert_eq!(revealed, 0);
}

#[tokio::test]
async fn a_query_that_is_no_string_is_answered_in_words() {
    for query in [json!(1), json!(null), json!(["report"]), json!({"text": "report"}), json!(true)] {
        let (text, revealed) = searched(json!({"query": query})).await;
        assert_eq!((text.as_str(), revealed), ("Invalid 'query': must be a string.", 0), "query {query}");
    }
}

#[tokio::test]
async fn a_query_that_is_missing_is_answered_in_words() {
    for nothing in [json!({}), json!(null), json!("")] {
        let (text, revealed) = searched(nothing).await;
        assert_eq!((text.as_str(), revealed), ("missing argument `query`", 0));
    }
    let (text, _) = searched("").await;
    assert_eq!(text, "missing argument `query`");
}

#[tokio::test]
async fn arguments_that_are_not_json_are_answered_in_words() {
    for broken in
        ["{", r#"{"query":"report""#, "query=report", r#"{"query":"report",}"#, "{'query':'report'}"]
    {
        let (text, revealed) = searched(broken).await;
        assert!(text.starts_with("Invalid JSON input: "), "{broken}: {text}");
        assert_eq!(revealed, 0, "{broken}");
    }
}

#[tokio::test]
async fn arguments_that_are_no_object_or_unknown_are_answered_in_words() {
    for other in [json!([1]), json!(5), json!(false)] {
        let (text, revealed) = searched(other.clone()).await;
        assert!(text.contains("object"), "{other}: {text}");
        assert_eq!(revealed, 0);
    }
    let (text, revealed) = searched(json!({"query": "report", "limit": 3})).await;
    assert_eq!((text.as_str(), revealed), ("unknown argument `limit`; expected `query` or `top_k`", 0));
}

#[tokio::test]
async fn arguments_packed_into_a_json_string_are_unpacked() {
    let (text, revealed) = searched(Value::from(r#"{"query":"report","top_k":2}"#)).await;
    assert_eq!((hits(&text).len(), revealed), (2, 2));
}

#[tokio::test]
async fn bad_arguments_are_results_and_the_session_goes_on() {
    let session = sixty();
    let turn = session.turn().await.unwrap();
    let results = turn.call_all([ToolCall::new("1", "tool_search", "{")]).await.into_results();
    let tool_core::CallOutcome::Failed(error) = &results[0].outcome else { panic!("{results:?}") };
    assert_eq!(error.kind(), ToolErrorKind::InvalidArguments);
    let text = text(&turn, call_with("2", "tool_search", json!({"query": "report"}))).await;
    assert_eq!(hits(&text).len(), 5);
}

#[tokio::test]
async fn name_and_description_of_the_search_tool_can_be_set() {
    let search = ToolSearch::new().name("find_tools").description("Looks for tools.");
    let registry =
        Registry::builder().tool(hidden("charge", "Charges a card.")).search(search).build().unwrap();
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    let listed: Vec<_> = turn.tools().map(|tool| (tool.name().as_str(), tool.description())).collect();
    assert_eq!(listed, [("find_tools", "Looks for tools.")]);
    let text = text(&turn, call_with("1", "find_tools", json!({"query": "charge"}))).await;
    assert_eq!(hits(&text), ["charge"]);
    assert!(!note(&text).contains("tool_search"), "{text}");
}

#[tokio::test]
async fn the_schema_of_the_search_tool_says_what_it_takes() {
    let session = sixty();
    let turn = session.turn().await.unwrap();
    let tool = turn.tools().next().unwrap();
    assert_eq!(tool.name().as_str(), "tool_search");
    let schema: Value = serde_json::from_str(tool.input_schema().unwrap().as_str()).unwrap();
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["required"], json!(["query"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(schema["properties"]["query"]["type"], "string");
    let top_k = &schema["properties"]["top_k"];
    assert_eq!((&top_k["type"], &top_k["default"]), (&json!("integer"), &json!(5)));
    assert_eq!((&top_k["minimum"], &top_k["maximum"]), (&json!(1), &json!(50)));
}
