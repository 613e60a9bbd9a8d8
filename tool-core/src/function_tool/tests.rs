#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::*;
use crate::{Json, Registry, ToolError, ToolErrorKind, ToolOutput};

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Sum {
    a: i64,
    #[serde(default)]
    b: i64,
}

async fn call(tool: FunctionTool, arguments: Value) -> Result<ToolOutput, ToolError> {
    let name = tool.definition().name().to_string();
    Registry::builder().tool(tool).build().unwrap().session().call(&name, arguments).await
}

#[tokio::test]
async fn a_closure_is_a_tool() {
    let offset = 5;
    let add = FunctionTool::new("add", "Adds.", move |sum: Sum, cx: ToolContext| async move {
        assert_eq!(cx.tool_name().unwrap(), &"add");
        Ok::<_, ToolError>(sum.a + sum.b + offset)
    });
    assert_eq!(
        add.definition().input_schema().unwrap().as_str(),
        concat!(
            r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer","default":0}},"#,
            r#""required":["a"],"additionalProperties":false}"#
        )
    );
    assert!(add.options().location.unwrap().file.ends_with("function_tool/tests.rs"));
    assert_eq!(call(add, json!({"a": 1, "b": 2})).await.unwrap().to_text(), "8");
}

#[tokio::test]
async fn unit_takes_no_arguments() {
    let tool = || FunctionTool::new("hi", "Says hi.", async |(): (), _: ToolContext| "hi");
    assert_eq!(
        tool().definition().input_schema().unwrap().as_str(),
        r#"{"type":"object","properties":{},"additionalProperties":false}"#
    );
    for nothing in [Value::Null, json!({}), json!(""), json!("null"), json!("{}")] {
        assert_eq!(call(tool(), nothing).await.unwrap().to_text(), "hi");
    }
    let error = call(tool(), json!({"x": 1})).await.unwrap_err();
    assert_eq!(error.model_message(), "unknown argument `x`; this tool takes no arguments");
}

#[tokio::test]
async fn a_blocking_closure_leaves_the_async_threads() {
    let caller = std::thread::current().id();
    let tool = FunctionTool::builder("where", "Where it runs.")
        .blocking(move |(): (), _: ToolContext| std::thread::current().id() != caller);
    assert_eq!(call(tool, json!({})).await.unwrap().to_text(), "true");
    let tool =
        FunctionTool::builder("boom", "Panics.").blocking(|(): (), _: ToolContext| -> () { panic!("boom") });
    assert_eq!(call(tool, json!({})).await.unwrap_err().kind(), ToolErrorKind::Panicked);
}

#[tokio::test]
async fn a_raw_tool_sees_what_the_model_wrote() {
    let schema = r#"{ "type": "object", "title": "Kept" }"#;
    let tool = FunctionTool::builder("raw", "As it came.")
        .raw(schema, async |arguments: Arguments, _: ToolContext| arguments.to_text().into_owned());
    assert_eq!(tool.definition().input_schema().unwrap().as_str(), schema);
    assert_eq!(call(tool, json!([1])).await.unwrap().to_text(), "[1]");
}

#[tokio::test]
async fn outputs_and_errors_keep_their_parts() {
    let output = FunctionTool::new("o", "Parts.", async |(): (), _: ToolContext| {
        Ok::<_, ToolError>(ToolOutput::text("a").with_image("image/png", ""))
    });
    assert_eq!(call(output, json!({})).await.unwrap().parts().len(), 2);
    let json = FunctionTool::new("j", "Structured.", async |(): (), _: ToolContext| Json(Sum { a: 1, b: 2 }));
    assert!(json.definition().output_schema().unwrap().is_some());
    assert_eq!(call(json, json!({})).await.unwrap().structured(), Some(&json!({"a": 1, "b": 2})));
    let error = FunctionTool::new("e", "Fails.", async |(): (), _: ToolContext| {
        Err::<(), _>(ToolError::new("for the host").for_model("for the model"))
    });
    let error = call(error, json!({})).await.unwrap_err();
    assert_eq!((error.to_string().as_str(), error.model_message()), ("for the host", "for the model"));
}

#[test]
fn faults_are_reported_by_build_all_at_once() {
    let bad = FunctionTool::builder("größe", " ").raw("[]", async |_: Arguments, _: ToolContext| "");
    let fault = bad.fault().unwrap();
    assert!(fault.contains("object schema"), "{fault}");
    assert!(fault.contains("größe"), "{fault}");
    assert!(fault.contains("the description is empty"), "{fault}");
    let error = Registry::builder().tool(bad).build().unwrap_err().to_string();
    assert!(error.contains("function_tool/tests.rs:"), "{error}");
}
