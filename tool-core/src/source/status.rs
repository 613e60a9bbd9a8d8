//! What a host can see of a source.

use std::fmt;

use super::RejectedTool;
use crate::ToolName;

/// How a source is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SourceState {
    /// It has not listed its tools yet.
    Connecting,
    /// Its last list is in use.
    Ready,
    /// It cannot be listed; its last good list, if there is one, stays in use, and it is asked again.
    Failed {
        /// What it said: one line, cleaned, cut.
        reason: String,
    },
}

impl fmt::Display for SourceState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connecting => f.write_str("connecting"),
            Self::Ready => f.write_str("ready"),
            Self::Failed { reason } => write!(f, "failed: {reason}"),
        }
    }
}

/// A source and its last good list, from `registry.sources()` or `session.sources()`.
///
/// `Display` is for a log: `github: ready (listed 12, accepted 11, rejected 1: 'x' its schema is not JSON)`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceStatus {
    /// Of its toolset.
    pub namespace: String,
    /// How it is.
    pub state: SourceState,
    /// How many tools it lists.
    pub listed: usize,
    /// Those that sessions may find or see, by name.
    pub accepted: Vec<ToolName>,
    /// How many of them `deny` or `allow` hides.
    pub denied: usize,
    /// Those that nobody can use.
    pub rejected: Vec<RejectedTool>,
}

impl fmt::Display for SourceStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (listed, accepted) = (self.listed, self.accepted.len());
        write!(f, "{}: {} (listed {listed}, accepted {accepted}", self.namespace, self.state)?;
        if self.denied > 0 {
            write!(f, ", denied {}", self.denied)?;
        }
        if !self.rejected.is_empty() {
            write!(f, ", rejected {}", self.rejected.len())?;
            for (index, rejected) in self.rejected.iter().enumerate() {
                let separator = if index == 0 { ": " } else { "; " };
                write!(f, "{separator}'{}' {}", rejected.name, rejected.reason)?;
            }
        }
        f.write_str(")")
    }
}
