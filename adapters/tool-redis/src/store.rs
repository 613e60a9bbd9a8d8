//! Sessions as Redis hashes, one key each: `version` and `session`.
//!
//! A save is one script, so nobody sees half of it and nobody comes between its comparison and its write. It names its
//! own new version and so may reach the server twice, when the answer to the first one was lost.

use std::{
    fmt,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use redis::{Cmd, FromRedisValue, Script};
use tool_core::{SaveOutcome, SessionStore, StoreError, StoreFuture, StoreVersion, StoredSession};

use crate::{RedisStoreBuilder, RedisStoreError, key::redis_key, server::Server};

/// Keeps sessions in a Redis server, where many processes reach them.
///
/// See the [crate's page](crate) for what the server needs so that nothing is lost.
///
/// # Examples
/// ```no_run
/// use std::time::Duration;
/// use tool_redis::RedisStore;
///
/// # async fn connect() -> Result<RedisStore, tool_redis::RedisStoreError> {
/// let store = RedisStore::builder("redis://:password@127.0.0.1:6379/0")
///     .prefix("shop:chat:")
///     .expire_after(Duration::from_secs(30 * 24 * 60 * 60))
///     .connect()
///     .await?;
/// # Ok(store)
/// # }
/// ```
pub struct RedisStore {
    server: Server,
    prefix: String,
    expiry: Option<Expiry>,
    save: Script,
    versions: Versions,
}

impl RedisStore {
    /// Connects to a server, with the settings of a new [`RedisStoreBuilder`].
    ///
    /// The URL is `redis://[user:password@]host[:port][/database]`, with `rediss` for TLS (feature `rustls-tls`), or
    /// `unix:///path[?db=database][&user=user][&pass=password]`.
    ///
    /// # Errors
    /// What is wrong with the URL, or why the server cannot be reached.
    pub async fn connect(url: impl Into<String>) -> Result<Self, RedisStoreError> {
        Self::builder(url).connect().await
    }

    /// A store with other settings.
    pub fn builder(url: impl Into<String>) -> RedisStoreBuilder {
        RedisStoreBuilder::new(url.into())
    }

    pub(crate) async fn new(
        server: Server,
        prefix: String,
        expiry: Option<Expiry>,
    ) -> Result<Self, RedisStoreError> {
        let store = Self {
            server,
            prefix,
            expiry,
            save: Script::new(include_str!("save.lua")),
            versions: Versions::new()?,
        };
        store.query::<String>(&redis::cmd("PING")).await?;
        Ok(store)
    }

    async fn query<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, RedisStoreError> {
        self.server.run(async |mut connection| command.query_async(&mut connection).await).await
    }

    async fn read(&self, key: &str) -> Result<Option<StoredSession>, RedisStoreError> {
        let mut command = redis::cmd("HMGET");
        command.arg(key).arg("version").arg("session");
        let fields = self.query(&command).await.map_err(|error| self.named(key, error))?;
        self.stored(key, fields)
    }

    async fn write(
        &self,
        key: &str,
        bytes: &[u8],
        expected: Option<&StoreVersion>,
    ) -> Result<SaveOutcome, RedisStoreError> {
        let version = self.versions.next();
        let mut script = self.save.key(key);
        script
            .arg(expected.map_or("", StoreVersion::as_str))
            .arg(version.as_str())
            .arg(bytes)
            .arg(self.expiry.map(|expiry| expiry.0.to_string()).unwrap_or_default());
        let script = &script;
        let answer: Vec<_> = self
            .server
            .run(async |mut connection| script.invoke_async(&mut connection).await)
            .await
            .map_err(|error| self.named(key, error))?;
        match <[_; 2]>::try_from(answer) {
            Ok(fields) => self.stored(key, fields).map(SaveOutcome::Conflict),
            Err(answer) if answer.is_empty() => Ok(SaveOutcome::Conflict(None)),
            Err(_) => Ok(SaveOutcome::Saved(version)),
        }
    }

    async fn remove(&self, key: &str) -> Result<(), RedisStoreError> {
        let mut command = redis::cmd("DEL");
        command.arg(key);
        self.query(&command).await
    }

    /// The session that the fields `version` and `session` of a key make.
    fn stored(
        &self,
        key: &str,
        fields: [Option<Vec<u8>>; 2],
    ) -> Result<Option<StoredSession>, RedisStoreError> {
        match fields {
            [None, None] => Ok(None),
            [Some(version), Some(bytes)] => {
                let version = String::from_utf8(version).map_err(|_| self.not_a_session(key))?;
                Ok(Some(StoredSession { bytes, version: StoreVersion::new(version) }))
            }
            _ => Err(self.not_a_session(key)),
        }
    }

    /// The error, with the key if it is about what is kept there.
    fn named(&self, key: &str, error: RedisStoreError) -> RedisStoreError {
        match &error {
            // Servers before 7 put `ERR` before the words of a script.
            RedisStoreError::Refused { reason, .. } if reason.contains("WRONGTYPE") => {
                self.not_a_session(key)
            }
            _ => error,
        }
    }

    fn not_a_session(&self, key: &str) -> RedisStoreError {
        RedisStoreError::NotASession { server: self.server.address().to_string(), key: key.to_owned() }
    }
}

impl SessionStore for RedisStore {
    fn load<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<StoredSession>> {
        Box::pin(async move { self.read(&redis_key(&self.prefix, key)).await.map_err(StoreError::new) })
    }

    fn save<'a>(
        &'a self,
        key: &'a str,
        bytes: &'a [u8],
        expected: Option<&'a StoreVersion>,
    ) -> StoreFuture<'a, SaveOutcome> {
        Box::pin(async move {
            self.write(&redis_key(&self.prefix, key), bytes, expected).await.map_err(StoreError::new)
        })
    }

    fn delete<'a>(&'a self, key: &'a str) -> StoreFuture<'a, ()> {
        Box::pin(async move { self.remove(&redis_key(&self.prefix, key)).await.map_err(StoreError::new) })
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore")
            .field("server", &format_args!("{}", self.server.address()))
            .field("prefix", &self.prefix)
            .field("expire_after", &self.expiry.map(|expiry| Duration::from_millis(expiry.0)))
            .field("timeout", &self.server.timeout())
            .finish_non_exhaustive()
    }
}

/// Milliseconds that a session is kept after a save.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expiry(u64);

impl Expiry {
    /// A thousand years: Redis refuses times that its clock cannot hold.
    const LONGEST: u64 = 1_000 * 365 * 24 * 60 * 60 * 1_000;

    pub(crate) fn after(duration: Duration) -> Result<Self, RedisStoreError> {
        match u64::try_from(duration.as_millis()).unwrap_or(u64::MAX).min(Self::LONGEST) {
            0 => Err(RedisStoreError::Expiry(duration)),
            milliseconds => Ok(Self(milliseconds)),
        }
    }
}

/// Names for the writes of one store: random, then counted.
struct Versions {
    writer: u128,
    writes: AtomicU64,
}

impl Versions {
    fn new() -> Result<Self, RedisStoreError> {
        let mut writer = [0; 16];
        getrandom::fill(&mut writer)
            .map_err(|error| RedisStoreError::Random { reason: error.to_string() })?;
        Ok(Self { writer: u128::from_ne_bytes(writer), writes: AtomicU64::new(0) })
    }

    /// A version that no key ever had.
    fn next(&self) -> StoreVersion {
        let write = self.writes.fetch_add(1, Ordering::Relaxed);
        StoreVersion::new(format!("{:032x}.{write}", self.writer))
    }
}
