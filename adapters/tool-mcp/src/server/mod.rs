//! A registry as an MCP server: over stdio, any pair of byte streams, or streamable HTTP; both protocol eras.
//!
//! `served` is one conversation and decides by which turn a call is judged; `ordered` is the transport that notes calls
//! as they come; `handler` answers the protocol. `stream` serves bytes, `http` is the tower service with `sessions` for
//! connections and `keyed` for stateless requests.

mod handler;
mod http;
mod keyed;
mod ordered;
mod request;
mod served;
mod sessions;
mod stream;

use std::{fmt, sync::Arc, time::Duration};

pub use http::McpHttpService;
pub use request::{McpRequest, SessionRefused};
pub use stream::ServeError;

use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;
use tool_core::{Registry, Session};

use keyed::Keyed;

type Values = dyn Fn(&McpRequest<'_>, Session) -> Result<Session, SessionRefused> + Send + Sync;
type Key = dyn Fn(&McpRequest<'_>) -> Option<String> + Send + Sync;

/// Serves a registry to MCP clients: one session per connection, hidden tools refused until they are revealed.
///
/// A clone is cheap and serves the same sessions.
///
/// # Examples
/// ```
/// use tool_core::{FunctionTool, Registry, ToolContext};
/// use tool_mcp::McpServer;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let echo = FunctionTool::builder("echo", "Say it again.").handler(async |_: (), _: ToolContext| "hi");
/// let server = McpServer::builder(Registry::builder().tool(echo).build()?).name("echo").build();
/// // server.serve_stdio().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct McpServer(Arc<Inner>);

struct Inner {
    registry: Registry,
    info: ServerConfig,
    values: Option<Box<Values>>,
    key: Option<Box<Key>>,
    keyed: Keyed,
    http: http::Settings,
    stop: CancellationToken,
}

/// Collects what an [`McpServer`] is made of.
#[must_use = "a builder does nothing until `build`"]
pub struct McpServerBuilder {
    registry: Registry,
    implementation: Implementation,
    instructions: Option<String>,
    values: Option<Box<Values>>,
    key: Option<Box<Key>>,
    http: http::Settings,
    stop: CancellationToken,
}

impl McpServer {
    /// Starts the configuration of a server over `registry`.
    pub fn builder(registry: Registry) -> McpServerBuilder {
        McpServerBuilder {
            registry,
            implementation: Implementation::new("tool-mcp", env!("CARGO_PKG_VERSION")),
            instructions: None,
            values: None,
            key: None,
            http: http::Settings::default(),
            stop: CancellationToken::new(),
        }
    }

    /// The registry that is served.
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// Serves one client on standard input and output until the input ends. Nothing else may print to standard output.
    ///
    /// # Errors
    /// [`ServeError`] if the client does not begin as MCP says, or the session is refused.
    pub async fn serve_stdio(&self) -> Result<(), ServeError> {
        self.serve(tokio::io::stdin(), tokio::io::stdout()).await
    }

    /// Serves one client on a pair of byte streams, one JSON message a line, until the input ends. Calls that are in
    /// flight then are answered first.
    ///
    /// # Errors
    /// As [`serve_stdio`](Self::serve_stdio).
    pub async fn serve(
        &self,
        read: impl AsyncRead + Send + Unpin + 'static,
        write: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<(), ServeError> {
        // In a box, so that the future of a host that serves is small.
        Box::pin(stream::serve(self, read, write)).await
    }

    /// The service that an HTTP server nests at its path of choice: `axum::Router::new().nest_service("/mcp", …)`.
    pub fn http_service(&self) -> McpHttpService {
        McpHttpService::new(self)
    }

    fn new_session(&self, request: McpRequest<'_>) -> Result<Session, SessionRefused> {
        let session = self.0.registry.session();
        match &self.0.values {
            Some(values) => values(&request, session),
            None => Ok(session),
        }
    }
}

impl McpServerBuilder {
    /// The name that clients see; `tool-mcp` if not set.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.implementation.name = name.into();
        self
    }

    /// The version that clients see, beside the name.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.implementation.version = version.into();
        self
    }

    /// What a model may be told about the server as a whole.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Gives each new session its host values, by what the request says of its sender: maps authentication to a tenant,
    /// or refuses. Asked when a session begins, not for each of its requests: those a layer in front of the service checks.
    /// Over stdio the request has no HTTP part.
    pub fn session_values(
        mut self,
        values: impl Fn(&McpRequest<'_>, Session) -> Result<Session, SessionRefused> + Send + Sync + 'static,
    ) -> Self {
        self.values = Some(Box::new(values));
        self
    }

    /// The session of a request without `Mcp-Session-Id` (protocol 2026-07-28 over HTTP): requests of one key share one.
    /// The key must name the sender as authentication knows it, as whoever sends it gets the session. Without a key, or
    /// for requests that it gives none, only eager tools are offered.
    pub fn session_key(
        mut self,
        key: impl Fn(&McpRequest<'_>) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.key = Some(Box::new(key));
        self
    }

    /// How long an HTTP session may be idle; 30 minutes if not set.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.http.idle = timeout;
        self
    }

    /// How many HTTP sessions may be open at a time; 10,000 if not set. One more is refused until others end or idle out.
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.http.max_sessions = sessions;
        self
    }

    /// Host names (`example.com`, `example.com:8080`) that HTTP requests may be sent to, instead of this machine's own:
    /// the protection against DNS rebinding.
    pub fn allowed_hosts(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.http.hosts = Some(hosts.into_iter().map(Into::into).collect());
        self
    }

    /// Origins (`https://app.example.com`) whose pages may send HTTP requests; by default none.
    pub fn allowed_origins(mut self, origins: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.http.origins = origins.into_iter().map(Into::into).collect();
        self
    }

    /// Ends all serving when cancelled: no new requests are taken, those in flight are answered.
    pub fn shutdown(mut self, token: CancellationToken) -> Self {
        self.stop = token;
        self
    }

    /// The server.
    pub fn build(self) -> McpServer {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        let mut info = ServerConfig::new(capabilities).with_server_info(self.implementation);
        info.instructions = self.instructions;
        McpServer(Arc::new(Inner {
            registry: self.registry,
            info,
            values: self.values,
            key: self.key,
            keyed: Keyed::new(self.http.idle, self.http.max_sessions),
            http: self.http,
            stop: self.stop,
        }))
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer").field("info", &self.0.info.server_info).finish_non_exhaustive()
    }
}

impl fmt::Debug for McpServerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServerBuilder").field("info", &self.implementation).finish_non_exhaustive()
    }
}
