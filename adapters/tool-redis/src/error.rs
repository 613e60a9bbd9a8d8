//! What can go wrong with the server: what happened, on which server, and what to do.
//!
//! The builder and the store make these. No text holds a user, a password or a session: servers are named by their
//! address, and words of a server are cut where they repeat the arguments of a command.

use std::time::Duration;

use redis::RedisError;

/// Why a [`RedisStore`](crate::RedisStore) could not be made, or could not do what it was asked.
///
/// As a [`SessionStore`](tool_core::SessionStore) the store gives it inside a [`StoreError`](tool_core::StoreError).
/// No text of it holds the password. After [`Connect`](Self::Connect), [`TimedOut`](Self::TimedOut) and
/// [`Lost`](Self::Lost) it is not known whether a save was written; after the others it was not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RedisStoreError {
    /// The URL names no server.
    #[error(
        "the Redis URL is not usable: {reason}; write `redis://[user:password@]host[:port][/database]`, \
        with `/`, `?`, `#`, `@` and `:` in user and password percent-encoded"
    )]
    Url {
        /// What is wrong with it.
        reason: String,
    },
    /// Sessions would be gone before they were read.
    #[error("sessions would expire after {0:?}; `expire_after` takes a millisecond or more")]
    Expiry(Duration),
    /// Without them, versions could come twice.
    #[error("the system gives no random numbers: {reason}")]
    Random {
        /// The system's words.
        reason: String,
    },
    /// The server cannot be reached, or does not let us in.
    #[error(
        "cannot connect to {server}: {reason}; check that it runs and accepts the user and password of the URL"
    )]
    Connect {
        /// Address and database.
        server: String,
        /// The words of the system or the server.
        reason: String,
    },
    /// The server took too long.
    #[error(
        "{server} did not answer within {timeout:?}; check that it is not stopped or overloaded, \
        or set another `timeout`"
    )]
    TimedOut {
        /// Address and database.
        server: String,
        /// The time that an operation may take.
        timeout: Duration,
    },
    /// The connection broke; the next operation connects again.
    #[error("the connection to {server} was lost: {reason}; check that it runs and try again")]
    Lost {
        /// Address and database.
        server: String,
        /// The words of the system.
        reason: String,
    },
    /// The server answered with an error.
    #[error("{server} refused: {reason}{}", advice(code))]
    Refused {
        /// Address and database.
        server: String,
        /// Redis' code of the error, such as `OOM`; empty if it has none.
        code: String,
        /// The server's words.
        reason: String,
    },
    /// Something else is kept under the session's key.
    #[error(
        "`{key}` on {server} is not a session, somebody else uses this key; \
        set another prefix: `RedisStore::builder(url).prefix(…)`"
    )]
    NotASession {
        /// Address and database.
        server: String,
        /// The key as Redis has it.
        key: String,
    },
}

/// What to do about an error that the server answers with.
fn advice(code: &str) -> &'static str {
    match code {
        "OOM" => "; give the server more memory, or let sessions expire with `expire_after`",
        "NOAUTH" | "NOPERM" | "WRONGPASS" => {
            "; let the user of the URL run EVALSHA, SCRIPT LOAD, HMGET and DEL on the prefix"
        }
        "READONLY" => "; this is a replica, name the primary in the URL",
        "MOVED" | "ASK" | "CROSSSLOT" | "CLUSTERDOWN" => {
            "; this is a node of a cluster, name a proxy of it in the URL"
        }
        "LOADING" => "; the server reads its data after a start, try again",
        "MISCONF" => "; the server cannot write to its disk",
        _ => "",
    }
}

/// The words of an error, without what a server repeats of the command: a password or a session may be in there.
pub(crate) fn reason(error: &RedisError, password: Option<&str>) -> String {
    let words = match (error.code(), error.detail()) {
        (Some(code), Some(detail)) => format!("{code} {detail}"),
        (Some(code), None) => code.to_owned(),
        (None, _) => error.to_string().replace(&format!(" - {:?}", error.kind()), ""),
    };
    let words = words.split_once(", with args beginning with").map_or(words.as_str(), |(words, _)| words);
    match password {
        Some(password) if !password.is_empty() => words.replace(password, "<password>"),
        _ => words.to_owned(),
    }
}
