//! A declaration's schema and its decoding, written by hand as the expansion does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::private as c;
use crate::{Arguments, ToolError, ToolErrorKind};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Item {
    price: f64,
    #[serde(default)]
    label: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(crate = "c::serde")]
#[schemars(crate = "c::schemars")]
struct Part {
    #[serde(rename = "maxRows", alias = "rows", default)]
    #[schemars(range(min = 1))]
    max_rows: u8,
}

type Read = (String, u32, Option<bool>, Vec<Item>, u8);

/// `fn(query: String, #[default(10)] limit: u32, verbose: Option<bool>, items: Vec<Item>, #[serde(…)] max_rows: u8)`.
fn read(arguments: impl Into<Arguments>) -> Result<Read, ToolError> {
    let arguments = arguments.into();
    let (mut query, mut limit, mut verbose, mut items, mut rows) =
        (None, None, None, None, c::Part::<Part>::EMPTY);
    c::read_args(
        &arguments,
        &mut [
            c::slot::<String>(&["query"], &mut query),
            c::slot::<u32>(&["limit"], &mut limit),
            c::slot::<Option<bool>>(&["verbose"], &mut verbose),
            c::slot::<Vec<Item>>(&["items"], &mut items),
            c::part_slot::<Part>(&mut rows),
        ],
    )?;
    Ok((
        c::got(query, "query")?,
        c::got_or(limit, || 10),
        c::got(verbose, "verbose")?,
        c::got_or(items, Vec::new),
        c::got_part::<Part>(rows)?.max_rows,
    ))
}

fn refused(arguments: impl Into<Arguments>) -> String {
    let error = read(arguments).unwrap_err();
    assert_eq!(error.kind(), ToolErrorKind::InvalidArguments);
    error.model_message().to_owned()
}

/// Every case as text and as value.
fn refused_both(arguments: &str) -> String {
    let text = refused(arguments);
    assert_eq!(refused(serde_json::from_str::<Value>(arguments).unwrap()), text);
    text
}

#[test]
fn arguments_reach_their_slots() {
    let all = r#" { "query" : "a\nb", "limit":3,"verbose":true , "items":[{"price":1}],"maxRows":7 } "#;
    let item = Item { price: 1.0, label: None };
    let expected = ("a\nb".to_owned(), 3, Some(true), vec![item], 7);
    assert_eq!(read(all).unwrap(), expected);
    assert_eq!(read(serde_json::from_str::<Value>(all).unwrap()).unwrap(), expected);
    assert_eq!(read(Value::from(all)).unwrap(), expected, "packed into a string");
    assert_eq!(read(Value::from(all).to_string()).unwrap(), expected, "packed into a string, as text");
    assert_eq!(read(r#"{"que\u0072y":"x","rows":2}"#).unwrap(), ("x".to_owned(), 10, None, vec![], 2));
}

#[test]
fn faults_are_told_in_words() {
    assert_eq!(refused_both(r#"{"qeury":"x"}"#), "unknown argument `qeury`; did you mean `query`?");
    assert_eq!(
        refused_both(r#"{"zzz":"x"}"#),
        "unknown argument `zzz`; expected one of `query`, `limit`, `verbose`, `items`, `maxRows`"
    );
    assert_eq!(refused_both("{}"), "missing argument `query`");
    assert_eq!(refused_both(r#"{"query":1}"#), "query: invalid type: integer `1`, expected a string");
    assert_eq!(
        refused_both(r#"{"query":"","maxRows":300}"#),
        "maxRows: invalid value: integer `300`, expected u8"
    );
    assert_eq!(
        refused_both(r#"{"query":"","items":[{"price":1},{"price":"x"}]}"#),
        r#"items[1].price: invalid type: string "x", expected f64"#
    );
    assert_eq!(
        refused_both(r#"{"query":"","items":[{"prise":1}]}"#),
        "items[0]: unknown field `prise`; did you mean `price`?"
    );
    assert_eq!(refused_both("[1]"), "the arguments must be a JSON object, not an array");
    assert_eq!(refused(r#"{"query":"a","query":"b"}"#), "duplicate argument `query`");
    assert!(refused(r#"{"query":"a",}"#).starts_with("Invalid JSON input: "));
    assert!(refused(r#"{"query":"a"} x"#).starts_with("Invalid JSON input: "));
    assert!(refused(r#"{"query":"a"#).starts_with("Invalid JSON input: "));
}

#[test]
fn the_schema_says_what_decoding_does() {
    let schema = c::input_schema(&[
        c::param::<String>("query", "What to look for."),
        c::param::<u32>("limit", "").with_default(|| c::default_of(&10u32).value(&10u32)),
        c::param::<Option<bool>>("verbose", ""),
        c::param::<Vec<Item>>("items", ""),
        c::part::<Part>(),
    ])
    .unwrap();
    assert_eq!(
        schema.as_str(),
        concat!(
            r#"{"type":"object","properties":{"query":{"type":"string","description":"What to look for."},"#,
            r#""limit":{"type":"integer","default":10,"minimum":0},"verbose":{"type":"boolean"},"#,
            r#""items":{"type":"array","items":{"type":"object","properties":{"label":{"type":"string"},"#,
            r#""price":{"type":"number"}},"required":["price"]}},"#,
            r#""maxRows":{"type":"integer","default":0,"minimum":1,"maximum":255}},"#,
            r#""required":["query","items"],"additionalProperties":false}"#
        )
    );
}
