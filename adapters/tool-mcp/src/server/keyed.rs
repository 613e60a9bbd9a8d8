//! Sessions of requests that have no connection: found again by the host's key, ended when idle.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rmcp::ErrorData;
use tokio::time::Instant;
use tool_core::Session;

use super::served::Served;

/// The sessions by key.
#[derive(Debug)]
pub(super) struct Keyed {
    idle: Duration,
    max: usize,
    sessions: Mutex<HashMap<String, Held>>,
}

#[derive(Debug)]
struct Held {
    served: Arc<Served>,
    used: Instant,
}

impl Keyed {
    pub(super) fn new(idle: Duration, max: usize) -> Self {
        Self { idle, max, sessions: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Held>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session of a key, made where there is none.
    pub(super) fn get(
        &self,
        key: String,
        make: impl FnOnce() -> Result<Session, ErrorData>,
    ) -> Result<Arc<Served>, ErrorData> {
        if let Some(held) = self.lock().get_mut(&key).filter(|held| held.used.elapsed() < self.idle) {
            held.used = Instant::now();
            return Ok(Arc::clone(&held.served));
        }
        // Made without the lock: it is the host's code.
        let served = Served::new(make()?);
        let mut sessions = self.lock();
        // Another request of this key may have been quicker.
        if let Some(held) = sessions.get(&key).filter(|held| held.used.elapsed() < self.idle) {
            return Ok(Arc::clone(&held.served));
        }
        sessions.retain(|_, held| held.used.elapsed() < self.idle);
        if sessions.len() >= self.max {
            return Err(ErrorData::invalid_request("too many sessions are open; try again later", None));
        }
        sessions.insert(key, Held { served: Arc::clone(&served), used: Instant::now() });
        Ok(served)
    }
}
