//! What a host does with the sources of a registry: start them early, look at them, close them.

use std::time::Duration;

use super::{Registry, Warning, assemble::unmatched};
use crate::SourceStatus;

impl Registry {
    /// Starts the sources, and waits at most `timeout` until each is ready or has failed. Without this the first turn
    /// starts them, and nobody waits for them but a search.
    pub async fn ready(&self, timeout: Duration) -> Vec<SourceStatus> {
        let Some(sources) = &self.0.sources else { return Vec::new() };
        sources.start(&self.0);
        sources.settled(timeout).await;
        sources.statuses()
    }

    /// The sources, in the order in which their toolsets were added.
    pub fn sources(&self) -> Vec<SourceStatus> {
        self.0.sources.as_ref().map(|sources| sources.statuses()).unwrap_or_default()
    }

    /// Closes the sources, each within its time-out. Nothing is listed again; calls fail as the source says. Sources of a
    /// registry that is dropped without this are closed in the background.
    pub async fn close(&self) {
        if let Some(sources) = &self.0.sources {
            sources.close().await;
        }
    }

    /// What works, but hardly as meant. Worth logging at start, and again when the sources have listed their tools: what
    /// matches nothing is known then.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.0.warnings.clone();
        if let Some(sources) = &self.0.sources {
            let all = sources.all();
            if all.iter().all(|source| source.has_listed()) {
                warnings.extend(unmatched(&self.0.policy));
            }
            for source in all.iter().filter(|source| source.has_listed()) {
                warnings.extend(unmatched(&source.policy));
            }
        }
        warnings
    }

    pub(crate) fn start_sources(&self) {
        if let Some(sources) = &self.0.sources {
            sources.start(&self.0);
        }
    }
}
