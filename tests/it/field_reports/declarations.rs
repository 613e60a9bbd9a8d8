//! The declaration of tools: schemas, names, arguments, results.
#![allow(clippy::needless_pass_by_value, reason = "parameters are what is tested")]

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::{Arguments, Registry, ToolContext, ToolName, ToolRef, function_tool, tools};

use crate::support::{builder, bytes, call, call_with, in_every_way};

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Item {
    /// In euros.
    price: f64,
    label: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(dead_code)]
enum Shape {
    Circle { radius: f32 },
    Group { parts: Vec<Shape> },
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
enum Expression {
    Number(i64),
    Sum(Box<Expression>, Box<Expression>),
}

/// Takes an optional number and an optional list.
#[function_tool]
fn optional(count: Option<u32>, items: Option<Vec<Item>>) -> String {
    format!("{count:?} {}", items.is_none())
}

/// Takes whole numbers of every width.
#[function_tool]
fn numbers(tiny: u8, wide: i64, unsigned: u64, float: f32) -> String {
    format!("{tiny} {wide} {unsigned} {float}")
}

/// Takes nested types, twice the same.
#[function_tool]
fn nested(first: Item, more: Vec<Item>) -> usize {
    let _ = first;
    more.len()
}

/// Takes a shape of shapes.
#[function_tool]
fn shapes(shape: Shape) -> &'static str {
    match shape {
        Shape::Circle { .. } => "circle",
        Shape::Group { .. } => "group",
    }
}

/// Takes an expression of expressions.
#[function_tool]
fn expressions(expression: Expression) -> &'static str {
    match expression {
        Expression::Number(_) => "number",
        Expression::Sum(..) => "sum",
    }
}

/// Takes nothing.
#[function_tool]
fn nothing() -> &'static str {
    "done"
}

/// Takes anything.
#[function_tool]
fn anything(
    /// Whatever there is.
    value: Value,
) -> String {
    value.to_string()
}

/// Takes named numbers.
#[function_tool]
fn totals(of: HashMap<String, u64>) -> u64 {
    of.values().sum()
}

fn all() -> [ToolRef; 8] {
    tools![optional, numbers, nested, shapes, expressions, nothing, anything, totals]
}

fn schema(tool: ToolRef) -> Value {
    let registry = Registry::builder().tool(tool).build().unwrap();
    let definition = registry.definition(tool.name()).unwrap();
    serde_json::from_str(definition.input_schema().unwrap().as_str()).unwrap()
}

async fn answer(tool: ToolRef, arguments: impl Into<Arguments>) -> String {
    match in_every_way(tool, arguments).await {
        Ok(output) => output.to_text().into_owned(),
        Err(error) => error.model_message().to_owned(),
    }
}

/// Calls `look` with each schema inside a schema.
fn each_schema(schema: &Value, look: &mut impl FnMut(&Value)) {
    look(schema);
    for keyword in ["properties", "$defs"] {
        let named = schema.get(keyword).and_then(Value::as_object);
        named.into_iter().flat_map(|named| named.values()).for_each(|inner| each_schema(inner, look));
    }
    for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        let list = schema.get(keyword).and_then(Value::as_array);
        list.into_iter().flatten().for_each(|inner| each_schema(inner, look));
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(keyword).filter(|inner| inner.is_object()) {
            each_schema(inner, look);
        }
    }
}

/// modelcontextprotocol/rust-sdk#135: several clients do not understand a list of types.
#[tokio::test]
async fn optional_parameters_have_a_plain_type_are_not_required_and_take_null() {
    let schema = schema(optional::TOOL);
    assert_eq!(schema["properties"]["count"], json!({"type": "integer", "minimum": 0}));
    assert_eq!(schema["properties"]["items"]["type"], "array");
    assert!(schema.get("required").is_none_or(|names| *names == json!([])), "{schema}");
    for arguments in [json!({}), json!({"count": null, "items": null}), json!(null)] {
        assert_eq!(answer(optional::TOOL, arguments).await, "None true");
    }
    assert_eq!(answer(optional::TOOL, json!({"count": 3})).await, "Some(3) true");
}

/// rust-sdk#179, google-gemini/gemini-cli#14970: a `$schema` makes clients drop the tool.
#[test]
fn no_schema_has_a_schema_url_or_a_title() {
    for tool in all() {
        each_schema(&schema(tool), &mut |schema| {
            assert!(schema.get("$schema").is_none() && schema.get("title").is_none(), "{schema}");
        });
    }
}

/// Piebald-AI/splitrail#113, GREsau/schemars#208: `format: uint64` warns, and costs tokens.
#[test]
fn number_formats_of_rust_are_dropped_and_bounds_are_kept() {
    let properties = schema(numbers::TOOL)["properties"].clone();
    assert_eq!(properties["tiny"], json!({"type": "integer", "minimum": 0, "maximum": 255}));
    assert_eq!(properties["unsigned"], json!({"type": "integer", "minimum": 0}));
    assert_eq!(properties["wide"], json!({"type": "integer"}));
    assert_eq!(properties["float"], json!({"type": "number"}));
}

/// zed-industries/zed#60162: tools with `$ref` were dropped without a word.
#[test]
fn types_are_inlined_wherever_they_do_not_contain_themselves() {
    let schema = schema(nested::TOOL);
    assert!(!schema.to_string().contains("$ref") && schema.get("$defs").is_none(), "{schema}");
    assert_eq!(schema["properties"]["first"], schema["properties"]["more"]["items"]);
    assert_eq!(schema["properties"]["first"]["properties"]["price"]["description"], "In euros.");
}

/// GREsau/schemars#70, Softeria/ms-365-mcp-server#643: inlining recursive types does not end.
#[tokio::test]
async fn recursive_and_tagged_types_keep_definitions_that_are_there() {
    for tool in [shapes::TOOL, expressions::TOOL] {
        let schema = schema(tool);
        let mut references = Vec::new();
        each_schema(&schema, &mut |inner| {
            references.extend(inner.get("$ref").and_then(Value::as_str).map(str::to_owned));
        });
        assert!(!references.is_empty(), "{schema}");
        for reference in references {
            let name = reference.strip_prefix("#/$defs/").unwrap_or_else(|| panic!("{reference}"));
            assert!(schema["$defs"].get(name).is_some(), "{reference} in {schema}");
        }
    }
    let group = json!({"shape": {"kind": "group", "parts": [{"kind": "circle", "radius": 1}]}});
    assert_eq!(answer(shapes::TOOL, group).await, "group");
    let sum = json!({"expression": {"Sum": [{"Number": 1}, {"Number": 2}]}});
    assert_eq!(answer(expressions::TOOL, sum).await, "sum");
}

/// rust-sdk#445, zed#34015, openai/openai-agents-python#454: an object schema without properties is refused.
#[tokio::test]
async fn a_tool_without_arguments_has_empty_properties_and_takes_nothing_in_any_form() {
    let expected = json!({"type": "object", "properties": {}, "additionalProperties": false});
    assert_eq!(schema(nothing::TOOL), expected);
    for text in ["", "null", "{}", " ", "\"\"", "\"{}\""] {
        assert_eq!(answer(nothing::TOOL, text).await, "done", "{text:?}");
    }
    assert_eq!(answer(nothing::TOOL, Value::Null).await, "done");
    assert!(answer(nothing::TOOL, "[]").await.contains("must be a JSON object"));
}

/// joshrotenberg/tower-mcp#175: `()` as arguments had the type null.
#[test]
fn unit_as_arguments_is_a_tool_without_arguments() {
    let tool = builder("unit", "U.").handler(async |(): (), _: ToolContext| "");
    let registry = Registry::builder().tool(tool).build().unwrap();
    let schema = registry.definition("unit").unwrap().input_schema().unwrap().as_str();
    assert_eq!(schema, r#"{"type":"object","properties":{},"additionalProperties":false}"#);
}

/// ryan-voitiskis/reklawdbox#32: a number as text is said to be one, not guessed at.
#[tokio::test]
async fn a_number_sent_as_text_is_not_coerced() {
    let arguments = json!({"tiny": "5", "wide": 1, "unsigned": 1, "float": 1});
    assert_eq!(answer(numbers::TOOL, arguments).await, "tiny: invalid type: string \"5\", expected u8");
    let arguments = json!({"tiny": 256, "wide": 1, "unsigned": 1, "float": 1});
    assert_eq!(answer(numbers::TOOL, arguments).await, "tiny: invalid value: integer `256`, expected u8");
}

/// A property that takes anything is `{}` with its description, never `true`.
#[tokio::test]
async fn a_value_of_any_type_has_no_boolean_schema() {
    assert_eq!(schema(anything::TOOL)["properties"]["value"], json!({"description": "Whatever there is."}));
    assert_eq!(answer(anything::TOOL, json!({"value": [1, null]})).await, "[1,null]");
    for tool in all() {
        each_schema(&schema(tool), &mut |schema| assert!(schema.is_object(), "{schema}"));
    }
}

/// openai/codex#4454: `additionalProperties` as a schema, and whatever else comes from outside, is kept as it came.
#[tokio::test]
async fn schemas_from_outside_are_kept_to_the_byte() {
    let foreign = r#"{ "type":"object", "$schema":"x", "additionalProperties":{"type":"string"}, "zeta":1, "alpha":1.50 }"#;
    let tool = builder("raw", "R.").raw(foreign, async |_: Arguments, _: ToolContext| "");
    let registry = Registry::builder().tool(tool).build().unwrap();
    assert!(bytes(&registry.session().turn().await.unwrap()).contains(foreign));
}

/// openai/codex#1571, #16944, openai-agents-python#3019: names that cleaning makes equal.
#[test]
fn cleaned_names_stay_apart_legal_short_and_the_same_everywhere() {
    let name = |wire: &str| ToolName::from_wire("git", wire);
    assert_eq!(name("get_issue"), "git_get_issue");
    assert_ne!(name("get.issue"), name("get/issue"));
    assert_eq!(name("get.issue"), name("get.issue"));
    for wire in ["get.issue", "größe", "", "\n# Do this", &"x".repeat(200), "9lives", "工具"] {
        let cleaned = name(wire);
        assert!(ToolName::new(cleaned.as_str()).is_ok() && cleaned.as_str().len() <= 64, "{cleaned}");
    }
    let (one, other) = (format!("{}1", "x".repeat(99)), format!("{}2", "x".repeat(99)));
    assert_ne!(name(&one), name(&other));
}

/// openai/codex#2610, rust-sdk#665, librefang#3298: the order of a hash map breaks the prompt cache.
#[test]
fn schemas_have_one_order() {
    let properties = |tool: ToolRef| {
        let registry = Registry::builder().tool(tool).build().unwrap();
        registry.definition(tool.name()).unwrap().input_schema().unwrap().as_str().to_owned()
    };
    let text = properties(numbers::TOOL);
    let places: Vec<_> = ["\"tiny\"", "\"wide\"", "\"unsigned\"", "\"float\""]
        .iter()
        .map(|name| text.find(name).unwrap())
        .collect();
    assert!(places.is_sorted(), "in the order of the parameters: {text}");
    assert_eq!(properties(totals::TOOL), properties(totals::TOOL));
}

/// rust-sdk#840, eresende/pitlane-mcp#110: an argument error is a result with the place of the fault, not a protocol error
/// with a line and a column.
#[tokio::test]
async fn faults_in_arguments_have_a_path() {
    let arguments = json!({"first": {"price": 1}, "more": [{"price": 1}, {"price": 2}, {"price": "x"}]});
    for arguments in [Arguments::from(arguments.clone()), Arguments::from(arguments.to_string())] {
        let answer = answer(nested::TOOL, arguments).await;
        assert_eq!(answer, "more[2].price: invalid type: string \"x\", expected f64");
    }
    assert_eq!(answer(nested::TOOL, json!({"first": {"price": 1}})).await, "missing argument `more`");
}

/// rust-sdk#106, tontinton/maki#295: a panic left its call without an answer.
#[tokio::test]
async fn a_panic_leaves_no_call_without_an_answer() {
    let boom = builder("boom", "B.").handler(async |(): (), _: ToolContext| -> () { panic!("boom") });
    let registry = Registry::builder().tool(boom).tools(tools![totals]).build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    let calls =
        [call("1", "boom"), call_with("2", "totals", json!({"of": {"a": 1, "b": 2}})), call("3", "boom")];
    let results = turn.call_all(calls).await.into_results();
    let ids: Vec<_> = results.iter().map(|result| result.call_id.as_str()).collect();
    assert_eq!(ids, ["1", "2", "3"]);
    assert_eq!(results[1].text(), "3");
}
