//! Conversations that many processes share: [`RedisStore`] is a [`tool_core::SessionStore`] in a Redis server.
//!
//! # Examples
//! ```no_run
//! use std::{sync::Arc, time::Duration};
//! use tool_core::Registry;
//! use tool_redis::RedisStore;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = RedisStore::builder("redis://:password@127.0.0.1:6379/0")
//!     .expire_after(Duration::from_secs(30 * 24 * 60 * 60)) // after the last save; by default never
//!     .connect()
//!     .await?;
//! let store = Arc::new(store);
//! let registry = Registry::builder().build()?;
//!
//! // In any process: what others have saved is there.
//! let (session, _report) = registry.session().open(&store, "customer 42").await?;
//! let _turn = session.turn().await?; // … the model's request, and its calls
//! session.save().await?; // what others have saved meanwhile stays
//! # Ok(())
//! # }
//! ```
//!
//! # What the server needs
//! The store loses nothing that it acknowledged, as far as the server loses nothing:
//!
//! | setting | what it means for sessions |
//! | --- | --- |
//! | `appendonly yes`, `appendfsync always` | a save is on the disk before it is acknowledged; a crash loses nothing |
//! | `appendfsync everysec` (its default) | a crash loses the saves of the last second or two |
//! | `appendonly no` (Redis' default) | a crash loses all saves since the last snapshot file |
//! | `maxmemory-policy noeviction` (Redis' default) | a full server refuses saves, and keeps what it has |
//! | `volatile-*` | a full server drops sessions of stores with `expire_after` before their time |
//! | `allkeys-*` | a full server drops any session: do not keep conversations there |
//!
//! A replica gets saves after they are acknowledged: a failover can lose the last ones, and so make an approved call run
//! twice. Approvals that must not be used twice belong on a server that fails over by its disk, or not at all.
//!
//! One server, or a proxy before a cluster: each session is one key. Tested with Redis 7.0; nothing newer than Redis 6 is
//! asked of it, so Valkey does too. A user of an access list needs `PING`, `HMGET`, `DEL`, `EVALSHA`, `SCRIPT LOAD` and, for
//! the script, `HGET`, `HSET`, `EXISTS`, `PERSIST` and `PEXPIRE` on the prefix.
//!
//! # When the server is gone
//! An operation fails within its time-out, 5 seconds unless set otherwise; the next one connects again. A save that failed
//! may have been written: its session finds out with the next save. No error, log or `Debug` text has the password.
//!
//! # TLS
//! `rediss://` URLs need the feature `rustls-tls`; the certificates are the system's. If no crypto provider of rustls is
//! installed by then, `connect` installs ring's for the process; a host that wants another one installs it first.

mod address;
mod builder;
mod error;
mod key;
mod server;
mod store;

pub use builder::RedisStoreBuilder;
pub use error::RedisStoreError;
pub use store::RedisStore;
