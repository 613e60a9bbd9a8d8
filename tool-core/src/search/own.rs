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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FunctionTool, Registry, ToolContext};

    fn registry(names: &[&str]) -> Registry {
        let tool = |name: &&str| {
            let builder = FunctionTool::builder((*name).to_owned(), "Does.").deferred();
            builder.handler(async |(): (), _: ToolContext| "done")
        };
        Registry::builder().tools(names.iter().map(tool).collect::<Vec<_>>()).build().unwrap()
    }

    #[test]
    fn own_tools_are_indexed_once_for_each_change() {
        let (shared, own) = (registry(&["alpha"]), registry(&["beta", "gamma"]));
        let (documents, own) = (shared.documents(None), own.documents(None).entries().to_vec());
        let session = OwnDocuments::default();
        let first = session.extended(None, documents, &own);
        assert_eq!(first.catalog().len(), 3);
        assert!(Arc::ptr_eq(&first, &session.extended(None, documents, &own)));
        let fewer = session.extended(None, documents, &own[..1]);
        assert_eq!(fewer.catalog().len(), 2);
        let changed = registry(&["alpha"]);
        let newer = session.extended(None, changed.documents(None), &own[..1]);
        assert!(!Arc::ptr_eq(&fewer, &newer), "the registry's tools are others");
    }
}
