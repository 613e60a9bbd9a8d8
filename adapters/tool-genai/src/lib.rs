//! Models of many providers for agents: [`GenaiModel`] is a [`tool_core::Model`] over the [`genai`] crate.
//!
//! Each request carries exactly the tools of its turn, so what is hidden costs no tokens. Calls come back with their
//! arguments as the model wrote them, malformed ones too; what goes into the history is always well-formed.
//!
//! # Examples
//! ```no_run
//! use tool_genai::GenaiModel;
//!
//! // Keys come from the environment: OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, …
//! let model = GenaiModel::new("claude-sonnet-4-5").with_max_tokens(4_000);
//!
//! // Any server that speaks OpenAI's chat completions.
//! let local = GenaiModel::new("smollm").with_base_url("http://127.0.0.1:8080/v1").with_temperature(0.0);
//! ```

mod continuation;
mod error;
mod history;
mod model;
mod raw_reply;
mod reply;
mod request;

pub use genai;
pub use model::GenaiModel;
