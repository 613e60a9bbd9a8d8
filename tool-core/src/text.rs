//! Cleaning and cutting of texts that did not come from this library, before a model, a log or a person reads them.

use std::borrow::Cow;

/// `text` without control, escape, zero-width and bidirectional characters, at most `max` bytes.
pub(crate) fn clean(text: &str, max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(max));
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        if c == '\u{1b}' {
            skip_escape_sequence(&mut characters);
        } else if c == '\n' || c == '\t' || !is_unsafe(c) {
            out.push(c);
        }
        if out.len() > max {
            break;
        }
    }
    cut(out, max)
}

/// As [`clean`], on one line: line breaks and runs of white space become one space.
pub(crate) fn one_line(text: &str, max: usize) -> String {
    let cleaned = clean(text, max.saturating_mul(2));
    let mut out = String::with_capacity(cleaned.len());
    for word in cleaned.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    cut(out, max)
}

/// `text` with what [`clean`] would remove written as `\n` or `\u{202e}`: for a person who must see all of it.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

/// Appends two hexadecimal digits a byte.
pub(crate) fn push_hex(text: &mut String, bytes: &[u8]) {
    for byte in bytes {
        text.extend([byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap_or('0')));
    }
}

/// Longest echo of what the model made up, in characters.
const MAX_ECHO: usize = 64;

/// What the model itself sent, cleaned and cut.
pub(crate) fn echo(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_ECHO && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Cow::Borrowed(text);
    }
    one_line(text, MAX_ECHO * 4).chars().take(MAX_ECHO).collect()
}

/// Cuts at a character boundary and ends in `…` where something was cut.
pub(crate) fn cut(mut text: String, max: usize) -> String {
    if text.len() > max {
        let room = max.saturating_sub('…'.len_utf8());
        truncate(&mut text, room);
        text.push('…');
    }
    text
}

/// Cuts to at most `max` bytes, at a character boundary.
pub(crate) fn truncate(text: &mut String, max: usize) {
    if text.len() > max {
        // A character has at most four bytes, so one of these places is a boundary.
        let end = (max.saturating_sub(3)..=max).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
}

/// Cuts to `max` characters, the last one `…` where something was cut.
pub(crate) fn cut_characters(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some(_) => text.chars().take(max.saturating_sub(1)).chain(['…']).collect(),
    }
}

fn skip_escape_sequence(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match characters.peek() {
        Some('[') => {
            characters.next();
            for c in characters.by_ref() {
                if ('\u{40}'..='\u{7e}').contains(&c) {
                    break;
                }
            }
        }
        Some(']') => {
            for c in characters.by_ref() {
                if c == '\u{7}' || c == '\u{9c}' {
                    break;
                }
            }
        }
        _ => {}
    }
}

/// Whether a character of a JSON document is unsafe; line breaks and tabs are its white space.
pub(crate) fn is_unsafe_in_json(c: char) -> bool {
    !matches!(c, '\n' | '\r' | '\t') && is_unsafe(c)
}

fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}
