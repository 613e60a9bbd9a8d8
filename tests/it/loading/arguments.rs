//! What reaches a tool: arguments, host values, its context.

use super::*;

suite! {
    arguments_reach_the_handler
    bad_arguments_are_told_in_words
    the_context_says_whose_call_it_is
    the_definition_is_the_declared_one
    host_values_reach_annotated_tools
}

async fn arguments_reach_the_handler(way: Way) {
    for arguments in [json!({"a": 1, "b": 2}), json!(r#"{"a":1,"b":2}"#)] {
        assert_eq!(call(add(), way, arguments.clone()).await.text(), "3");
        assert_eq!(call(add(), way, arguments.to_string()).await.text(), "3");
    }
    assert_eq!(call(add(), way, json!({"a": 1})).await.text(), "1");
}

async fn bad_arguments_are_told_in_words(way: Way) {
    for (arguments, expected) in [
        (json!({}).into(), "missing argument `a`"),
        (json!({"a": "x"}).into(), "a: invalid type: string \"x\", expected i64"),
        (json!({"a": 1, "zz": 2}).into(), "unknown argument `zz`; expected one of `a`, `b`"),
        (json!([1]).into(), "the arguments must be a JSON object, not an array"),
        (Arguments::from("{"), "Invalid JSON input: "),
    ] {
        let result = call(add(), way, arguments).await;
        assert!(result.text().starts_with(expected), "{result}");
        assert_eq!(failure(&result).kind(), ToolErrorKind::InvalidArguments);
        assert_eq!(result.status(), ResultStatus::Failed);
    }
}

async fn the_context_says_whose_call_it_is(way: Way) {
    let tool = subject().handler(async |(): (), context: ToolContext| {
        format!("{} {}", context.call_id(), context.tool_name().unwrap())
    });
    assert_eq!(call(tool, way, "{}").await.text(), "1 subject");
}

async fn the_definition_is_the_declared_one(way: Way) {
    let turn = listed(way.registry([add()]), way).await;
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

/// Reads a host value.
#[function_tool(name = "subject")]
fn greet(#[context] greeting: &String) -> String {
    greeting.clone()
}

async fn host_values_reach_annotated_tools(way: Way) {
    let turn = listed(way.registry([greet::TOOL]).state("hello".to_owned()), way).await;
    let results = turn.call_all([ToolCall::new("1", NAME, "")]).await.into_results();
    assert_eq!(results[0].text(), "hello");
}
