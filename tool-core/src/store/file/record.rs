//! What stands in the file of a session: a hash of the rest, a line about it, and the session.
//!
//! The hash tells a whole file from any part of one, whatever a crash or a person has left.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::text;

/// The form that this library writes.
const FORMAT: u32 = 1;

/// The line about a session.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    format: u32,
    /// The key, for people, and because long ones are hashed in names.
    key: String,
    pub(super) version: String,
    /// When it was saved, in milliseconds since 1970.
    saved: u64,
}

impl Header {
    pub(super) fn new(key: &str) -> Self {
        let version = uuid::Uuid::new_v4().to_string();
        let saved = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let saved = u64::try_from(saved.as_millis()).unwrap_or(u64::MAX);
        Self { format: FORMAT, key: key.to_owned(), version, saved }
    }

    pub(super) fn is_expired(&self, after: Option<Duration>) -> bool {
        let saved = UNIX_EPOCH.checked_add(Duration::from_millis(self.saved));
        // A clock that was set back makes nothing older.
        let age = saved.and_then(|saved| saved.elapsed().ok());
        matches!((age, after), (Some(age), Some(after)) if age >= after)
    }
}

/// The bytes of a file.
pub(super) fn write(header: &Header, session: &[u8]) -> Result<Vec<u8>, serde_json::Error> {
    let header = serde_json::to_vec(header)?;
    let mut hash = Sha256::new();
    for part in [&header[..], b"\n", session] {
        hash.update(part);
    }
    let mut line = String::with_capacity(65);
    text::push_hex(&mut line, &hash.finalize());
    line.push('\n');
    Ok([line.as_bytes(), &header, b"\n", session].concat())
}

/// The header and the session of a file's bytes, or what is wrong with them. `key` is `None` where any will do.
pub(super) fn read<'b>(key: Option<&str>, bytes: &'b [u8]) -> Result<(Header, &'b [u8]), &'static str> {
    let (hash, rest) = split_line(bytes).ok_or("it ends in its first line")?;
    let mut actual = String::with_capacity(64);
    text::push_hex(&mut actual, &Sha256::digest(rest));
    if actual.as_bytes() != hash {
        return Err("a part of it is missing or was changed");
    }
    let (header, session) = split_line(rest).ok_or("it has no session")?;
    let header: Header = serde_json::from_slice(header).map_err(|_| "its second line is no header")?;
    if header.format > FORMAT {
        return Err("a later version of the library wrote it");
    }
    if key.is_some_and(|key| key != header.key) {
        return Err("it is the session of another key");
    }
    Ok((header, session))
}

fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b'\n', bytes)?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}
