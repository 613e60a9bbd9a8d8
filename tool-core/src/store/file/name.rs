//! Keys as names of files.
//!
//! Two keys never have one name, also where the file system does not tell upper case from lower case; no name leaves the
//! folder, is reserved somewhere, or is too long for a file system.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use crate::text;

/// Longest encoded key that is a name as it is; longer ones end in their hash.
const MAX_ENCODED: usize = 120;
/// How much of a longer one a person can read.
const HEAD: usize = 48;
/// How many lock files there are: keys share them.
const LOCKS: u8 = 64;

/// The name of a key's file, without an ending.
pub(super) fn of(key: &str) -> String {
    let mut name = String::from("s-");
    for byte in key.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            // Upper case too: some file systems do not tell it from lower case.
            _ => drop(write!(name, "%{byte:02x}")),
        }
    }
    if name.len() > MAX_ENCODED {
        name.truncate(HEAD);
        // No encoded key has this character.
        name.push('~');
        text::push_hex(&mut name, &Sha256::digest(key));
    }
    name
}

/// The name of the lock that guards a file, by the name of the file without an ending.
pub(super) fn of_lock(name: &str) -> String {
    let first = Sha256::digest(name).first().copied().unwrap_or_default();
    format!("lock-{:02}", first % LOCKS)
}
