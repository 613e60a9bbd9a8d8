//! The store against a real server, Debian's `redis-server`: `just redis` installs it and runs the ignored tests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod connection;
mod errors;
mod proxy;
mod server;
mod sessions;
mod shared;
#[cfg(feature = "rustls-tls")]
mod tls;

use tool_core::{SaveOutcome, StoreVersion, StoredSession};

fn saved(outcome: SaveOutcome) -> StoreVersion {
    match outcome {
        SaveOutcome::Saved(version) => version,
        other => panic!("not saved: {other:?}"),
    }
}

fn conflict(outcome: SaveOutcome) -> Option<StoredSession> {
    match outcome {
        SaveOutcome::Conflict(current) => current,
        other => panic!("no conflict: {other:?}"),
    }
}
