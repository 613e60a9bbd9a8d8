//! Answers the protocol for one connection, or for one stateless request.

use std::sync::Arc;

use http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InitializeRequestParams,
        InitializeResult, ListToolsResult, PaginatedRequestParams, ServerConfig, SubscriptionFilter,
    },
    service::{RequestContext, SubscriptionContext},
};
use serde_json::Value;
use tool_core::{ToolCall, TurnError};

use super::{
    McpRequest, McpServer,
    ordered::{Arrived, Connection},
    served::{Arrival, Served},
};
use crate::{definition, result};

/// The conversation that a request belongs to.
pub(super) enum Conversation {
    /// One that reveals tools.
    Kept(Arc<Served>),
    /// One that ends with the request: eager tools only.
    Eager(Arc<Served>),
}

/// Answers for one connection: what there is to know of it is in the extensions of its requests.
pub(super) struct Handler {
    server: McpServer,
}

impl Handler {
    pub(super) fn new(server: McpServer) -> Self {
        Self { server }
    }

    fn conversation(&self, context: &RequestContext<RoleServer>) -> Result<Conversation, ErrorData> {
        if let Some(served) = context.extensions.get::<Connection>().and_then(|connection| connection.0.get())
        {
            return Ok(Conversation::Kept(Arc::clone(served)));
        }
        let request = McpRequest::new(context.extensions.get::<Parts>());
        let session = || self.server.new_session(request).map_err(|error| refused(&error));
        let key = self.server.0.key.as_ref().and_then(|key| key(&request));
        let Some(key) = key else { return Ok(Conversation::Eager(Served::new(session()?))) };
        self.server.0.keyed.get(key, session).map(Conversation::Kept)
    }

    async fn call(
        &self,
        arrival: &Arrival,
        call: ToolCall,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let called = context.ct.run_until_cancelled(arrival.call(call)).await;
        // Nobody reads the answer to a cancelled request.
        let (result, changed) =
            called.ok_or_else(|| ErrorData::internal_error("the request was cancelled", None))?;
        // In the later protocol clients listen for it: see `listen`.
        if changed && context.protocol_version().is_none_or(|version| version.has_initialize()) {
            // A client that is gone does not want to know.
            let _ = context.peer.notify_tool_list_changed().await;
        }
        let result = result.ok_or_else(|| ErrorData::internal_error("the call has no result", None))?;
        Ok(result::to_mcp(result))
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        self.server.0.info.clone()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let sender = McpRequest::new(context.extensions.get::<Parts>());
        if let Some(Connection(served)) = context.extensions.get::<Connection>() {
            let session = || async {
                self.server.new_session(sender).map(Served::new).map_err(|error| refused(&error))
            };
            served.get_or_try_init(session).await?;
        }
        let answer = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        Ok(answer)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = match self.conversation(&context)? {
            Conversation::Kept(served) => served.tools(),
            Conversation::Eager(served) => served.eager().await.map_err(|error| fault(&error))?,
        };
        Ok(ListToolsResult::with_all_items(listed.iter().filter_map(definition::to_mcp).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let call = ToolCall::new(context.id.to_string(), request.name.as_ref(), arguments);
        if let Some(Arrived(arrival)) = context.extensions.get::<Arrived>() {
            let arrival = arrival.as_ref().as_ref().map_err(fault)?;
            return self.call(arrival, call, &context).await.map(Into::into);
        }
        let (served, reveals) = match self.conversation(&context)? {
            Conversation::Kept(served) => (served, true),
            Conversation::Eager(served) => (served, false),
        };
        let arrival = served.arrive(&call.name).await.map_err(|error| fault(&error))?;
        if arrival.reveals() && !reveals {
            let text = format!("Tool '{}' is not in your current tool list.", call.name);
            return Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into());
        }
        let answer = self.call(&arrival, call, &context).await;
        arrival.answered().await;
        answer.map(Into::into)
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Conversation::Kept(served) = self.conversation(context.request_context())? else {
            context.cancelled().await;
            return Ok(());
        };
        let mut revisions = served.changes();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.server.0.stop.cancelled() => return Ok(()),
                changed = revisions.changed() => {
                    if changed.is_err() || context.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }
}

fn refused(error: &super::SessionRefused) -> ErrorData {
    ErrorData::invalid_request(error.to_string(), None)
}

/// A fault of the host, not of the client.
fn fault(error: &TurnError) -> ErrorData {
    tracing::error!(%error, "an MCP session cannot make a turn");
    ErrorData::internal_error(error.to_string(), None)
}
