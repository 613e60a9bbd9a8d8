//! The transport over streamable HTTP: rmcp's own, except that the answers to `tools/list` and `tools/call` are kept as
//! they came.

use std::{collections::HashMap, sync::Arc};

use futures_util::{StreamExt, stream::BoxStream};
use http::{HeaderName, HeaderValue, StatusCode, header};
use rmcp::{
    model::ClientJsonRpcMessage,
    transport::{
        common::http_header::{EVENT_STREAM_MIME_TYPE, HEADER_SESSION_ID, JSON_MIME_TYPE},
        streamable_http_client::{
            AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError,
            StreamableHttpPostResponse, StreamableHttpResponseLimits,
        },
    },
};
use sse_stream::{Sse, SseStream};

use super::raw::RawAnswers;

/// Longest text of an error answer that is told, in characters.
const MAX_ERROR: usize = 500;
/// Longest answer that is read, in bytes.
const MAX_BODY: usize = 64 * 1024 * 1024;

type HttpError = StreamableHttpError<reqwest::Error>;

/// The HTTP client of one connection.
#[derive(Clone)]
pub(super) struct Http {
    client: reqwest::Client,
    answers: Arc<RawAnswers>,
}

impl Http {
    pub(super) fn new(client: reqwest::Client, answers: Arc<RawAnswers>) -> Self {
        Self { client, answers }
    }

    /// Posts a request whose answer is kept.
    async fn post(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let accept = format!("{EVENT_STREAM_MIME_TYPE}, {JSON_MIME_TYPE}");
        let mut request = self.client.post(uri).header(header::ACCEPT, accept).json(message);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let has_session = session.is_some();
        if let Some(session) = session {
            request = request.header(HEADER_SESSION_ID, &*session);
        }
        let response = request.send().await.map_err(StreamableHttpError::Client)?;
        let status = response.status();
        let of = |name: &str| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        if status == StatusCode::NOT_FOUND && has_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        if status == StatusCode::UNAUTHORIZED {
            let challenge = of("www-authenticate").unwrap_or_default();
            return Err(StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge)));
        }
        let session = of(HEADER_SESSION_ID);
        let content_type = of("content-type").unwrap_or_default().to_ascii_lowercase();
        if status.is_success() && content_type.starts_with(EVENT_STREAM_MIME_TYPE) {
            let answers = Arc::clone(&self.answers);
            let events = SseStream::from_bytes_stream(response.bytes_stream())
                .map(move |event| event.map(|event| kept(&answers, event)));
            return Ok(StreamableHttpPostResponse::Sse(events.boxed(), session));
        }
        let body = read_body(response).await?;
        if let Some(message) = self.answers.receive(&body).into_iter().next() {
            return Ok(StreamableHttpPostResponse::Json(message, session));
        }
        let start: String = body.chars().take(MAX_ERROR).collect();
        Err(StreamableHttpError::UnexpectedServerResponse(format!("HTTP {status}: {start}").into()))
    }
}

async fn read_body(response: reqwest::Response) -> Result<String, HttpError> {
    let mut bytes = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        bytes.extend_from_slice(&chunk.map_err(StreamableHttpError::Client)?);
        if bytes.len() > MAX_BODY {
            return Err(StreamableHttpError::ResponseBodyTooLarge { max_size: MAX_BODY });
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Puts what rmcp can read in the place of a message that is kept.
fn kept(answers: &RawAnswers, mut event: Sse) -> Sse {
    if let Some(data) = &event.data
        && let Some(message) = answers.receive(data).into_iter().next()
        && let Ok(text) = serde_json::to_string(&message)
    {
        event.data = Some(text);
    }
    event
}

impl StreamableHttpClient for Http {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, token, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, HttpError> {
        if self.answers.note(&message) {
            return self.post(&uri, &message, session, token, headers).await;
        }
        self.client.post_message_with_response_limits(uri, message, session, token, headers, limits).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), HttpError> {
        self.client.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, HttpError> {
        let events = self.client.get_stream(uri, session, last_event, token, headers).await?;
        // An answer may come on a stream that was opened again.
        let answers = Arc::clone(&self.answers);
        Ok(events.map(move |event| event.map(|event| kept(&answers, event))).boxed())
    }
}
