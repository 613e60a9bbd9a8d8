//! Every form of result: what the model reads, what the host sees.

use std::{borrow::Cow, error::Error as _, fmt, sync::Arc};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tool_core::{ContentPart, Json, Tool as _, ToolError, ToolOutput, function_tool};

use super::{call, output};

macro_rules! returning {
    ($($name:ident: $ty:ty = $value:expr => $text:expr;)*) => {$(
        #[tokio::test]
        async fn $name() {
            /// Returns it.
            #[function_tool]
            fn sync() -> $ty { $value }
            /// Returns it later.
            #[function_tool]
            async fn later() -> $ty { $value }
            assert_eq!(call(sync::TOOL, "{}").await, $text);
            assert_eq!(call(later::TOOL, "{}").await, $text);
            assert!(sync::TOOL.definition().output_schema().unwrap().is_none());
        }
    )*};
}

#[derive(Serialize)]
struct Receipt {
    cents: u64,
}

#[derive(Serialize)]
enum Unit {
    Celsius,
}

type Aliased<T> = std::io::Result<T>;

returning! {
    unit: () = () => "ok";
    text: String = "a \"quoted\" text".to_owned() => "a \"quoted\" text";
    static_text: &'static str = "text" => "text";
    cow: Cow<'static, str> = "text".into() => "text";
    shared_text: Arc<str> = "text".into() => "text";
    number: u64 = 7 => "7";
    flag: bool = true => "true";
    some: Option<&'static str> = Some("text") => "text";
    none: Option<u8> = None => "null";
    list: Vec<&'static str> = vec!["a", "b"] => r#"["a","b"]"#;
    object: Receipt = Receipt { cents: 5 } => r#"{"cents":5}"#;
    unit_variant: Unit = Unit::Celsius => "Celsius";
    value: serde_json::Value = json!({"a": [1]}) => r#"{"a":[1]}"#;
    opaque: impl Serialize + use<> = Receipt { cents: 5 } => r#"{"cents":5}"#;
    output_parts: ToolOutput = ToolOutput::text("a").with_image("image/png", "AA==") => "a\n[image: image/png]";
    result_ok: Result<String, String> = Ok("fine".to_owned()) => "fine";
    result_unit: Result<(), String> = Ok(()) => "ok";
    result_err: Result<String, String> = Err("no\nsuch thing".to_owned()) => "error: no such thing";
    result_alias: Aliased<u8> = Err(std::io::Error::other("disk full")) => "error: disk full";
    result_boxed: Result<u8, Box<dyn std::error::Error>> = Err("boxed".into()) => "error: boxed";
    result_opaque: Result<impl Serialize + use<>, String> = Ok(Receipt { cents: 5 }) => r#"{"cents":5}"#;
    result_output: Result<ToolOutput, String> = Ok(ToolOutput::text("a")) => "a";
}

#[derive(Debug)]
struct Wrapped(std::io::Error);

impl fmt::Display for Wrapped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("could not charge")
    }
}

impl std::error::Error for Wrapped {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Fails with a source.
#[function_tool]
async fn with_source() -> Result<(), Wrapped> {
    Err(Wrapped(std::io::Error::other("10.0.0.7 refused")))
}

/// Fails with two texts.
#[function_tool]
async fn two_texts() -> Result<(), ToolError> {
    Err(ToolError::new("10.0.0.7 refused").for_model("try later"))
}

#[tokio::test]
async fn sources_are_for_the_host() {
    let error = output(with_source::TOOL, "").await.unwrap_err();
    assert_eq!(error.model_message(), "could not charge");
    let mut seen = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        seen.push_str(&inner.to_string());
        source = inner.source();
    }
    assert!(seen.contains("10.0.0.7 refused"), "{seen}");
    let error = output(two_texts::TOOL, "").await.unwrap_err();
    assert_eq!((error.model_message(), error.to_string().as_str()), ("try later", "10.0.0.7 refused"));
}

#[derive(Serialize, JsonSchema)]
struct Quote {
    /// In cents.
    price: u64,
}

type Quoted = Json<Quote>;

/// Quotes.
#[function_tool]
fn quote(price: u64) -> Quoted {
    Json(Quote { price })
}

/// Quotes or fails.
#[function_tool]
async fn try_quote(price: u64) -> Result<Json<Quote>, String> {
    if price == 0 { Err("nothing is free".to_owned()) } else { Ok(Json(Quote { price })) }
}

#[tokio::test]
async fn json_has_an_output_schema() {
    for tool in [quote::TOOL, try_quote::TOOL] {
        let schema = tool.definition().output_schema().unwrap().unwrap();
        let schema: serde_json::Value = serde_json::from_str(schema.as_str()).unwrap();
        assert_eq!(schema["properties"]["price"]["description"], "In cents.");
        let output = output(tool, json!({"price": 3})).await.unwrap();
        assert_eq!(output.structured(), Some(&json!({"price": 3})));
        assert_eq!(output.parts(), [ContentPart::Text { text: r#"{"price":3}"#.to_owned() }]);
    }
    assert_eq!(call(try_quote::TOOL, json!({"price": 0})).await, "error: nothing is free");
}

/// Borrows its result from an argument.
#[function_tool]
fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

#[tokio::test]
async fn a_result_may_borrow_from_an_argument() {
    assert_eq!(call(first_word::TOOL, json!({"text": "hello world"})).await, "hello");
}

/// Panics.
#[function_tool(blocking)]
fn blocking_panic() -> String {
    panic!("secret detail")
}

#[tokio::test]
async fn a_panic_is_an_answer_without_its_text() {
    let error = output(blocking_panic::TOOL, "").await.unwrap_err();
    assert_eq!(error.kind(), tool_core::ToolErrorKind::Panicked);
    assert!(!error.model_message().contains("secret"), "{error}");
}
