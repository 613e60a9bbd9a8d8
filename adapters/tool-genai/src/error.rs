//! genai's errors as [`ModelError`]s: the kind that a host decides by, and the provider's own words.
//!
//! No text holds a key or the request.

use std::error::Error;

use genai::{resolver, webc};
use serde_json::Value;
use tool_core::{ModelError, ModelErrorKind};

pub(crate) fn from_genai(error: genai::Error) -> ModelError {
    if let Some(status) = error.status() {
        return from_status(status.as_u16(), &status.to_string(), &error);
    }
    match error {
        genai::Error::WebModelCall { webc_error, .. } | genai::Error::WebAdapterCall { webc_error, .. } => {
            from_web(webc_error)
        }
        genai::Error::Resolver { resolver_error, .. } => from_resolver(&resolver_error),
        genai::Error::RequiresApiKey { .. }
        | genai::Error::NoAuthResolver { .. }
        | genai::Error::NoAuthData { .. } => ModelError::new(ModelErrorKind::Unauthorized, error.to_string()),
        genai::Error::ChatReqHasNoMessages { .. }
        | genai::Error::LastChatMessageIsNotUser { .. }
        | genai::Error::MessageRoleNotSupported { .. }
        | genai::Error::MessageContentTypeNotSupported { .. }
        | genai::Error::AdapterNotSupported { .. } => {
            ModelError::new(ModelErrorKind::Rejected, error.to_string())
        }
        other => ModelError::new(ModelErrorKind::Other, other.to_string()),
    }
}

/// The error that a body of status 200 holds, or that it holds nothing.
pub(crate) fn from_body(body: &Value) -> ModelError {
    let code = body.pointer("/error/code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    match provider_message(body) {
        Some(words) => ModelError::new(code.map_or(ModelErrorKind::InvalidReply, kind_of), words),
        None => ModelError::new(
            ModelErrorKind::InvalidReply,
            "the answer has neither text nor calls nor a reason to stop",
        ),
    }
}

fn from_status(status: u16, status_line: &str, error: &genai::Error) -> ModelError {
    let body = match error {
        genai::Error::HttpError { body, .. } => body.as_str(),
        genai::Error::WebModelCall { webc_error: webc::Error::ResponseFailedStatus { body, .. }, .. }
        | genai::Error::WebAdapterCall {
            webc_error: webc::Error::ResponseFailedStatus { body, .. }, ..
        } => body,
        _ => "",
    };
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    let words = parsed.as_ref().and_then(provider_message).unwrap_or(body);
    let retry_after = error
        .headers()
        .and_then(|headers| headers.get("retry-after")?.to_str().ok())
        .map(|value| format!(" (retry-after: {value})"))
        .unwrap_or_default();
    ModelError::new(kind_of(status), format!("{status_line}: {words}{retry_after}"))
}

fn kind_of(status: u16) -> ModelErrorKind {
    match status {
        401 | 403 => ModelErrorKind::Unauthorized,
        429 => ModelErrorKind::RateLimited,
        400..=499 => ModelErrorKind::Rejected,
        500..=599 => ModelErrorKind::Unavailable,
        _ => ModelErrorKind::Other,
    }
}

/// Where providers put their words: OpenAI, Anthropic and Gemini, Gemini's lists, Cohere, Ollama, some gateways.
fn provider_message(body: &Value) -> Option<&str> {
    ["/error/message", "/0/error/message", "/message", "/error", "/detail"]
        .iter()
        .find_map(|place| body.pointer(place)?.as_str())
}

fn from_web(error: webc::Error) -> ModelError {
    match error {
        webc::Error::ResponseFailedNotJson { content_type, body } => ModelError::new(
            ModelErrorKind::InvalidReply,
            format!("the answer is not JSON but `{content_type}`: {body}"),
        ),
        webc::Error::ResponseFailedInvalidJson { body, cause } => {
            ModelError::new(ModelErrorKind::InvalidReply, format!("the answer is not JSON ({cause}): {body}"))
        }
        webc::Error::Reqwest(error) => {
            let kind = if error.is_builder() { ModelErrorKind::Other } else { ModelErrorKind::Connection };
            // Some providers take their key in the URL.
            let error = error.without_url();
            ModelError::new(kind, with_causes(&error)).with_source(error)
        }
        other => ModelError::new(ModelErrorKind::Other, other.to_string()),
    }
}

fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

fn from_resolver(error: &resolver::Error) -> ModelError {
    match error {
        resolver::Error::ApiKeyEnvNotFound { env_name } => ModelError::new(
            ModelErrorKind::Unauthorized,
            format!("no API key: the environment variable {env_name} is not set"),
        ),
        resolver::Error::Custom(words) => ModelError::new(ModelErrorKind::Unauthorized, words.as_str()),
        resolver::Error::ResolverAuthDataNotSingleValue => {
            ModelError::new(ModelErrorKind::Unauthorized, "this provider takes a single API key")
        }
    }
}
