//! `GenaiModel` against a local server that speaks the wires of OpenAI and Anthropic and judges each request as the
//! provider would.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod agent;
mod errors;
mod history;
mod hosted;
mod identity;
mod llama;
mod reasoning;
mod replies;
mod requests;
mod tools;
mod wire;

use tool_core::Message;

/// A message of the user.
fn user(text: &str) -> Message {
    Message::User { text: text.to_owned() }
}
