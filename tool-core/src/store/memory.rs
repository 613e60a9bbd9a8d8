//! Sessions in the memory of this process, for tests and for hosts that need no more.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{SaveOutcome, SessionStore, StoreFuture, StoreVersion, StoredSession};

/// Keeps sessions in memory, as long as it lives itself.
///
/// # Examples
/// ```
/// use tool_core::{MemoryStore, SaveOutcome, SessionStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = MemoryStore::new();
/// let SaveOutcome::Saved(version) = store.save("k", b"one", None).await? else { panic!("nobody else writes") };
/// assert!(matches!(store.save("k", b"two", None).await?, SaveOutcome::Conflict(Some(_))));
/// assert!(matches!(store.save("k", b"two", Some(&version)).await?, SaveOutcome::Saved(_)));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct MemoryStore(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    sessions: HashMap<String, StoredSession>,
    /// How many writes there were: no version comes twice.
    writes: u64,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionStore for MemoryStore {
    fn load<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<StoredSession>> {
        Box::pin(async move { Ok(self.lock().sessions.get(key).cloned()) })
    }

    fn save<'a>(
        &'a self,
        key: &'a str,
        bytes: &'a [u8],
        expected: Option<&'a StoreVersion>,
    ) -> StoreFuture<'a, SaveOutcome> {
        Box::pin(async move {
            let mut kept = self.lock();
            let current = kept.sessions.get(key);
            if current.map(|current| &current.version) != expected {
                return Ok(SaveOutcome::Conflict(current.cloned()));
            }
            kept.writes += 1;
            let version = StoreVersion::new(kept.writes.to_string());
            let stored = StoredSession { bytes: bytes.to_vec(), version: version.clone() };
            kept.sessions.insert(key.to_owned(), stored);
            Ok(SaveOutcome::Saved(version))
        })
    }

    fn delete<'a>(&'a self, key: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            self.lock().sessions.remove(key);
            Ok(())
        })
    }
}
