//! What a server may ask of us and tell us: its list has changed, log messages. All else is refused.

#![allow(deprecated, reason = "roots and logging go with the earlier era, which servers still speak")]

use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ErrorCode, Implementation,
        ListRootsRequestMethod, ListRootsResult, LoggingLevel, LoggingMessageNotificationParam,
    },
    service::{NotificationContext, RequestContext},
};
use tokio::sync::watch;

/// Longest log message that is passed on, in characters.
const MAX_LOG: usize = 1_000;

/// The client side of one connection.
pub(super) struct Client {
    /// For log messages.
    pub(super) label: String,
    pub(super) changed: watch::Sender<()>,
}

impl ClientHandler for Client {
    /// Declares only what is built: no roots, no sampling, no elicitation.
    fn get_info(&self) -> ClientConfig {
        let client = Implementation::new("tool-mcp", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), client)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.send_replace(());
    }

    async fn on_logging_message(
        &self,
        message: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let text: String = message.data.to_string().chars().take(MAX_LOG).collect();
        let server = &self.label;
        match message.level {
            LoggingLevel::Debug => tracing::debug!(server, text, "a message of an MCP server"),
            LoggingLevel::Info | LoggingLevel::Notice => {
                tracing::info!(server, text, "a message of an MCP server");
            }
            _ => tracing::warn!(server, text, "a message of an MCP server"),
        }
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListRootsRequestMethod>())
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "elicitation/create", None))
    }
}
