//! The documents of one search, with the indexes that were made of them.

use std::{
    ops::Deref,
    sync::{Arc, PoisonError, RwLock},
};

use super::{FieldedRanker, SearchDocument, fielded::Index};

/// What a ranker ranks: documents in (toolset, name) order, the tools of one session after them. Immutable.
///
/// It is made once and shared by all sessions; when a source changes, the next one takes over what stayed.
///
/// # Examples
/// ```
/// use tool_core::{Catalog, SearchDocument, ToolName};
///
/// let catalog = Catalog::new([SearchDocument::new(ToolName::new("refund")?, "Pay money back.")]);
/// assert_eq!(catalog[0].name, "refund");
/// # Ok::<(), tool_core::NameError>(())
/// ```
#[derive(Debug, Default)]
pub struct Catalog {
    documents: Vec<Arc<SearchDocument>>,
    /// By ranker: few, and read far more often than made.
    indexes: RwLock<Vec<(FieldedRanker, Arc<Index>)>>,
}

impl Catalog {
    /// A catalogue of documents, in their order.
    pub fn new(documents: impl IntoIterator<Item = SearchDocument>) -> Self {
        let documents = documents.into_iter().map(Arc::new).collect();
        Self { documents, indexes: RwLock::default() }
    }

    /// The catalogue of another list. What was indexed for this one is indexed for it too, at the cost of what is new: a
    /// document that stays must be the same `Arc`.
    #[must_use]
    pub fn changed(&self, documents: Vec<Arc<SearchDocument>>) -> Self {
        let known = self.indexes.read().unwrap_or_else(PoisonError::into_inner).clone();
        let indexes = known.into_iter().map(|(ranker, index)| {
            let index = Arc::new(index.changed(ranker.settings(), &documents));
            (ranker, index)
        });
        let indexes = RwLock::new(indexes.collect());
        Self { documents, indexes }
    }

    /// The index of a ranker, made when it is first asked for.
    pub(super) fn index(&self, ranker: &FieldedRanker) -> Arc<Index> {
        let of = |indexes: &[(FieldedRanker, Arc<Index>)]| {
            let found = indexes.iter().find(|(of, _)| of.is(ranker));
            found.map(|(_, index)| Arc::clone(index))
        };
        // An index is whole or not there: a panic leaves nothing half done.
        let known = of(&self.indexes.read().unwrap_or_else(PoisonError::into_inner));
        known.unwrap_or_else(|| {
            let mut indexes = self.indexes.write().unwrap_or_else(PoisonError::into_inner);
            of(&indexes).unwrap_or_else(|| {
                let index = Arc::new(Index::new(ranker.settings(), &self.documents));
                indexes.push((ranker.clone(), Arc::clone(&index)));
                index
            })
        })
    }
}

impl Deref for Catalog {
    type Target = [Arc<SearchDocument>];

    fn deref(&self) -> &Self::Target {
        &self.documents
    }
}
