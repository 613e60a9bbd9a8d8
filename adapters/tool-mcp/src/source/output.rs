//! The result of `tools/call` as the model reads it.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use tool_core::{ToolError, ToolOutput};

use super::raw::RawAnswer;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawResult {
    #[serde(default)]
    result_type: Value,
    #[serde(default)]
    content: Value,
    #[serde(default)]
    structured_content: Option<Value>,
    #[serde(default)]
    is_error: Value,
}

#[derive(Deserialize)]
struct RawError {
    #[serde(default)]
    code: Value,
    #[serde(default)]
    message: Value,
}

/// What an answer means for the model.
///
/// # Errors
/// The text of the server where it says that the call failed, or what is wrong with the answer.
pub(super) fn of(answer: &RawAnswer) -> Result<ToolOutput, ToolError> {
    match answer {
        RawAnswer::Result(result) => read(result),
        RawAnswer::Error(error) => Err(rpc_error(error)),
    }
}

fn read(result: &RawValue) -> Result<ToolOutput, ToolError> {
    let raw: RawResult =
        serde_json::from_str(result.get()).map_err(|_| failed("the server answered without a result"))?;
    if let Some(kind) = raw.result_type.as_str().filter(|kind| *kind != "complete") {
        return Err(failed(&format!("the server answered with '{kind}', which is not supported")));
    }
    let mut output = ToolOutput::empty();
    match &raw.content {
        Value::Array(blocks) => {
            for block in blocks {
                output = add(output, block);
            }
        }
        Value::Null => {}
        _ => return Err(failed("the content of the server's answer is no list")),
    }
    if output.parts().is_empty() {
        output = match &raw.structured_content {
            Some(value) => output.with_text(value.to_string()),
            None => output.with_text("(no content)"),
        };
    }
    if raw.is_error.as_bool() == Some(true) {
        return Err(failed(&output.to_text()));
    }
    Ok(match raw.structured_content {
        Some(value) => output.with_structured(value),
        None => output,
    })
}

/// Adds a block; of what a model cannot be shown it reads what it was. Links are never followed.
fn add(output: ToolOutput, block: &Value) -> ToolOutput {
    let text = |name: &str| block.get(name).and_then(Value::as_str);
    let media_type = || text("mimeType").unwrap_or("unknown type");
    match text("type") {
        Some("text") => output.with_text(text("text").unwrap_or_default()),
        Some("image") => match text("data").filter(|data| is_base64(data)) {
            Some(data) => output.with_image(media_type(), data),
            None => output.with_text(format!("[image: {}, its data is not base64]", media_type())),
        },
        Some("audio") => output.with_text(format!("[audio: {}]", media_type())),
        Some("resource_link") => {
            let uri = text("uri").unwrap_or("without uri");
            output.with_text(format!("[link: {} {uri}]", text("name").unwrap_or_default()))
        }
        Some("resource") => {
            let resource = block.get("resource").unwrap_or(&Value::Null);
            let of = |name: &str| resource.get(name).and_then(Value::as_str);
            let uri = of("uri").unwrap_or("without uri");
            match of("text") {
                Some(text) => output.with_text(format!("[resource: {uri}]\n{text}")),
                None => output
                    .with_text(format!("[resource: {uri} {}]", of("mimeType").unwrap_or("unknown type"))),
            }
        }
        Some(other) => output.with_text(format!("[content of type '{other}']")),
        None => output.with_text("[content without a type]"),
    }
}

fn is_base64(data: &str) -> bool {
    let body = data.trim_end_matches('=');
    !data.is_empty()
        && data.len().is_multiple_of(4)
        && data.len() - body.len() <= 2
        && body.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

fn rpc_error(error: &RawValue) -> ToolError {
    let raw =
        serde_json::from_str(error.get()).unwrap_or(RawError { code: Value::Null, message: Value::Null });
    let message = raw.message.as_str().unwrap_or("no message");
    match raw.code.as_i64() {
        Some(code) => failed(&format!("the server answered with error {code}: {message}")),
        None => failed(&format!("the server answered with an error: {message}")),
    }
}

fn failed(text: &str) -> ToolError {
    ToolError::new(text).for_model(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_result(text: &str) -> Result<ToolOutput, ToolError> {
        of(&RawAnswer::Result(RawValue::from_string(text.to_owned()).unwrap()))
    }

    #[test]
    fn every_kind_of_content_is_told() {
        let output = of_result(
            r#"{"content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"iVBORw=="},
                {"type":"image","mimeType":"image/png","data":"!!"},{"type":"audio","mimeType":"audio/wav","data":"AA=="},
                {"type":"resource_link","uri":"file:///x","name":"x"},{"type":"resource","resource":{"uri":"u","text":"t"}},
                {"type":"resource","resource":{"uri":"u","blob":"AA==","mimeType":"b"}},{"type":"new"},5]}"#,
        )
        .unwrap();
        assert_eq!(output.parts().len(), 9);
        assert_eq!(
            output.to_text(),
            "a\n[image: image/png]\n[image: image/png, its data is not base64]\n[audio: audio/wav]\n\
             [link: x file:///x]\n[resource: u]\nt\n[resource: u b]\n[content of type 'new']\n[content without a type]"
        );
    }

    #[test]
    fn structured_content_alone_is_text_too() {
        let output = of_result(r#"{"structuredContent":{"a":1},"content":[]}"#).unwrap();
        assert_eq!(output.to_text(), r#"{"a":1}"#);
        assert_eq!(output.structured(), Some(&serde_json::json!({ "a": 1 })));
    }

    #[test]
    fn failures_are_errors_with_the_servers_text() {
        let text = |answer: Result<ToolOutput, ToolError>| answer.unwrap_err().model_message().to_owned();
        assert_eq!(
            text(of_result(r#"{"isError":true,"content":[{"type":"text","text":"no such file"}]}"#)),
            "no such file"
        );
        assert_eq!(text(of_result("null")), "the server answered without a result");
        assert_eq!(text(of_result(r#"{"content":7}"#)), "the content of the server's answer is no list");
        assert_eq!(
            text(of_result(r#"{"resultType":"input_required"}"#)),
            "the server answered with 'input_required', which is not supported"
        );
        let error = RawValue::from_string(r#"{"code":-32602,"message":"bad"}"#.to_owned()).unwrap();
        assert_eq!(text(of(&RawAnswer::Error(error))), "the server answered with error -32602: bad");
    }

    #[test]
    fn an_empty_answer_says_so() {
        assert_eq!(of_result(r#"{"content":[]}"#).unwrap().to_text(), "(no content)");
        assert_eq!(of_result("{}").unwrap().to_text(), "(no content)");
    }
}
