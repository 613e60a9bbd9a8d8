//! Saves per second of one conversation: by one process, and by two that conflict. `just bench-redis` runs it on servers of
//! its own; needs `redis-server`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../tests/it/server.rs"]
#[allow(dead_code)]
mod server;

use std::{
    thread,
    time::{Duration, Instant},
};

use server::Server;
use tool_core::{SaveOutcome, SessionStore, StoreVersion};

/// About a conversation with 30 revealed tools.
const SESSION: [u8; 4096] = [b'x'; 4096];
const SAVES: u32 = 2_000;

fn main() {
    for fsync in ["always", "everysec"] {
        let server = Server::start_with(&["--appendfsync", fsync]);
        let (seconds, _) = timed(|| save(&server, "alone"));
        println!("appendfsync {fsync}: one process {:.0} saves/s", f64::from(SAVES) / seconds);
        let (seconds, conflicts) = timed(|| {
            thread::scope(|scope| {
                let other = scope.spawn(|| save(&server, "shared"));
                save(&server, "shared") + other.join().unwrap()
            })
        });
        println!(
            "appendfsync {fsync}: two in conflict {:.0} saves/s, {:.2} conflicts per save",
            f64::from(2 * SAVES) / seconds,
            f64::from(conflicts) / f64::from(2 * SAVES),
        );
    }
}

fn timed<T>(run: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = run();
    (start.elapsed().as_secs_f64(), result)
}

/// Saves until all are written, over what the conflicts tell; gives their number.
fn save(server: &Server, key: &str) -> u32 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = server.builder().expire_after(Duration::from_secs(3600)).connect().await.unwrap();
        let mut version: Option<StoreVersion> = None;
        let (mut saves, mut conflicts) = (0, 0);
        while saves < SAVES {
            version = match store.save(key, &SESSION, version.as_ref()).await.unwrap() {
                SaveOutcome::Saved(version) => {
                    saves += 1;
                    Some(version)
                }
                SaveOutcome::Conflict(current) => {
                    conflicts += 1;
                    current.map(|current| current.version)
                }
                other => panic!("{other:?}"),
            };
        }
        conflicts
    })
}
