//! What a session takes over of its registry's sources, and when: at a turn, a search, a commit, a call of the host.

use std::sync::Arc;

use super::SessionCore;
use crate::{
    SessionEvent, SourceState,
    discovery::DEFAULT_SOURCE_WAIT,
    registry::{Listed, ScopeId},
};

impl SessionCore {
    /// Starts the registry's sources, unless they run. Waits for nothing.
    pub(super) fn start_sources(&self) {
        self.registry.start_sources();
    }

    /// Takes over what the sources have listed since, and tells the host what that did to this session.
    pub(crate) fn sync(&self) {
        let Some(listed) = self.newer_lists(self.state.sources_version()) else { return };
        let adopted = self.state.look_at(&self.registry, listed);
        for tool in adopted.vanished {
            self.emit(|| SessionEvent::Vanished { tool });
        }
        for tool in adopted.returned {
            self.emit(|| SessionEvent::Returned { tool });
        }
        for tool in adopted.revoked {
            self.emit(|| SessionEvent::Revoked { tool });
        }
        for (tool, limit) in adopted.over_budget {
            self.emit(|| SessionEvent::OverBudget { tool, limit });
        }
    }

    /// The lists of the sources, if they are not this version.
    pub(super) fn newer_lists(&self, version: u64) -> Option<Arc<Listed>> {
        self.registry.inner().sources.as_ref()?.other_than(version)
    }

    /// Waits for the sources of a search that are connecting, as long as the search may, and gives those that are not
    /// ready then.
    pub(super) async fn connected(&self, scope: Option<ScopeId>) -> Vec<(String, SourceState)> {
        let Some(sources) = &self.registry.inner().sources else { return Vec::new() };
        self.start_sources();
        let wait =
            scope.map_or(DEFAULT_SOURCE_WAIT, |scope| self.registry.scope(scope).search.longest_wait());
        sources.connected(scope, wait).await;
        sources.unready(scope)
    }
}
