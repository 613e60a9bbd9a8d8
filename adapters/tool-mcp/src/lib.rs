//! MCP for tool-core: any registry served as an MCP server.
//!
//! The protocol itself is rmcp's; nothing of it is in this crate's public types.

mod definition;
mod result;
#[cfg(feature = "server")]
mod server;

#[cfg(feature = "server")]
pub use server::{McpHttpService, McpRequest, McpServer, McpServerBuilder, ServeError, SessionRefused};
