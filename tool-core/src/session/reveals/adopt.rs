//! What another version of the sources' lists does to a session: what is gone waits invisible at its place, what came back
//! unchanged is visible there again, what changed has lost its reveal.

use std::sync::Arc;

use super::{Applied, Reveals, SavedTool};
use crate::{
    Limit, Registry, ToolName,
    registry::{Entry, Listed, Place},
};

/// What happened to revealed tools.
#[derive(Debug, Default)]
pub(crate) struct Adopted {
    /// Their source does not list them any more.
    pub(crate) vanished: Vec<ToolName>,
    /// Their source lists them again, unchanged.
    pub(crate) returned: Vec<ToolName>,
    /// Their source lists them otherwise.
    pub(crate) revoked: Vec<ToolName>,
    /// As returned, but the budget has no room for them any more.
    pub(crate) over_budget: Vec<(ToolName, Limit)>,
}

impl Reveals {
    /// Looks at another version from now on, unless this one is as new.
    pub(crate) fn adopt(&mut self, registry: &Registry, listed: Arc<Listed>) -> Adopted {
        let mut adopted = Adopted::default();
        if listed.version() <= self.sources.version() {
            return adopted;
        }
        let before = std::mem::replace(&mut self.sources, listed);
        for name in self.order.clone() {
            let of_others = registry.find(name.as_str()).is_some() || self.tools.contains_key(&name);
            if let Some(entry) = before.find(name.as_str()).filter(|_| !of_others) {
                let now = self.sources.find(name.as_str());
                if now.is_some_and(|now| Arc::ptr_eq(now, entry)) {
                    continue;
                }
                // Until it is known to be as it was.
                let known = (entry.namespace.to_string(), entry.fingerprint().clone());
                self.pending.insert(name.clone(), known);
                self.return_if_unchanged(registry, name.clone(), &mut adopted);
                if self.pending.contains_key(&name) {
                    adopted.vanished.push(name);
                } else {
                    // It was never away.
                    adopted.returned.retain(|returned| *returned != name);
                }
            } else if self.pending.contains_key(&name) {
                self.return_if_unchanged(registry, name, &mut adopted);
            }
        }
        adopted
    }

    /// Makes a pending name of a source visible again, or forgets it.
    fn return_if_unchanged(&mut self, registry: &Registry, name: ToolName, adopted: &mut Adopted) {
        let listed = self.sources.find(name.as_str()).filter(|entry| entry.place != Place::Denied);
        let Some(entry) = listed.cloned() else { return };
        let Some((_, fingerprint)) = self.pending.get(&name) else { return };
        if fingerprint != entry.fingerprint() {
            self.forget(&name);
            adopted.revoked.push(name);
            return;
        }
        match self.fits(registry, &entry, &[]) {
            Ok(()) => {
                self.pending.remove(&name);
                adopted.returned.push(name);
            }
            Err(limit) => {
                self.forget(&name);
                adopted.over_budget.push((name, limit));
            }
        }
    }

    /// What was revealed under the name of a late tool before a resume is there again, if it was a tool of the same
    /// toolset and fits.
    pub(super) fn return_late(&mut self, registry: &Registry, entry: &Arc<Entry>, applied: &mut Applied) {
        let name = entry.name();
        let Some((namespace, fingerprint)) = self.pending.get(name) else { return };
        let (is_mine, is_same) = (*namespace == *entry.namespace, fingerprint == entry.fingerprint());
        // Those of groups have no budget, and need no reveal.
        let fits = if entry.place == Place::Deferred { self.fits(registry, entry, &[]) } else { Ok(()) };
        match fits {
            _ if !is_mine => self.forget(name),
            Err(limit) => {
                self.forget(name);
                applied.over.push((name.clone(), limit));
            }
            Ok(()) => {
                self.pending.remove(name);
                applied.returned.push(name.clone());
                applied.changed.extend((!is_same).then(|| name.clone()));
            }
        }
    }

    /// Reveals what a suspended batch had found, if it is there and what it was; what is not there yet waits.
    pub(super) fn reveal_pending(
        &mut self,
        registry: &Registry,
        saved: &SavedTool,
        others: &[Arc<Entry>],
        applied: &mut Applied,
    ) {
        if self.contains(saved.name.as_str()) {
            return;
        }
        let Some(entry) = self.find(registry, saved.name.as_str()).cloned() else {
            let SavedTool { name, namespace, fingerprint, .. } = saved.clone();
            self.keep_pending(name, namespace, fingerprint);
            applied.vanished.push(saved.name.clone());
            return;
        };
        let is_meant = entry.sourced.is_none() || *entry.fingerprint() == saved.fingerprint;
        if entry.place == Place::Deferred && is_meant {
            self.reveal(registry, &entry, others, applied);
        }
    }

    fn forget(&mut self, name: &ToolName) {
        self.pending.remove(name);
        self.order.retain(|revealed| revealed != name);
    }

    /// What a reveal of a tool that its source withdrew in the meantime comes to: the tool as it is now, if it is the same.
    pub(super) fn still_there(&mut self, entry: &Arc<Entry>) -> Option<Arc<Entry>> {
        if !entry.is_gone() {
            return Some(Arc::clone(entry));
        }
        if let Some(now) = self.sources.find(entry.name().as_str()) {
            return (now.fingerprint() == entry.fingerprint()).then(|| Arc::clone(now));
        }
        let (name, namespace) = (entry.name().clone(), entry.namespace.to_string());
        self.keep_pending(name, namespace, entry.fingerprint().clone());
        None
    }
}
