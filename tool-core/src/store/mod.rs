//! Where sessions are kept between turns, processes and machines.
//!
//! A store keeps bytes under keys and knows nothing of what is in them. What it must get right is the comparison: of two
//! processes that save over the same version, one is told of the conflict and of what is there now.

mod file;
mod memory;

use std::{error::Error, fmt, future::Future, pin::Pin, sync::Arc};

pub use file::FileStore;
pub use memory::MemoryStore;

/// The future of one operation of a store.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Keeps sessions: bytes under keys, saved by comparison.
///
/// Keys are any text; a store encodes them (`../x` is one more key). Each write gives a version that the key never had
/// before, not even before it was deleted. What a store acknowledges it must not lose.
pub trait SessionStore: Send + Sync + 'static {
    /// What is kept under `key`, if anything.
    fn load<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<StoredSession>>;

    /// Replaces what is kept under `key`, if its version still is `expected` (`None`: if nothing is kept).
    ///
    /// # Errors
    /// [`StoreError`] where it is not known whether the bytes were written, or known that they were not. A conflict is
    /// an outcome, not an error.
    fn save<'a>(
        &'a self,
        key: &'a str,
        bytes: &'a [u8],
        expected: Option<&'a StoreVersion>,
    ) -> StoreFuture<'a, SaveOutcome>;

    /// Forgets `key`: the next session of that key starts empty.
    fn delete<'a>(&'a self, key: &'a str) -> StoreFuture<'a, ()>;
}

impl<S: SessionStore + ?Sized> SessionStore for Arc<S> {
    fn load<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<StoredSession>> {
        (**self).load(key)
    }

    fn save<'a>(
        &'a self,
        key: &'a str,
        bytes: &'a [u8],
        expected: Option<&'a StoreVersion>,
    ) -> StoreFuture<'a, SaveOutcome> {
        (**self).save(key, bytes, expected)
    }

    fn delete<'a>(&'a self, key: &'a str) -> StoreFuture<'a, ()> {
        (**self).delete(key)
    }
}

/// What a store keeps under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSession {
    /// As they were saved.
    pub bytes: Vec<u8>,
    /// The version of this write.
    pub version: StoreVersion,
}

/// Names one write of one key. Only its store knows what it means.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StoreVersion(String);

impl StoreVersion {
    /// A version as a store writes it.
    pub fn new(version: impl Into<String>) -> Self {
        Self(version.into())
    }

    /// As given to [`new`](Self::new).
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What came of a save.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SaveOutcome {
    /// Written, as this version.
    Saved(StoreVersion),
    /// Somebody else wrote or deleted the key: nothing was written, and this is what is there now.
    Conflict(Option<StoredSession>),
}

/// Why a store could not do what it was asked.
#[derive(Debug)]
pub struct StoreError(Box<dyn Error + Send + Sync>);

impl StoreError {
    /// An error with the given text or cause.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}
