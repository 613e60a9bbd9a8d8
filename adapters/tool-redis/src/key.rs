//! Keys of hosts as Redis keys.
//!
//! The store asks for one per operation. Two keys never become one, and none holds a character that means something to
//! Redis: `{…}` would choose the slot in a cluster, `*` and `?` match in patterns of `SCAN` and of access lists.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but letters, digits, `-`, `_`, `.` and `~`. The `:` too: it ends prefixes, so that `a:` and `a:b:` share no key.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

pub(crate) fn redis_key(prefix: &str, key: &str) -> String {
    format!("{prefix}{}", utf8_percent_encode(key, ENCODED))
}

#[cfg(test)]
mod tests {
    use super::redis_key;

    #[test]
    fn a_key_keeps_only_characters_without_a_meaning() {
        assert_eq!(redis_key("chat:", "user-42_a.b~c"), "chat:user-42_a.b~c");
        assert_eq!(
            redis_key("chat:", "../{a}*?[:%\r\n\0é"),
            "chat:..%2F%7Ba%7D%2A%3F%5B%3A%25%0D%0A%00%C3%A9"
        );
        assert_eq!(redis_key("chat:", ""), "chat:");
    }

    #[test]
    fn prefixes_that_end_in_a_colon_share_no_key() {
        assert_ne!(redis_key("a:", "b:c"), redis_key("a:b:", "c"));
    }
}
