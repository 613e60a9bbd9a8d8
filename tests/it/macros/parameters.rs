//! Every form of parameter: what the schema says and what a call decodes.

use std::{collections::BTreeMap, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tool_core::{FromContext, Registry, Requirements, ToolContext, ToolError, function_tool, tools};

use super::{call, schema, shown};
use crate::support::WAYS;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Kelvin,
    Celsius,
}

type Maybe<T> = Option<T>;

/// Owned, borrowed and optional ones.
#[function_tool]
fn plain(
    /// What to look for,
    /// in words.
    query: &str,
    mut tags: Vec<String>,
    r#type: Unit,
    limit: Option<u8>,
    note: Option<&str>,
    aliased: Maybe<bool>,
    /** Anything. */
    extra: Option<Value>,
) -> String {
    tags.push("end".to_owned());
    format!("{query} {tags:?} {type:?} {limit:?} {note:?} {aliased:?} {extra:?}")
}

#[tokio::test]
async fn plain_parameters() {
    assert_eq!(
        schema(&plain::TOOL),
        json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What to look for, in words."},
                "tags": {"type": "array", "items": {"type": "string"}},
                "type": {"type": "string", "enum": ["kelvin", "celsius"]},
                "limit": {"type": "integer", "minimum": 0, "maximum": 255},
                "note": {"type": "string"},
                "aliased": {"type": "boolean"},
                "extra": {"description": "Anything."}
            },
            "required": ["query", "tags", "type"],
            "additionalProperties": false
        })
    );
    let all = json!({
        "query": "q", "tags": ["a"], "type": "celsius", "limit": 3, "note": "n", "aliased": true, "extra": [1]
    });
    let expected = r#"q ["a", "end"] Celsius Some(3) Some("n") Some(true) Some(Array [Number(1)])"#;
    assert_eq!(call(plain::TOOL, all.clone()).await, expected);
    assert_eq!(call(plain::TOOL, all.to_string()).await, expected);
    assert_eq!(
        call(plain::TOOL, json!({"query": "q", "tags": [], "type": "kelvin", "note": null})).await,
        r#"q ["end"] Kelvin None None None None"#
    );
    assert_eq!(call(plain::TOOL, json!({"query": "q"})).await, "error: missing argument `tags`");
    assert_eq!(
        call(plain::TOOL, json!({"query": "q", "tags": [1]})).await,
        "error: tags[0]: invalid type: integer `1`, expected a string"
    );
    assert_eq!(
        call(plain::TOOL, json!({"query": "q", "tgas": []})).await,
        "error: unknown argument `tgas`; did you mean `tags`?"
    );
    assert_eq!(
        plain("q", vec![], Unit::Kelvin, None, None, None, None),
        r#"q ["end"] Kelvin None None None None"#
    );
}

/// A default that does not serialise is not in the schema.
#[derive(Debug, Deserialize, JsonSchema)]
struct Silent {
    value: u8,
}

const TRIES: u8 = 2;

/// With defaults.
#[function_tool]
async fn defaults(
    #[default("EUR")] currency: &str,
    #[default("none")] note: Option<&str>,
    #[default("x")] owned: String,
    #[default(10)] limit: u64,
    #[default(TRIES + 1)] tries: u8,
    #[default(vec![1, 2])] list: Vec<i32>,
    #[default(Silent { value: 7 })] silent: Silent,
    #[default(Some(1.5))] ratio: Option<f32>,
) -> String {
    format!("{currency} {note:?} {owned} {limit} {tries} {list:?} {} {ratio:?}", silent.value)
}

#[tokio::test]
async fn defaults_are_shown_and_used() {
    let schema = schema(&defaults::TOOL);
    assert_eq!(schema.get("required"), None);
    let shown: BTreeMap<&str, &Value> = schema["properties"]
        .as_object()
        .unwrap()
        .iter()
        .filter_map(|(name, property)| Some((name.as_str(), property.get("default")?)))
        .collect();
    let expected = json!({
        "currency": "EUR", "note": "none", "owned": "x", "limit": 10, "tries": 3, "list": [1, 2], "ratio": 1.5
    });
    assert_eq!(json!(shown), expected);
    assert_eq!(call(defaults::TOOL, "").await, r#"EUR Some("none") x 10 3 [1, 2] 7 Some(1.5)"#);
    assert_eq!(
        call(defaults::TOOL, json!({"note": null, "limit": 1, "silent": {"value": 0}})).await,
        "EUR None x 1 3 [1, 2] 0 Some(1.5)"
    );
}

fn seven() -> u8 {
    7
}

fn doubled<'de, D: serde::Deserializer<'de>>(value: D) -> Result<u32, D::Error> {
    Ok(u32::deserialize(value)? * 2)
}

/// With attributes of serde and schemars.
#[function_tool]
fn attributed(
    /// At most so many.
    #[serde(rename = "maxRows", alias = "rows", default)]
    #[schemars(range(min = 1, max = 9))]
    max_rows: u8,
    #[serde(default = "seven")] seven: u8,
    #[serde(deserialize_with = "doubled")]
    #[schemars(with = "u32")]
    double: u32,
    #[schemars(length(max = 3))]
    #[default("abc")]
    r#type: &str,
    #[serde(rename(deserialize = "in"))] input: Option<&str>,
) -> String {
    format!("{max_rows} {seven} {double} {type} {input:?}")
}

#[tokio::test]
async fn attributes_hold_for_schema_and_decoding() {
    let schema = schema(&attributed::TOOL);
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names.len(), 5);
    assert_eq!(
        schema["properties"]["maxRows"],
        json!({"type": "integer", "description": "At most so many.", "default": 0, "minimum": 1, "maximum": 9})
    );
    assert_eq!(schema["properties"]["type"], json!({"type": "string", "default": "abc", "maxLength": 3}));
    assert_eq!(schema["properties"]["in"], json!({"type": "string"}));
    assert_eq!(schema["required"], json!(["double"]));
    assert_eq!(call(attributed::TOOL, json!({"double": 4})).await, "0 7 8 abc None");
    assert_eq!(
        call(attributed::TOOL, json!({"rows": 3, "seven": 1, "double": 1, "type": "x", "in": "y"})).await,
        r#"3 1 2 x Some("y")"#
    );
    assert_eq!(call(attributed::TOOL, json!({"maxRows": 3})).await, "error: missing argument `double`");
    assert_eq!(
        call(attributed::TOOL, json!({"double": 1, "max_rows": 3})).await,
        "error: unknown argument `max_rows`; did you mean `maxRows`?"
    );
    assert_eq!(
        call(attributed::TOOL, json!({"double": "x"})).await,
        r#"error: double: invalid type: string "x", expected u32"#
    );
}

/// All arguments.
#[derive(Deserialize, JsonSchema)]
struct Search {
    /// In words.
    query: String,
    #[serde(default)]
    limit: u8,
}

/// A struct for all arguments.
#[function_tool]
async fn search(#[args] Search { query, limit }: Search, #[context] cx: &ToolContext) -> String {
    format!("{query} {limit} {}", cx.call_id().is_empty())
}

#[tokio::test]
async fn one_struct_for_all_arguments() {
    let schema = schema(&search::TOOL);
    assert_eq!(schema["properties"]["query"], json!({"type": "string", "description": "In words."}));
    assert_eq!(schema["required"], json!(["query"]));
    assert_eq!(schema["additionalProperties"], json!(false));
    assert_eq!(call(search::TOOL, json!({"query": "q"})).await, "q 0 true");
    assert_eq!(
        call(search::TOOL, json!({"query": "q", "limt": 1})).await,
        "error: unknown argument `limt`; did you mean `limit`?"
    );
}

struct Gateway(u8);

trait Clock: Send + Sync {
    fn now(&self) -> u8;
}

impl Clock for Gateway {
    fn now(&self) -> u8 {
        self.0
    }
}

/// Computed from the context.
struct Doubled(u8);

impl FromContext<'_> for Doubled {
    fn from_context(context: &ToolContext) -> Result<Self, ToolError> {
        let gateway = context.get::<Gateway>().ok_or_else(|| ToolError::new("no gateway"))?;
        Ok(Self(gateway.0 * 2))
    }

    fn requires(requirements: &mut Requirements) {
        requirements.host_value::<Gateway>();
    }
}

/// Borrows from the context.
struct Borrowed<'c>(&'c Gateway);

impl<'c> FromContext<'c> for Borrowed<'c> {
    fn from_context(context: &'c ToolContext) -> Result<Self, ToolError> {
        <&Gateway>::from_context(context).map(Self)
    }
}

/// Takes host values.
#[function_tool]
async fn hosted(
    amount: u8,
    #[context] gateway: &Gateway,
    #[context] shared: Arc<Gateway>,
    #[context] clock: &dyn Clock,
    #[context] owned_clock: Arc<dyn Clock>,
    #[context] Doubled(doubled): Doubled,
    #[context] borrowed: Borrowed<'_>,
    #[context] cx: ToolContext,
    #[context] _: &ToolContext,
) -> String {
    std::future::ready(()).await;
    let name = cx.tool_name().unwrap();
    format!(
        "{name} {amount} {} {} {} {} {doubled} {}",
        gateway.0,
        shared.0,
        clock.now(),
        owned_clock.now(),
        borrowed.0.0
    )
}

/// Takes host values on the blocking pool.
#[function_tool(blocking)]
fn hosted_blocking(#[context] gateway: &Gateway, text: &str) -> String {
    format!("{text} {}", gateway.0)
}

#[tokio::test]
async fn host_values_are_borrowed_or_shared() {
    assert_eq!(schema(&hosted::TOOL)["required"], json!(["amount"]));
    for way in WAYS {
        let registry = way
            .registry(tools![hosted, hosted_blocking])
            .state(Gateway(4))
            .state_arc::<dyn Clock>(Arc::new(Gateway(5)))
            .build()
            .unwrap();
        let call = async |name, arguments: Value| shown(way.call(&registry.session(), name, arguments).await);
        assert_eq!(call("hosted", json!({"amount": 1})).await, "hosted 1 4 4 5 5 8 4");
        assert_eq!(call("hosted_blocking", json!({"text": "x"})).await, "x 4");
    }
}

#[test]
fn a_host_value_that_nobody_gives_is_named() {
    let errors = Registry::builder().tool(hosted::TOOL).build().unwrap_err().to_string();
    assert!(errors.contains("Gateway") && errors.contains("dyn ") && errors.contains("hosted"), "{errors}");
}
