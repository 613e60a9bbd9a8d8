//! Settings of a store, checked and connected in one step.

use std::{fmt, time::Duration};

use crate::{RedisStore, RedisStoreError, address, server::Server, store::Expiry};

/// Settings of a [`RedisStore`], from [`RedisStore::builder`].
#[derive(Clone)]
#[must_use = "a builder does nothing until `connect`"]
pub struct RedisStoreBuilder {
    url: String,
    prefix: String,
    expire_after: Option<Duration>,
    timeout: Duration,
}

impl RedisStoreBuilder {
    pub(crate) fn new(url: String) -> Self {
        Self { url, prefix: "tool-core:session:".into(), expire_after: None, timeout: Duration::from_secs(5) }
    }

    /// What all keys begin with, as it is written here: by default `tool-core:session:`.
    ///
    /// End it with `:`, so that stores of other prefixes share no key with this one. A prefix with `{…}` puts all sessions
    /// into one slot of a cluster.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// How long a session is kept after its last save; by default for ever. A millisecond or more.
    pub fn expire_after(mut self, duration: Duration) -> Self {
        self.expire_after = Some(duration);
        self
    }

    /// How long one operation may take, connecting included: by default 5 seconds.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Connects to the server.
    ///
    /// # Errors
    /// What is wrong with the settings, or why the server cannot be reached.
    pub async fn connect(self) -> Result<RedisStore, RedisStoreError> {
        let expiry = self.expire_after.map(Expiry::after).transpose()?;
        let server = Server::new(address::client(&self.url)?, self.timeout);
        RedisStore::new(server, self.prefix, expiry).await
    }
}

/// Without the URL: it may hold a password.
impl fmt::Debug for RedisStoreBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStoreBuilder")
            .field("prefix", &self.prefix)
            .field("expire_after", &self.expire_after)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
