//! The one connection to the server, made anew when it broke.
//!
//! The store runs every operation through it. An operation ends within the time-out, whatever the server does; after a
//! time-out or a lost connection the next one connects again, at once, so no old error outlives its cause. All
//! operations share the connection and do not wait for each other.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use redis::{AsyncConnectionConfig, Client, RedisError, RedisResult, aio::MultiplexedConnection};
use tokio::sync::OnceCell;

use crate::{RedisStoreError, address::Address, error};

/// A place for a connection, filled by the first operation that needs it.
type Slot = Arc<OnceCell<MultiplexedConnection>>;

pub(crate) struct Server {
    client: Client,
    address: Address,
    timeout: Duration,
    slot: Mutex<Slot>,
}

impl Server {
    pub(crate) fn new(client: Client, timeout: Duration) -> Self {
        Self { address: Address::of(&client), client, timeout, slot: Mutex::default() }
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    pub(crate) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Runs an operation, twice if the connection that was there turns out to be dead: it must bear that.
    pub(crate) async fn run<T, R>(
        &self,
        operation: impl Fn(MultiplexedConnection) -> R,
    ) -> Result<T, RedisStoreError>
    where
        R: Future<Output = RedisResult<T>>,
    {
        let mut slot = self.current();
        let attempts = async {
            let was_connected = slot.initialized();
            match self.attempt(&slot, &operation).await {
                Err(Failure { connection: Connection::Unusable, .. }) if was_connected => {
                    slot = self.current();
                    self.attempt(&slot, &operation).await
                }
                result => result,
            }
        };
        let in_time = tokio::time::timeout(self.timeout, attempts).await;
        in_time.map_or_else(
            |_| {
                // Answers that come late would hold up those of later operations.
                self.forget(&slot);
                Err(RedisStoreError::TimedOut { server: self.address.to_string(), timeout: self.timeout })
            },
            |result| result.map_err(|failure| failure.error),
        )
    }

    async fn attempt<T, R>(
        &self,
        slot: &Slot,
        operation: impl Fn(MultiplexedConnection) -> R,
    ) -> Result<T, Failure>
    where
        R: Future<Output = RedisResult<T>>,
    {
        let connection = slot.get_or_try_init(|| self.connect()).await?;
        operation(connection.clone()).await.map_err(|error| {
            let failure = self.failure(&error);
            if matches!(failure.connection, Connection::Unusable) {
                self.forget(slot);
            }
            failure
        })
    }

    async fn connect(&self) -> Result<MultiplexedConnection, Failure> {
        // The time-out of the whole operation holds.
        let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
        self.client.get_multiplexed_async_connection_with_config(&config).await.map_err(|error| Failure {
            connection: Connection::Usable,
            error: RedisStoreError::Connect { server: self.address.to_string(), reason: self.reason(&error) },
        })
    }

    fn failure(&self, error: &RedisError) -> Failure {
        let server = self.address.to_string();
        let reason = self.reason(error);
        if error.is_io_error() || error.is_unrecoverable_error() {
            return Failure {
                connection: Connection::Unusable,
                error: RedisStoreError::Lost { server, reason },
            };
        }
        let code = error.code().unwrap_or_default().to_owned();
        // A primary that became a replica: its name may mean another machine by now.
        let connection = if code == "READONLY" { Connection::Unusable } else { Connection::Usable };
        Failure { connection, error: RedisStoreError::Refused { server, code, reason } }
    }

    fn reason(&self, error: &RedisError) -> String {
        error::reason(error, self.client.get_connection_info().redis_settings().password())
    }

    fn current(&self) -> Slot {
        Arc::clone(&self.slot.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Lets the next operation connect, unless another one saw to that.
    fn forget(&self, slot: &Slot) {
        let mut current = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current, slot) {
            *current = Slot::default();
        }
    }
}

struct Failure {
    connection: Connection,
    error: RedisStoreError,
}

/// Whether later operations can use the connection.
enum Connection {
    Usable,
    Unusable,
}
