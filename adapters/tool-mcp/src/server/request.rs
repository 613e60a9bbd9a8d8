//! What the host may know of the sender of a request.

use http::request::Parts;

/// A request, as the functions of the host see it. Over stdio there is nothing to see.
#[derive(Debug, Clone, Copy)]
pub struct McpRequest<'a> {
    parts: Option<&'a Parts>,
}

impl<'a> McpRequest<'a> {
    pub(super) fn new(parts: Option<&'a Parts>) -> Self {
        Self { parts }
    }

    /// Method, address, headers and extensions of the HTTP request; what a layer in front put into the extensions
    /// (a user, say) is there.
    pub fn http(&self) -> Option<&'a Parts> {
        self.parts
    }

    /// A header as text.
    pub fn header(&self, name: &str) -> Option<&'a str> {
        self.parts?.headers.get(name)?.to_str().ok()
    }
}

/// The host gives the sender no session.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the session was refused: {reason}")]
pub struct SessionRefused {
    reason: String,
}

impl SessionRefused {
    /// A refusal; the client reads the reason.
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}
