//! The two OpenAI wires read without genai, for answers that it refuses as a whole: one call with malformed or empty
//! arguments, or a call without an id. Called only then.
//!
//! Arguments stay the text that the model wrote, so the one bad call is answered and the others run.

use genai::chat::StopReason;
use serde_json::Value;
use tool_core::{FinishReason, ModelReply, ToolCall, Usage};

use crate::reply::{arguments_of, finish_of};

/// The reply in a body of chat completions or of the Responses API; none if it is neither.
pub(crate) fn read(body: &Value) -> Option<ModelReply> {
    chat_completion(body).or_else(|| response(body))
}

/// The words with which a model of OpenAI declined, in the place that they have beside the content.
pub(crate) fn refusal(body: &Value) -> Option<&str> {
    body.pointer("/choices/0/message/refusal")?.as_str().filter(|text| !text.is_empty())
}

/// The reasoning beside the content of a chat completion, as plain text.
pub(crate) fn reasoning(body: &Value) -> Option<&str> {
    text_of(body.pointer("/choices/0/message/reasoning_content")).filter(|text| !text.is_empty())
}

fn chat_completion(body: &Value) -> Option<ModelReply> {
    let choice = body.pointer("/choices/0")?;
    let message = choice.get("message")?;
    let calls = message.get("tool_calls")?.as_array()?;
    let mut reply = ModelReply::default();
    reply.text = text_of(message.get("content")).map(|text| text.trim().to_owned()).unwrap_or_default();
    reply.calls =
        calls.iter().map(|call| call_of(call, "id", call.get("function")?)).collect::<Option<_>>()?;
    reply.finish = finish(choice.get("finish_reason"));
    reply.usage = usage(body, "prompt_tokens", "completion_tokens");
    Some(reply)
}

fn response(body: &Value) -> Option<ModelReply> {
    let mut reply = ModelReply::default();
    for item in body.get("output")?.as_array()? {
        match text_of(item.get("type")).unwrap_or_default() {
            "function_call" => reply.calls.push(call_of(item, "call_id", item)?),
            "message" => {
                let parts = item.get("content").and_then(Value::as_array).into_iter().flatten();
                reply.text.extend(parts.filter_map(|part| text_of(part.get("text"))));
            }
            _ => {}
        }
    }
    reply.finish = finish(body.get("status"));
    reply.usage = usage(body, "input_tokens", "output_tokens");
    Some(reply)
}

fn call_of(call: &Value, id: &str, function: &Value) -> Option<ToolCall> {
    Some(ToolCall {
        id: text_of(call.get(id)).unwrap_or_default().to_owned(),
        name: text_of(function.get("name"))?.to_owned(),
        arguments: arguments_of(function.get("arguments")),
    })
}

fn finish(reason: Option<&Value>) -> FinishReason {
    text_of(reason).map_or(FinishReason::Other, |reason| finish_of(&StopReason::from(reason.to_owned())))
}

fn usage(body: &Value, input: &str, output: &str) -> Usage {
    let count = |member| body.get("usage").and_then(|usage| usage.get(member)).and_then(Value::as_u64);
    Usage::new(count(input).unwrap_or_default(), count(output).unwrap_or_default())
}

fn text_of(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str)
}
