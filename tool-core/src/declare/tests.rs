//! What the expansion emits, written by hand.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::future::Future;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::private as c;
use crate::{Arguments, ToolError, ToolErrorKind, ToolOutput};

/// Runs a future that is ready at its first poll.
fn now<F: Future>(future: F) -> F::Output {
    let mut task = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut task) {
        std::task::Poll::Ready(output) => output,
        std::task::Poll::Pending => panic!("not ready"),
    }
}

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

fn shown<R>(result: R, finish: impl FnOnce(R) -> Result<ToolOutput, ToolError>) -> String {
    finish(result).map_or_else(
        |error| format!("error: {}", error.model_message()),
        |output| output.to_text().into_owned(),
    )
}

macro_rules! shown {
    ($result:expr) => {
        shown($result, |result| {
            let split = c::probe(&result).tag().split(result);
            match split {
                Ok(value) => c::shape(&value).tag().finish(value),
                Err(error) => Err(error),
            }
        })
    };
}

#[derive(Serialize)]
enum Unit {
    Celsius,
}

type Alias<T> = Result<T, std::io::Error>;

#[test]
fn every_form_of_result_is_shown() {
    assert_eq!(shown!("text".to_owned()), "text");
    assert_eq!(shown!("text"), "text");
    assert_eq!(shown!(Some("text")), "text");
    assert_eq!(shown!(None::<u8>), "null");
    assert_eq!(shown!(()), "ok");
    assert_eq!(shown!(7), "7");
    assert_eq!(shown!(Unit::Celsius), "Celsius");
    assert_eq!(shown!(vec!["a"]), r#"["a"]"#);
    assert_eq!(shown!(json!({"a": 1})), r#"{"a":1}"#);
    assert_eq!(shown!(ToolOutput::text("x")), "x");
    assert_eq!(shown!(Ok::<_, ToolError>(ToolOutput::text("x"))), "x");
    assert_eq!(shown!(Ok::<_, String>("x".to_owned())), "x");
    assert_eq!(shown!(Err::<(), _>("no".to_owned())), "error: no");
    assert_eq!(shown!(Err::<(), _>(ToolError::new("host").for_model("model"))), "error: model");
    let alias: Alias<u8> = Err(std::io::Error::other("disk"));
    assert_eq!(shown!(alias), "error: disk");
    let boxed: Result<u8, Box<dyn std::error::Error>> = Err(ToolError::new("host").for_model("model").into());
    assert_eq!(shown!(boxed), "error: model");
    let boxed: Result<u8, Box<dyn std::error::Error + Send + Sync>> = Err("no".into());
    assert_eq!(shown!(boxed), "error: no");
    assert_eq!(shown!(crate::Json(Item { price: 1.0, label: None })), r#"{"price":1.0,"label":null}"#);
}

#[test]
fn whole_arguments() {
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Whole {
        #[allow(dead_code)]
        name: String,
        #[serde(flatten)]
        more: std::collections::BTreeMap<String, Value>,
    }
    let item =
        |text: &str| c::read_all::<Item>(&text.into()).map_err(|error| error.model_message().to_owned());
    assert_eq!(item(r#"{"price":1.5}"#), Ok(Item { price: 1.5, label: None }));
    assert_eq!(item(""), Err("missing argument `price`".to_owned()));
    assert_eq!(item(r#"{"prise":1}"#), Err("unknown argument `prise`; did you mean `price`?".to_owned()));
    let whole = c::read_all::<Whole>(&r#"{"name":"a","x":1}"#.into()).unwrap();
    assert_eq!(whole.more["x"], 1);
}

#[test]
fn a_call_that_failed_before_it_began() {
    assert_eq!(now(c::failed(ToolError::new("no"))).unwrap_err().to_string(), "no");
}
