//! MCP for tool-core: MCP servers as sources of tools, and any registry served as an MCP server.
//!
//! The protocol itself is rmcp's; nothing of it is in this crate's public types.

#[cfg(feature = "server")]
mod definition;
#[cfg(feature = "server")]
mod result;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "source")]
mod source;

#[cfg(feature = "server")]
pub use server::{McpHttpService, McpRequest, McpServer, McpServerBuilder, ServeError, SessionRefused};
#[cfg(feature = "source")]
pub use source::{AddressError, ConfigError, McpConfig, McpSource};
