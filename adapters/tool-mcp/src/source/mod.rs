//! MCP servers as sources of tools: child processes and streamable HTTP, both protocol eras.
//!
//! `connection` is one live connection over `lines` (pipes of a `process`) or `http`; `raw` keeps what came as it came,
//! `listing` and `output` read it. Time-outs, retries, names and states are tool-core's.

mod client;
mod config;
mod connection;
mod http;
mod lines;
mod listing;
mod output;
mod process;
mod raw;

use std::{
    collections::HashMap,
    ffi::OsString,
    fmt,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use ::http::{HeaderName, HeaderValue};
pub use config::{ConfigError, McpConfig};
use connection::{Connection, Failure};
use process::Program;
use serde_json::{Map, Value};
use tokio::{
    sync::{Mutex, watch},
    task::AbortHandle,
};
use tool_core::{SourceError, SourceFuture, SourceListing, ToolContext, ToolError, ToolFuture, ToolSource};

/// How long a server that could not be reached by a call is left alone.
const PAUSE: Duration = Duration::from_secs(1);

/// An MCP server whose tools a registry offers. Nothing is started before the first turn.
///
/// # Examples
/// ```
/// use tool_core::{Registry, Toolset};
/// use tool_mcp::McpSource;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let files = McpSource::command("npx").args(["-y", "@modelcontextprotocol/server-filesystem", "/tmp"]);
/// let issues = McpSource::http("https://mcp.example.com/mcp")?.bearer_token("…");
/// let registry = Registry::builder()
///     .toolset(Toolset::new("files").source(files))
///     .toolset(Toolset::new("issues").source(issues))
///     .build()?;
/// # Ok(())
/// # }
/// ```
pub struct McpSource {
    endpoint: Endpoint,
    label: String,
    poll: Option<Duration>,
    changed: watch::Sender<()>,
    state: Mutex<State>,
}

/// Where a server is.
#[derive(Debug, Clone)]
enum Endpoint {
    Child(Program),
    Http(Address),
}

#[derive(Debug, Clone)]
struct Address {
    url: String,
    headers: HashMap<HeaderName, HeaderValue>,
    token: Option<String>,
    client: reqwest::Client,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    /// The last try that failed.
    failed: Option<(Instant, String)>,
    /// Asks for the list again after a while.
    timer: Option<Timer>,
}

struct Timer(AbortHandle);

impl Drop for Timer {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// An address that is none.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// Not a URL, or not of HTTP.
    #[error("`{url}` is not an http or https URL")]
    Url {
        /// As given.
        url: String,
    },
    /// Not a header.
    #[error("`{name}` cannot be a header, or its value cannot be the value of one")]
    Header {
        /// As given.
        name: String,
    },
    /// The HTTP client cannot be made.
    #[error("the HTTP client cannot be made: {0}")]
    Client(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl McpSource {
    fn new(endpoint: Endpoint, label: String) -> Self {
        Self { endpoint, label, poll: None, changed: watch::Sender::new(()), state: Mutex::default() }
    }

    /// A server that is started as a child process and spoken to over its pipes. It ends with the source.
    pub fn command(program: impl Into<OsString>) -> Self {
        let path = program.into();
        let label = path.to_string_lossy().into_owned();
        Self::new(Endpoint::Child(Program { path, ..Program::default() }), label)
    }

    /// Arguments of the program; nothing for a server over HTTP.
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        if let Endpoint::Child(program) = &mut self.endpoint {
            program.arguments.extend(arguments.into_iter().map(Into::into));
        }
        self
    }

    /// A variable of the program's environment, beside those of this process.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        if let Endpoint::Child(program) = &mut self.endpoint {
            program.environment.push((name.into(), value.into()));
        }
        self
    }

    /// The folder that the program starts in.
    #[must_use]
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        if let Endpoint::Child(program) = &mut self.endpoint {
            program.folder = Some(folder.into());
        }
        self
    }

    /// A server at a URL, over streamable HTTP.
    ///
    /// # Errors
    /// [`AddressError`] if the URL is none of HTTP.
    pub fn http(url: impl Into<String>) -> Result<Self, AddressError> {
        let url = url.into();
        let scheme = reqwest::Url::parse(&url).map(|url| url.scheme().to_owned());
        if !matches!(scheme.as_deref(), Ok("http" | "https")) {
            return Err(AddressError::Url { url });
        }
        // Time-outs are tool-core's; a redirect could carry the token elsewhere.
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| AddressError::Client(error.into()))?;
        let address = Address { url: url.clone(), headers: HashMap::new(), token: None, client };
        Ok(Self::new(Endpoint::Http(address), url))
    }

    /// A header of each request; nothing for a child process.
    ///
    /// # Errors
    /// [`AddressError`] if it cannot be a header.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, AddressError> {
        let fault = || AddressError::Header { name: name.to_owned() };
        let key = HeaderName::try_from(name).map_err(|_| fault())?;
        let mut value = HeaderValue::try_from(value).map_err(|_| fault())?;
        value.set_sensitive(true);
        if let Endpoint::Http(address) = &mut self.endpoint {
            address.headers.insert(key, value);
        }
        Ok(self)
    }

    /// The token of `Authorization: Bearer`; nothing for a child process.
    #[must_use]
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        if let Endpoint::Http(address) = &mut self.endpoint {
            address.token = Some(token.into());
        }
        self
    }

    /// Asks for the list again after this long, for servers that do not say when it changes.
    #[must_use]
    pub fn poll_every(mut self, interval: Duration) -> Self {
        self.poll = Some(interval);
        self
    }

    /// The live connection; a new one where there is none.
    async fn connect(&self) -> Result<Arc<Connection>, Failure> {
        let mut state = self.state.lock().await;
        if let Some(connection) = state.connection.as_ref().filter(|connection| connection.is_open()) {
            return Ok(Arc::clone(connection));
        }
        state.connection = None;
        let opened = Connection::open(&self.endpoint, &self.label, &self.changed).await;
        match opened {
            Ok(connection) => {
                let connection = Arc::new(connection);
                state.failed = None;
                state.connection = Some(Arc::clone(&connection));
                Ok(connection)
            }
            Err(error) => {
                state.failed = Some((Instant::now(), error.to_string()));
                Err(error)
            }
        }
    }

    async fn list_now(&self) -> Result<SourceListing, SourceError> {
        let connection = self.connect().await.map_err(SourceError::new)?;
        let (listing, ttl) = connection.list().await.map_err(SourceError::new)?;
        let again = [ttl.map(|ttl| ttl.max(PAUSE)), self.poll].into_iter().flatten().min();
        if let Some(after) = again {
            let changed = self.changed.clone();
            let task = tokio::spawn(async move {
                tokio::time::sleep(after).await;
                changed.send_replace(());
            });
            self.state.lock().await.timer = Some(Timer(task.abort_handle()));
        }
        Ok(listing)
    }

    async fn call_now(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<tool_core::ToolOutput, ToolError> {
        let unreachable =
            |error: String| ToolError::new(error).for_model("the server of this tool cannot be reached");
        let rested = self.state.lock().await.failed.clone().filter(|(at, _)| at.elapsed() < PAUSE);
        if let Some((_, error)) = rested {
            return Err(unreachable(error));
        }
        let connection = self.connect().await.map_err(|error| unreachable(error.to_string()))?;
        connection.call(name, arguments).await
    }
}

impl ToolSource for McpSource {
    fn list(&self) -> SourceFuture<'_, Result<SourceListing, SourceError>> {
        Box::pin(self.list_now())
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        _: &'a ToolContext,
    ) -> ToolFuture<'a> {
        Box::pin(self.call_now(name, arguments))
    }

    fn changed(&self) -> Option<watch::Receiver<()>> {
        Some(self.changed.subscribe())
    }

    fn close(&self) -> SourceFuture<'_, ()> {
        Box::pin(async move {
            let (connection, timer) = {
                let mut state = self.state.lock().await;
                (state.connection.take(), state.timer.take())
            };
            drop(timer);
            // A call that still runs has the connection; it ends when that call does.
            if let Some(connection) = connection.and_then(Arc::into_inner) {
                connection.close().await;
            }
        })
    }
}

impl fmt::Debug for McpSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpSource").field("server", &self.label).finish_non_exhaustive()
    }
}
