//! One client on a pair of byte streams: standard input and output, a socket, a pipe.
//!
//! One JSON message a line, by rmcp's own transport.

use rmcp::{ServiceExt, service::ServerInitializeError, transport::async_rw::AsyncRwTransport};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{
    McpRequest, McpServer, SessionRefused,
    handler::Handler,
    ordered::{Connection, Ordered},
    served::Served,
};

/// Why a client could not be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The client did not begin as MCP says.
    #[error("the client did not begin as MCP says: {0}")]
    Start(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The host refused the session.
    #[error(transparent)]
    Refused(#[from] SessionRefused),
    /// The task that served the client ended early.
    #[error("serving the client ended early: {0}")]
    Ended(#[source] Box<dyn std::error::Error + Send + Sync>),
}

pub(super) async fn serve(
    server: &McpServer,
    read: impl AsyncRead + Send + Unpin + 'static,
    write: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), ServeError> {
    let conversation = Served::new(server.new_session(McpRequest::new(None))?);
    let inner = AsyncRwTransport::new_server(read, write);
    let transport = Ordered::new(inner, Connection::of(conversation), server.0.stop.clone());
    let running = match Handler::new(server.clone()).serve(transport).await {
        Ok(running) => running,
        // A client that goes away before it said anything is none.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(ServeError::Start(Box::new(error))),
    };
    running.waiting().await.map(drop).map_err(|error| ServeError::Ended(Box::new(error)))
}
