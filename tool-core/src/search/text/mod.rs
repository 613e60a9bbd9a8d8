//! From texts to terms: one analysis for names, documents and queries.
//!
//! Whatever is indexed and whatever is searched goes through [`Analyzer`], so that a name that is pasted into a query
//! has the terms that it was indexed under.

mod split;
mod stem;
mod stop_words;

use std::{borrow::Cow, collections::HashSet};

pub(super) use split::split;
use stem::Stemmers;
pub use stem::Stemming;
use stop_words::STOP_WORDS;

/// How texts become terms.
pub(super) struct Analyzer {
    stemmers: Stemmers,
    stop_words: HashSet<Box<str>>,
    minimum_length: usize,
}

/// A token of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    /// As written: lower case, without marks.
    pub(super) text: String,
    /// Whether it says that something is wanted, not what.
    pub(super) is_stop_word: bool,
    /// Whether it is one character of a longer word: the `2` of `v2`, which is no word to search for.
    pub(super) is_splinter: bool,
}

impl Analyzer {
    /// Without own stop words, the built-in ones.
    pub(super) fn new(stemming: Stemming, stop_words: Option<&[String]>, minimum_length: usize) -> Self {
        let stop_words = match stop_words {
            None => STOP_WORDS.split_whitespace().map(Into::into).collect(),
            Some(own) => own.iter().flat_map(|words| tokens(words)).map(String::into_boxed_str).collect(),
        };
        Self { stemmers: Stemmers::new(stemming), stop_words, minimum_length }
    }

    pub(super) fn term<'a>(&self, token: &'a str) -> Cow<'a, str> {
        self.stemmers.stem(token)
    }

    pub(super) fn is_stop_word(&self, token: &str) -> bool {
        self.stop_words.contains(token)
    }

    /// Whether a token is too short to be searched. A token of a script without spaces is as long as it can be.
    pub(super) fn is_short(&self, token: &str) -> bool {
        self.minimum_length > 1
            && token.chars().count() < self.minimum_length
            && !token.starts_with(split::has_no_spaces)
    }

    /// The tokens of a query, stop words included and marked, at most `limit`.
    pub(super) fn query(&self, text: &str, limit: usize) -> Vec<Token> {
        let mut tokens: Vec<Token> = Vec::new();
        let mut words: Vec<usize> = Vec::new();
        split(text, &mut |token, word| {
            if tokens.len() >= limit || self.is_short(token) {
                return;
            }
            let is_one = token.chars().nth(1).is_none();
            let continues = words.last() == Some(&word);
            // That the one before is not the whole word shows only now.
            if let Some(before) = tokens.last_mut().filter(|_| continues) {
                before.is_splinter |= before.text.chars().nth(1).is_none();
            }
            words.push(word);
            tokens.push(Token {
                text: token.to_owned(),
                is_stop_word: self.is_stop_word(token),
                is_splinter: is_one && continues,
            });
        });
        tokens
    }
}

/// The tokens of a text as written, in order.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    split(text, &mut |token, _| tokens.push(token.to_owned()));
    tokens
}
