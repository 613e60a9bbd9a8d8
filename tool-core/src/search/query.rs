//! The words of a query, and the tools that it names exactly.

use std::sync::Arc;

use crate::registry::Entry;

/// Longest query that is looked at, in characters.
const MAX_QUERY: usize = 2_000;
/// The most words that are searched.
const MAX_WORDS: usize = 64;

/// Words that say that something is wanted, not what.
const STOP_WORDS: &[&str] = &[
    "a",
    "about",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "been",
    "but",
    "by",
    "can",
    "could",
    "did",
    "do",
    "does",
    "doing",
    "each",
    "find",
    "for",
    "from",
    "get",
    "give",
    "had",
    "has",
    "have",
    "help",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "just",
    "let",
    "like",
    "make",
    "may",
    "me",
    "might",
    "mine",
    "must",
    "my",
    "need",
    "needs",
    "no",
    "not",
    "of",
    "on",
    "one",
    "or",
    "our",
    "please",
    "shall",
    "she",
    "he",
    "should",
    "show",
    "so",
    "some",
    "something",
    "such",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "those",
    "to",
    "tool",
    "tools",
    "us",
    "use",
    "using",
    "want",
    "wants",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
];

/// A query, cut to a sane length.
pub(crate) struct Query {
    text: String,
    words: Vec<String>,
}

impl Query {
    pub(crate) fn new(text: &str) -> Self {
        let text: String = text.chars().take(MAX_QUERY).collect();
        let mut words: Vec<String> = Vec::new();
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let word = word.to_lowercase();
            if words.len() < MAX_WORDS && !STOP_WORDS.contains(&word.as_str()) && !words.contains(&word) {
                words.push(word);
            }
        }
        Self { text, words }
    }

    /// The lower-case words without stop words and repetitions, in order.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// The tools whose name the query is, or that it lists, whatever the case and the separators.
    ///
    /// In a sentence only what looks like an identifier counts as a name: `search` is a word, `web_search` is not.
    pub(crate) fn named(&self, find: impl Fn(&str) -> Vec<Arc<Entry>>) -> Vec<Arc<Entry>> {
        // Two names may differ in nothing but case and separators: the one of exactly this spelling comes first.
        let find = |name: &str| {
            let mut found = find(name);
            found.sort_by_key(|entry| *entry.name() != name && entry.wire_name() != Some(name));
            found
        };
        let mut named = find(self.text.trim());
        if named.is_empty() {
            let pieces: Vec<&str> = self.pieces().collect();
            let all_are_names = pieces.iter().all(|piece| !find(piece).is_empty());
            for piece in pieces.into_iter().filter(|piece| all_are_names || is_identifier(piece)) {
                for entry in find(piece) {
                    if !named.iter().any(|known| Arc::ptr_eq(known, &entry)) {
                        named.push(entry);
                    }
                }
            }
        }
        named
    }

    fn pieces(&self) -> impl Iterator<Item = &str> {
        self.text
            .split(|c: char| {
                c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | '`' | '(' | ')' | '[' | ']')
            })
            .filter(|piece| piece.contains(char::is_alphanumeric))
    }
}

/// Has a separator, a digit or an inner capital.
fn is_identifier(piece: &str) -> bool {
    piece
        .trim_matches(|c: char| !c.is_alphanumeric())
        .chars()
        .skip(1)
        .any(|c| matches!(c, '_' | '-' | '.' | '/' | ':') || c.is_numeric() || c.is_uppercase())
}
