//! The check of `tools![…]` at compile time: no two tools of one name.

use super::ToolRef;

/// Refuses the tool `at` this index if it has the name of one before it in the list.
///
/// # Panics
/// At compile time, where it has.
#[track_caller]
#[allow(
    clippy::panic,
    clippy::indexing_slicing,
    reason = "evaluated by the compiler only: both are compile errors"
)]
pub const fn refuse_duplicate(tools: &[ToolRef], at: usize) {
    let name = tools[at].name();
    let mut index = 0;
    while index < at {
        if same(name, tools[index].name()) {
            let mut message = Message::EMPTY;
            message.text("two tools in this list are called `");
            message.text(name);
            message.text("` (");
            message.ordinal(index + 1);
            message.text(" and ");
            message.ordinal(at + 1);
            message.text(")");
            panic!("{}", message.as_str());
        }
        index += 1;
    }
}

#[allow(clippy::indexing_slicing, reason = "inside a loop over the length; `get` is not const")]
const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

/// A text built by the compiler: a const panic formats one `&str` and nothing else.
struct Message {
    bytes: [u8; 160],
    len: usize,
}

#[allow(
    clippy::indexing_slicing,
    reason = "a name has at most 64 bytes, so 160 hold the text; more is a compile error"
)]
impl Message {
    const EMPTY: Self = Self { bytes: [b' '; 160], len: 0 };

    const fn text(&mut self, text: &str) {
        let mut index = 0;
        while index < text.len() {
            self.bytes[self.len] = text.as_bytes()[index];
            self.len += 1;
            index += 1;
        }
    }

    const fn ordinal(&mut self, number: usize) {
        if number >= 10 {
            self.digits(number / 10);
        }
        self.digit(number % 10);
        self.text(match (number % 10, number % 100) {
            (_, 11..=13) => "th",
            (1, _) => "st",
            (2, _) => "nd",
            (3, _) => "rd",
            _ => "th",
        });
    }

    const fn digits(&mut self, number: usize) {
        if number >= 10 {
            self.digits(number / 10);
        }
        self.digit(number % 10);
    }

    #[allow(clippy::cast_possible_truncation, reason = "one digit")]
    const fn digit(&mut self, digit: usize) {
        self.bytes[self.len] = b'0' + digit as u8;
        self.len += 1;
    }

    const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "two tools in this list have one name",
        }
    }
}
