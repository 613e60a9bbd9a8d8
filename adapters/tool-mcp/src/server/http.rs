//! The tower service for streamable HTTP, with rmcp doing the protocol: sessions by `Mcp-Session-Id` in the earlier era,
//! stateless requests in the later.

use std::{
    convert::Infallible,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::combinators::BoxBody;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tower_service::Service;

use super::{McpServer, handler::Handler, sessions::Limited};

const IDLE: Duration = Duration::from_secs(30 * 60);
const MAX_SESSIONS: usize = 10_000;

/// What a host may set.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    pub(super) idle: Duration,
    pub(super) max_sessions: usize,
    /// Loopback names if not set.
    pub(super) hosts: Option<Vec<String>>,
    pub(super) origins: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { idle: IDLE, max_sessions: MAX_SESSIONS, hosts: None, origins: Vec::new() }
    }
}

/// Serves MCP over streamable HTTP: a tower service that any HTTP server nests, `axum` for one.
///
/// By default it answers only requests that are sent to this machine's loopback names and that no web page sent.
#[derive(Clone)]
pub struct McpHttpService(StreamableHttpService<Handler, Limited>);

impl McpHttpService {
    pub(super) fn new(server: &McpServer) -> Self {
        let settings = &server.0.http;
        let mut config = StreamableHttpServerConfig::default()
            .with_cancellation_token(server.0.stop.clone())
            .with_allowed_origins(settings.origins.clone())
            .enforce_origin_validation();
        if let Some(hosts) = &settings.hosts {
            config = config.with_allowed_hosts(hosts.clone());
        }
        if server.0.key.is_none() {
            tracing::warn!(
                "no `session_key`: requests without a session (MCP 2026-07-28) get eager tools only"
            );
        }
        let sessions = Limited::new(settings, server.0.stop.clone());
        let server = server.clone();
        Self(StreamableHttpService::new(move || Ok(Handler::new(server.clone())), Arc::new(sessions), config))
    }
}

impl<B> Service<Request<B>> for McpHttpService
where
    B: Body + Send + 'static,
    B::Error: fmt::Display,
    B::Data: Send + 'static,
{
    type Response = Response<BoxBody<Bytes, Infallible>>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        Service::call(&mut self.0, request)
    }
}

impl fmt::Debug for McpHttpService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("McpHttpService")
    }
}
