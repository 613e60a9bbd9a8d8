//! Everything that ends the program with exit code 1, as its user reads it.

#[cfg(not(feature = "live"))]
use std::ffi::OsString;
use std::io;

use tool_core::{AgentBuildError, BuildErrors, RunError, TurnError};

use crate::{args::ArgsError, catalog::CatalogError};

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum QuickstartError {
    #[error(transparent)]
    Args(#[from] ArgsError),
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    #[error(transparent)]
    Build(#[from] BuildErrors),
    #[error(transparent)]
    Agent(#[from] AgentBuildError),
    #[error(transparent)]
    Turn(#[from] TurnError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error("the run ended without a result")]
    NoResult,
    #[cfg(feature = "live")]
    #[error("{error}\n{help}")]
    Model { error: tool_core::ModelError, help: String },
    #[cfg(not(feature = "live"))]
    #[error(
        "real models are not built in; run\n  cargo run --features live --example quickstart -- {arguments}"
    )]
    NotLive { arguments: String },
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
}

#[cfg(not(feature = "live"))]
impl QuickstartError {
    /// Says how to run with the same arguments.
    pub(crate) fn not_live(arguments: &[OsString]) -> Self {
        let quoted = arguments.iter().map(|argument| {
            let text = argument.to_string_lossy();
            if text.contains(char::is_whitespace) { format!("\"{text}\"") } else { text.into_owned() }
        });
        Self::NotLive { arguments: quoted.collect::<Vec<_>>().join(" ") }
    }
}
