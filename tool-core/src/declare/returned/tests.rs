//! Every form of result, as the expansion treats it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::{borrow::Cow, error::Error, fmt, sync::Arc};

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::{Out, default_of, probe, shape};
use crate::{Json, ToolError, ToolErrorKind, ToolOutput};

macro_rules! output {
    ($result:expr) => {{
        let result = $result;
        match probe(&result).tag().split(result) {
            Ok(value) => shape(&value).tag().finish(value),
            Err(error) => Err(error),
        }
    }};
}

macro_rules! shown {
    ($result:expr) => {
        output!($result).unwrap().to_text().into_owned()
    };
}

macro_rules! failed {
    ($result:expr) => {{
        let error: ToolError = output!($result).unwrap_err();
        (error.model_message().to_owned(), error.to_string())
    }};
}

fn both(model: &str, host: &str) -> (String, String) {
    (model.to_owned(), host.to_owned())
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
struct Receipt {
    cents: u64,
}

#[derive(Serialize)]
struct Name(&'static str);

#[derive(Serialize)]
struct Done;

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Idle,
    Busy(u8),
}

#[test]
fn values_are_shown_as_text() {
    assert_eq!(shown!("a \"b\"".to_owned()), "a \"b\"");
    assert_eq!(shown!("a"), "a");
    assert_eq!(shown!(Cow::Borrowed("a")), "a");
    assert_eq!(shown!(Arc::<str>::from("a")), "a");
    assert_eq!(shown!('a'), "a");
    assert_eq!(shown!(Some("a".to_owned())), "a");
    assert_eq!(shown!(Name("a")), "a");
    assert_eq!(shown!(State::Idle), "idle");
    assert_eq!(shown!(None::<String>), "null");
    assert_eq!(shown!(()), "ok");
    assert_eq!(shown!(Done), "ok");
    assert_eq!(shown!(json!("a")), "a");
    assert_eq!(shown!(format_args!("{}{}", 1, 2)), "12");
}

#[test]
fn all_else_is_json() {
    assert_eq!(shown!(1.5), "1.5");
    assert_eq!(shown!(true), "true");
    assert_eq!(shown!(u128::MAX), u128::MAX.to_string());
    assert_eq!(shown!(Receipt { cents: 5 }), r#"{"cents":5}"#);
    assert_eq!(shown!(State::Busy(1)), r#"{"busy":1}"#);
    assert_eq!(shown!(("a", 1)), r#"["a",1]"#);
    assert_eq!(shown!(vec![Some("a"), None]), r#"["a",null]"#);
    assert_eq!(shown!(vec!["é\n"]), r#"["é\n"]"#);
    assert_eq!(shown!(std::collections::BTreeMap::from([("a", 1)])), r#"{"a":1}"#);
}

#[test]
fn outputs_keep_their_parts() {
    let output = ToolOutput::text("a").with_image("image/png", "");
    assert_eq!(output!(output.clone()).unwrap(), output);
    assert_eq!(output!(Ok::<_, ToolError>(output.clone())).unwrap(), output);
    assert_eq!(output!(Ok::<_, String>(output.clone())).unwrap(), output);
    let structured = output!(Ok::<_, String>(Json(Receipt { cents: 5 }))).unwrap();
    assert_eq!(structured.to_text(), r#"{"cents":5}"#);
    assert_eq!(structured.structured(), Some(&json!({"cents": 5})));
}

#[derive(Debug)]
struct Layer(&'static str, Option<Box<Layer>>);

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Error for Layer {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.1.as_deref().map(|source| source as &dyn Error)
    }
}

fn layers() -> Layer {
    Layer(
        "charge failed",
        Some(Box::new(Layer("connect to 10.0.0.7", Some(Box::new(Layer("refused", None)))))),
    )
}

/// As the reports of `anyhow` and `eyre`: displays, lends its error, is none.
struct Report(Layer);

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl AsRef<dyn Error> for Report {
    fn as_ref(&self) -> &(dyn Error + 'static) {
        &self.0
    }
}

impl AsRef<dyn Error + Send + Sync> for Report {
    fn as_ref(&self) -> &(dyn Error + Send + Sync + 'static) {
        &self.0
    }
}

/// Displays more when asked for its alternate form, and is no error.
struct Displays;

impl fmt::Display for Displays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if f.alternate() { "no: the reason" } else { "no\nway" })
    }
}

type Alias<T, E = Layer> = Result<T, E>;

#[test]
fn the_model_reads_the_error_and_the_host_its_sources() {
    let told = both("charge failed", "charge failed: connect to 10.0.0.7: refused");
    assert_eq!(failed!(Alias::<()>::Err(layers())), told);
    assert_eq!(failed!(Err::<(), Box<dyn Error>>(layers().into())), told);
    assert_eq!(failed!(Err::<(), Box<dyn Error + Send + Sync>>(layers().into())), told);
    assert_eq!(failed!(Err::<Json<Receipt>, _>(Report(layers()))), told);
    assert_eq!(failed!(Err::<ToolOutput, _>(Arc::new(layers()))), told);
    assert_eq!(failed!(Err::<u8, _>(Displays)), both("no way", "no: the reason"));
    assert_eq!(failed!(Err::<u8, _>("no")), both("no", "no"));
    let local = "borrowed".to_owned();
    assert_eq!(failed!(Err::<u8, _>(local.as_str())), both("borrowed", "borrowed"));
    assert!(failed!(Err::<u8, _>("x".repeat(9_000))).0.len() <= 2_000);
}

#[test]
fn a_tool_error_is_kept_as_it_is() {
    let error = || ToolError::of_kind(ToolErrorKind::TimedOut, "host").for_model("model");
    assert_eq!(failed!(Alias::<(), ToolError>::Err(error())), both("model", "host"));
    assert_eq!(failed!(Err::<(), Box<dyn Error>>(error().into())), both("model", "host"));
    assert_eq!(failed!(Err::<(), Box<dyn Error + Send + Sync>>(error().into())), both("model", "host"));
    let kept = output!(Err::<(), Box<dyn Error>>(error().into())).unwrap_err();
    assert_eq!(kept.kind(), ToolErrorKind::TimedOut);
}

struct Unserialisable;

impl Serialize for Unserialisable {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("no way to write it"))
    }
}

#[test]
fn a_value_that_does_not_serialise_is_a_failure_in_words() {
    let (model, host) = failed!(Unserialisable);
    assert_eq!(model, "The tool ran, but its result could not be written as JSON.");
    assert_eq!(host, "the result does not serialise: no way to write it");
}

#[test]
fn json_has_an_output_schema_behind_any_alias() {
    assert!(Out::<Json<Receipt>>::new().schema().is_some());
    let schema = Out::<Alias<Json<Receipt>>>::new().schema().unwrap()().unwrap();
    assert_eq!(
        schema.as_str(),
        r#"{"type":"object","properties":{"cents":{"type":"integer","minimum":0}},"required":["cents"]}"#
    );
    assert!(Out::<Receipt>::new().schema().is_none());
    assert!(Out::<Alias<Receipt>>::new().schema().is_none());
}

#[test]
fn a_default_is_shown_where_it_serialises() {
    struct Opaque;
    assert_eq!(default_of(&10u8).value(&10u8), Some(json!(10)));
    assert_eq!(default_of(&Opaque).value(&Opaque), None);
}
