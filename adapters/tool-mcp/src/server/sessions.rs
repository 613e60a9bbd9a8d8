//! The sessions of HTTP connections, by `Mcp-Session-Id`: as many as allowed, ended when idle.

use futures_core::Stream;
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::{
        WorkerTransport,
        common::server_side_http::{ServerSseMessage, SessionId},
        streamable_http_server::session::{
            SessionManager,
            local::{LocalSessionManager, LocalSessionManagerError, LocalSessionWorker, SessionConfig},
        },
    },
};
use tokio_util::sync::CancellationToken;

use super::{
    http::Settings,
    ordered::{Connection, Ordered},
};

/// rmcp's own sessions, with a limit to their number and calls noted as they come.
pub(super) struct Limited {
    local: LocalSessionManager,
    max: usize,
    stop: CancellationToken,
}

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    #[error("{0} sessions are open, which is the limit; try again later")]
    TooMany(usize),
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
}

impl Limited {
    pub(super) fn new(settings: &Settings, stop: CancellationToken) -> Self {
        let mut local = LocalSessionManager::default();
        let mut config = SessionConfig::default();
        config.keep_alive = Some(settings.idle);
        local.session_config = config;
        Self { local, max: settings.max_sessions, stop }
    }
}

impl SessionManager for Limited {
    type Error = SessionError;
    type Transport = Ordered<WorkerTransport<LocalSessionWorker>>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), SessionError> {
        if self.local.sessions.read().await.len() >= self.max {
            return Err(SessionError::TooMany(self.max));
        }
        let (id, transport) = self.local.create_session().await?;
        Ok((id, Ordered::new(transport, Connection::default(), self.stop.clone())))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, SessionError> {
        Ok(self.local.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, SessionError> {
        Ok(self.local.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), SessionError> {
        Ok(self.local.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        Ok(self.local.create_stream(id, message).await?)
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), SessionError> {
        Ok(self.local.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        Ok(self.local.create_standalone_stream(id).await?)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, SessionError> {
        Ok(self.local.resume(id, last_event_id).await?)
    }
}
