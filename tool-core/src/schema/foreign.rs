//! Schemas of sources: kept as they came, but for characters that no reader sees.
//!
//! In descriptions and titles such characters are removed; anywhere else (names, values) they are written as JSON escapes,
//! which changes what is seen and not what is meant.

use std::{borrow::Cow, fmt::Write};

use crate::text;

/// Keywords whose value is prose.
const PROSE: [&str; 3] = ["description", "title", "$comment"];

/// The text of a JSON document without unsafe characters.
pub(super) fn cleaned(json: &str) -> Cow<'_, str> {
    // A character that is escaped already is unsafe in prose too.
    if !json.contains("\\u") && !json.chars().any(text::is_unsafe_in_json) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    let mut key = None;
    while let Some(at) = rest.find('"') {
        let (between, string) = rest.split_at(at);
        // Only a colon may stand between a key and the string that is its value.
        if between.trim() != ":" {
            key = None;
        }
        out.push_str(between);
        let (string, after) = string.split_at(end_of_string(string));
        let decoded = serde_json::from_str::<String>(string).ok();
        let is_prose = key.take().is_some_and(|key: String| PROSE.contains(&key.as_str()));
        match &decoded {
            Some(value) if is_prose && value.chars().any(text::is_unsafe_in_json) => {
                out.push_str(&serde_json::Value::from(text::clean(value, usize::MAX)).to_string());
            }
            _ => push_escaped(&mut out, string),
        }
        key = decoded;
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The length of the string token that `json` begins with.
fn end_of_string(json: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in json.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    json.len()
}

fn push_escaped(out: &mut String, string: &str) {
    for c in string.chars() {
        if text::is_unsafe_in_json(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string never fails.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::cleaned;

    #[test]
    fn what_has_no_unsafe_character_stays_as_it_came() {
        let text = "{ \"type\" : \"object\",\n\t\"description\": \"größe 法令\" }";
        assert!(matches!(cleaned(text), std::borrow::Cow::Borrowed(same) if same == text));
        let escaped = r#"{"description":"gr\u00f6\u00dfe"}"#;
        assert_eq!(cleaned(escaped), escaped);
    }

    #[test]
    fn prose_loses_unsafe_characters_and_the_rest_is_as_it_came() {
        let text =
            "{\"b\":1, \"description\" : \"a\u{202e}b\\u001b[31mc\",\"a\":[\"description\",\"x\u{200b}y\"]}";
        assert_eq!(cleaned(text), r#"{"b":1, "description" : "abc","a":["description","x\u200by"]}"#);
    }

    #[test]
    fn names_and_values_keep_their_meaning() {
        let text = "{\"properties\":{\"a\u{feff}\":{\"enum\":[\"\u{e0041}\",\"\\\"\"]}}}";
        let cleaned = cleaned(text);
        assert_eq!(cleaned, r#"{"properties":{"a\ufeff":{"enum":["\udb40\udc41","\""]}}}"#);
        let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(parse(&cleaned), parse(text));
    }

    #[test]
    fn what_is_no_json_does_not_break_it() {
        for text in ["\"\u{200b}", "{\"a\\", "\u{200b}", "\"\\ud800\""] {
            let _ = cleaned(text);
        }
    }
}
