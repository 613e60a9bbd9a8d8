//! What a session with tools of its own searches: the registry's documents and those, indexed once per change.

use std::sync::{Arc, Mutex, PoisonError};

use super::Documents;
use crate::registry::{Entry, ScopeId};

/// The extended documents of one session, by search: made when it first searches, and again when its tools change.
#[derive(Debug, Default)]
pub(crate) struct OwnDocuments(Mutex<Vec<(Option<ScopeId>, Arc<Documents>)>>);

impl OwnDocuments {
    /// The documents of the registry and of the session's own tools.
    pub(super) fn extended(
        &self,
        scope: Option<ScopeId>,
        registry: &Documents,
        own: &[Arc<Entry>],
    ) -> Arc<Documents> {
        // Nothing here is half done when making documents panics. Searches of one session wait for one another at most once
        // per change.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = all.iter().position(|(of, _)| *of == scope);
        if let Some((_, known)) = place.and_then(|place| all.get(place))
            && known.are(registry, own)
        {
            return Arc::clone(known);
        }
        let made = Arc::new(registry.with(own));
        place.map(|place| all.swap_remove(place));
        all.push((scope, Arc::clone(&made)));
        made
    }
}
