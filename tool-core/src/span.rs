//! Spans with the names of OpenTelemetry's conventions for generative AI (`semantic-conventions-genai`, status
//! Development, as of its split from the general conventions after v1.41).
//!
//! `execute_tool` is around each call, `invoke_agent` around each run and `chat` around each model request. Without a
//! subscriber that wants them each costs one look at a flag. Arguments and results are recorded only if the registry says
//! `capture_content`. `otel.name`, `otel.kind` and `otel.status_code` are what `tracing-opentelemetry` reads.

use tracing::{Span, field::Empty};

use crate::{
    Arguments, ModelError, ModelIdentity, ToolError, ToolErrorKind, ToolOutput, Usage, registry::Entry,
    session::SessionCore,
};

/// Whether arguments and results of calls may be in spans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Content {
    #[default]
    Withheld,
    Captured,
}

/// The span of one call.
pub(crate) struct CallSpan {
    span: Span,
    content: Content,
}

impl CallSpan {
    pub(crate) fn new(core: &SessionCore, entry: &Entry, call_id: &str, arguments: &Arguments) -> Self {
        let name = entry.name().as_str();
        let span = tracing::info_span!(
            "execute_tool",
            "otel.name" = format_args!("execute_tool {name}"),
            "otel.kind" = "internal",
            "otel.status_code" = Empty,
            "otel.status_description" = Empty,
            "gen_ai.operation.name" = "execute_tool",
            "gen_ai.tool.name" = name,
            "gen_ai.tool.type" = "function",
            "gen_ai.tool.description" = entry.definition.description(),
            "gen_ai.tool.call.id" = Some(call_id).filter(|id| !id.is_empty()),
            "gen_ai.tool.call.arguments" = Empty,
            "gen_ai.tool.call.result" = Empty,
            "gen_ai.conversation.id" = core.given_id(),
            "error.type" = Empty,
        );
        let this = Self { span, content: core.registry.inner().content };
        if this.captures() {
            this.span.record("gen_ai.tool.call.arguments", &*arguments.to_text());
        }
        this
    }

    pub(crate) fn span(&self) -> Span {
        self.span.clone()
    }

    fn captures(&self) -> bool {
        self.content == Content::Captured && !self.span.is_disabled()
    }

    pub(crate) fn returned(&self, output: &ToolOutput) {
        if self.captures() {
            self.span.record("gen_ai.tool.call.result", &*output.to_text());
        }
    }

    pub(crate) fn failed(&self, error: &ToolError) {
        failed(&self.span, kind_of(error.kind()));
        // The text may tell of arguments.
        if self.captures() {
            self.span.record("otel.status_description", error.to_string());
        }
    }
}

/// The span of a run.
pub(crate) fn invoke_agent(name: Option<&str>, core: &SessionCore) -> Span {
    let full = name.map(|name| format!("invoke_agent {name}"));
    tracing::info_span!(
        "invoke_agent",
        "otel.name" = full.as_deref().unwrap_or("invoke_agent"),
        "otel.kind" = "internal",
        "otel.status_code" = Empty,
        "gen_ai.operation.name" = "invoke_agent",
        "gen_ai.agent.name" = name,
        "gen_ai.conversation.id" = core.given_id(),
        "gen_ai.usage.input_tokens" = Empty,
        "gen_ai.usage.output_tokens" = Empty,
        "tool_core.stop_reason" = Empty,
        "error.type" = Empty,
    )
}

/// The span of a model request.
pub(crate) fn chat(identity: ModelIdentity<'_>, core: &SessionCore) -> Span {
    let full = identity.model.map(|model| format!("chat {model}"));
    tracing::info_span!(
        "chat",
        "otel.name" = full.as_deref().unwrap_or("chat"),
        "otel.kind" = "client",
        "otel.status_code" = Empty,
        "gen_ai.operation.name" = "chat",
        "gen_ai.provider.name" = identity.provider,
        "gen_ai.request.model" = identity.model,
        "gen_ai.conversation.id" = core.given_id(),
        "gen_ai.usage.input_tokens" = Empty,
        "gen_ai.usage.output_tokens" = Empty,
        "error.type" = Empty,
    )
}

/// Records the tokens of a run or a request.
pub(crate) fn used(span: &Span, usage: Usage) {
    span.record("gen_ai.usage.input_tokens", usage.input_tokens);
    span.record("gen_ai.usage.output_tokens", usage.output_tokens);
}

/// Records that what a span is around has failed.
pub(crate) fn failed(span: &Span, error_type: &str) {
    span.record("error.type", error_type);
    span.record("otel.status_code", "ERROR");
}

/// The `error.type` of a model request.
pub(crate) fn kind_of_model_error(error: &ModelError) -> &'static str {
    use crate::ModelErrorKind as Kind;
    match error.kind() {
        Kind::Connection => "connection",
        Kind::RateLimited => "rate_limited",
        Kind::Rejected => "rejected",
        Kind::Unauthorized => "unauthorized",
        Kind::Unavailable => "unavailable",
        Kind::InvalidReply => "invalid_reply",
        Kind::Other => "_OTHER",
    }
}

/// The `error.type` of a call.
fn kind_of(kind: ToolErrorKind) -> &'static str {
    match kind {
        ToolErrorKind::InvalidArguments => "invalid_arguments",
        ToolErrorKind::Failed => "failed",
        ToolErrorKind::Panicked => "panicked",
        ToolErrorKind::TimedOut => "timed_out",
        ToolErrorKind::Cancelled => "cancelled",
        ToolErrorKind::MissingContext => "missing_context",
    }
}
