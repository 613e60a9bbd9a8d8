//! One version of the lists of all sources: what a session looks at until its next turn.

use std::sync::{Arc, OnceLock};

use super::{Entry, ScopeId, SourceList};
use crate::{Registry, name::folded, registry::Place, search::Documents};

/// The lists of some sources at one time. Immutable.
#[derive(Default)]
pub(crate) struct Listed {
    /// Counts the changes.
    version: u64,
    /// By source.
    lists: Vec<Arc<SourceList>>,
    /// Those that stand in every list, by name.
    eager: Vec<Arc<Entry>>,
    documents: Indexes,
}

/// What searches rank, by scope; the last one is of all. Made by the first search.
#[derive(Default)]
struct Indexes(Vec<Indexed>);

#[derive(Default)]
struct Indexed {
    made: OnceLock<Arc<Documents>>,
    /// Of an earlier version: what did not change since is not indexed again.
    before: Option<Arc<Documents>>,
}

impl Listed {
    /// Nothing is listed yet.
    pub(super) fn of_none(sources: usize, scopes: usize) -> Self {
        let lists = (0..sources).map(|_| Arc::default()).collect();
        let documents = Indexes((0..=scopes).map(|_| Indexed::default()).collect());
        Self { lists, documents, ..Self::default() }
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The next version, with another list of one source.
    pub(super) fn with(&self, at: usize, list: Arc<SourceList>) -> Self {
        let mut lists = self.lists.clone();
        if let Some(slot) = lists.get_mut(at) {
            *slot = list;
        }
        let entries = lists.iter().flat_map(|list| list.entries());
        let mut eager: Vec<_> = entries.filter(|entry| entry.place == Place::Eager).cloned().collect();
        eager.sort_by(|a, b| a.name().cmp(b.name()));
        Self { version: self.version + 1, lists, eager, documents: self.documents.next() }
    }

    pub(super) fn list(&self, at: usize) -> Arc<SourceList> {
        self.lists.get(at).cloned().unwrap_or_default()
    }

    /// The tool of a model-facing name, denied ones too.
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Entry>> {
        self.lists.iter().find_map(|list| list.find(name))
    }

    /// Tools that are called so but for case and separators, by any of their names.
    pub(crate) fn find_folded(&self, name: &str) -> impl Iterator<Item = &Arc<Entry>> {
        let (folded, name) = (folded(name), name.trim().to_owned());
        self.lists.iter().flat_map(move |list| list.find_folded(&folded, &name))
    }

    pub(crate) fn eager(&self) -> &[Arc<Entry>] {
        &self.eager
    }

    /// The deferred tools, in (source, name) order.
    pub(crate) fn deferred(&self) -> impl Iterator<Item = &Arc<Entry>> {
        let entries = self.lists.iter().flat_map(|list| list.entries());
        entries.filter(|entry| entry.place == Place::Deferred)
    }

    /// What a search ranks: the registry's tools and those of the sources, in (toolset, name) order.
    pub(crate) fn documents<'a>(&'a self, registry: &'a Registry, scope: Option<ScopeId>) -> &'a Documents {
        let scopes = registry.inner().scopes.len();
        let covers = |entry: &&Arc<Entry>| scope.is_none() || entry.scope == scope;
        let slot = self.documents.0.get(scope.map_or(scopes, |scope| scope.0));
        let (Some(slot), Some(_)) = (slot, self.deferred().find(covers)) else {
            return registry.documents(scope);
        };
        slot.made.get_or_init(|| {
            let own = registry.documents(scope).entries().iter();
            let mut entries: Vec<_> = own.chain(self.deferred().filter(covers)).cloned().collect();
            entries.sort_by(|a, b| (&a.namespace, a.name()).cmp(&(&b.namespace, b.name())));
            Arc::new(match &slot.before {
                Some(before) => before.changed(entries),
                None => Documents::of(entries),
            })
        })
    }

    /// Marks what an earlier version had and this one has not.
    pub(super) fn retire_what_is_gone(&self, before: &Self) {
        for (at, list) in before.lists.iter().enumerate() {
            let now = self.list(at);
            if Arc::ptr_eq(list, &now) {
                continue;
            }
            for entry in list.all() {
                let stays = now.find(entry.name().as_str()).is_some_and(|new| Arc::ptr_eq(new, entry));
                if !stays {
                    entry.retire();
                }
            }
        }
    }
}

impl Indexes {
    fn next(&self) -> Self {
        let next = |indexed: &Indexed| Indexed {
            made: OnceLock::new(),
            before: indexed.made.get().or(indexed.before.as_ref()).cloned(),
        };
        Self(self.0.iter().map(next).collect())
    }
}

impl std::fmt::Debug for Listed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listed").field("version", &self.version).finish_non_exhaustive()
    }
}
