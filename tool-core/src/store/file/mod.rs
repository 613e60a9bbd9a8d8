//! Sessions as files in a folder, for hosts that run on one machine.
//!
//! A session is written to a temporary file, which takes the place of the old one when it is on the disk: a crash at any
//! point leaves the old session or the new one. Processes that save one key wait for one another. All work with files is
//! done on tokio's blocking threads.

mod disk;
mod error;
mod name;
mod record;

use std::{path::PathBuf, sync::Arc, time::Duration};

use disk::Disk;
use error::FileError;
use tokio::runtime::Handle;

use super::{SaveOutcome, SessionStore, StoreError, StoreFuture, StoreVersion, StoredSession};

/// Keeps sessions as files in a folder, safe under several processes and after a crash at any point.
///
/// What a save acknowledges is on the disk (`fsync` of file and folder). The folder is made by the first save, and should be
/// on a local disk: locks of network file systems differ. Files are readable by their owner only.
///
/// # Examples
/// ```
/// # use std::sync::Arc;
/// # use tool_core::{FileStore, FunctionTool, Registry, ToolContext};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let hidden = FunctionTool::builder("hidden", "Not for every turn.")
/// #     .deferred()
/// #     .handler(async |_: (), _: ToolContext| "ran");
/// # let folder = std::env::temp_dir().join(format!("file-store-{}", std::process::id()));
/// let registry = Registry::builder().tool(hidden).build()?;
/// let store = Arc::new(FileStore::new(&folder));
/// let (session, _) = registry.session().open(&store, "user 42/today").await?;
/// session.reveal("hidden");
/// session.save().await?;
/// drop(session);
///
/// let (session, _) = registry.session().open(&store, "user 42/today").await?;
/// assert_eq!(session.revealed()[0].as_str(), "hidden");
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct FileStore(Arc<Disk>);

impl FileStore {
    /// A store in a folder, which need not be there yet.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Disk::new(folder.into(), None)))
    }

    /// How long a session is kept after its last save; by default for ever. An expired one reads as nothing;
    /// [`remove_expired`](Self::remove_expired) removes its file.
    #[must_use]
    pub fn expire_after(self, duration: Duration) -> Self {
        Self(Arc::new(Disk::new(self.0.folder().to_owned(), Some(duration))))
    }

    /// Removes the files of expired sessions, and what writers left that were killed; says how many sessions there were.
    ///
    /// # Errors
    /// [`StoreError`] where a file cannot be read or removed. The others may have been.
    pub async fn remove_expired(&self) -> Result<usize, StoreError> {
        self.run(Disk::remove_expired).await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Disk) -> Result<T, FileError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let runtime = Handle::try_current().map_err(|_| FileError::NoRuntime).map_err(StoreError::new)?;
        let disk = Arc::clone(&self.0);
        match runtime.spawn_blocking(move || work(&disk)).await {
            Ok(done) => done.map_err(StoreError::new),
            Err(error) => Err(StoreError::new(error)),
        }
    }
}

impl SessionStore for FileStore {
    fn load<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<StoredSession>> {
        let key = key.to_owned();
        Box::pin(self.run(move |disk| disk.load(&key)))
    }

    fn save<'a>(
        &'a self,
        key: &'a str,
        bytes: &'a [u8],
        expected: Option<&'a StoreVersion>,
    ) -> StoreFuture<'a, SaveOutcome> {
        let (key, bytes, expected) = (key.to_owned(), bytes.to_owned(), expected.cloned());
        Box::pin(self.run(move |disk| disk.save(&key, &bytes, expected.as_ref())))
    }

    fn delete<'a>(&'a self, key: &'a str) -> StoreFuture<'a, ()> {
        let key = key.to_owned();
        Box::pin(self.run(move |disk| disk.delete(&key)))
    }
}

#[cfg(test)]
mod tests;
