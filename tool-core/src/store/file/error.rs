//! What can go wrong with files: which one, and what to do.

use std::{io, path::PathBuf};

/// Why a file store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    #[error("{what} `{}`: {source}; check that the folder is there, is writable, and has room", path.display())]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    #[error("`{}` is damaged: {fault}; restore it, or delete the key to start empty", path.display())]
    Damaged { path: PathBuf, fault: &'static str },
    #[error("another process has held `{}` for {seconds} s; end it, or wait for it", path.display())]
    Locked { path: PathBuf, seconds: u64 },
    #[error("a file store works inside a tokio runtime only")]
    NoRuntime,
}
