//! genai's answer as a [`ModelReply`]. Called once per request.
//!
//! An answer that says nothing at all is an error, never a success: some gateways send their errors with status 200.

use genai::{
    adapter::AdapterKind,
    chat::{ChatResponse, MessageContent, StopReason, Usage as GenaiUsage},
};
use serde_json::Value;
use tool_core::{Arguments, FinishReason, ModelError, ModelErrorKind, ModelReply, ToolCall, Usage};

use crate::{continuation::Continuation, error, raw_reply};

/// `position` is the number of messages before this reply: part of the ids made for calls that have none.
pub(crate) fn from_response(
    response: ChatResponse,
    adapter: AdapterKind,
    position: usize,
) -> Result<ModelReply, ModelError> {
    let ChatResponse { content, reasoning_content, stop_reason, usage, captured_raw_body, .. } = response;
    if content.is_empty() && stop_reason.is_none() {
        return Err(error::from_body(&captured_raw_body.unwrap_or_default()));
    }
    let mut reply = ModelReply::default();
    reply.text = content.joined_texts().unwrap_or_default();
    if content.contains_tool_call() {
        reply.continuation = Continuation::of(&content, reasoning_content.as_deref()).write(adapter);
    }
    reply.calls = content
        .into_tool_calls()
        .into_iter()
        .map(|call| ToolCall::new(call.call_id, call.fn_name, call.fn_arguments))
        .collect();
    reply.usage = usage_of(&usage);
    reply.finish = stop_reason.as_ref().map_or(FinishReason::Other, finish_of);
    if let Some(refusal) = captured_raw_body.as_ref().and_then(raw_reply::refusal) {
        reply.finish = FinishReason::Filtered;
        if reply.text.is_empty() {
            refusal.clone_into(&mut reply.text);
        }
    }
    Ok(complete(reply, position))
}

/// genai refuses a whole answer for one call whose arguments are no JSON; such an answer is read from its body.
pub(crate) fn from_failure(
    failure: genai::Error,
    adapter: AdapterKind,
    position: usize,
) -> Result<ModelReply, ModelError> {
    if let genai::Error::ChatResponseGeneration { response_body, cause, .. } = failure {
        return match raw_reply::read(&response_body) {
            Some(mut reply) => {
                let reasoning = raw_reply::reasoning(&response_body);
                reply.continuation = Continuation::of(&MessageContent::default(), reasoning).write(adapter);
                Ok(complete(reply, position))
            }
            // Not the error itself: its text holds the whole request.
            None => Err(ModelError::new(
                ModelErrorKind::InvalidReply,
                format!("the answer cannot be understood: {cause}"),
            )),
        };
    }
    Err(error::from_genai(failure))
}

fn complete(mut reply: ModelReply, position: usize) -> ModelReply {
    for (index, call) in reply.calls.iter_mut().enumerate() {
        if call.id.is_empty() {
            call.id = format!("call_{position}_{index}");
        }
    }
    // Gemini and Ollama say `stop` after calls too.
    if reply.finish == FinishReason::Stop && !reply.calls.is_empty() {
        reply.finish = FinishReason::ToolCalls;
    }
    reply
}

pub(crate) fn finish_of(reason: &StopReason) -> FinishReason {
    match reason {
        StopReason::Completed(_) | StopReason::StopSequence(_) => FinishReason::Stop,
        StopReason::ToolCall(_) => FinishReason::ToolCalls,
        StopReason::MaxTokens(_) => FinishReason::Length,
        StopReason::ContentFilter(_) => FinishReason::Filtered,
        StopReason::Other(_) => FinishReason::Other,
    }
}

fn usage_of(usage: &GenaiUsage) -> Usage {
    let count =
        |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or_default();
    Usage::new(count(usage.prompt_tokens), count(usage.completion_tokens))
}

/// Arguments as they stand in a body: text stays text.
pub(crate) fn arguments_of(value: Option<&Value>) -> Arguments {
    match value {
        None => Arguments::default(),
        Some(Value::String(text)) => Arguments::Text(text.clone()),
        Some(value) => Arguments::Value(value.clone()),
    }
}
