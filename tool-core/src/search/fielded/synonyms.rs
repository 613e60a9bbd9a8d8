//! Words that stand for each other: built-in classes and the host's.
//!
//! A class is a line of words; `a b -> c d` leads from each of the left words to all of the right ones and not back. What
//! follows a `|` is the reason of the class.

use std::collections::HashMap;

use crate::search::text::{Analyzer, tokens};

/// The built-in classes.
pub(super) const CLASSES: &str = include_str!("synonyms.txt");

/// Classes by term.
#[derive(Debug, Default)]
pub(super) struct Synonyms {
    classes: Vec<Vec<Box<str>>>,
    of: HashMap<Box<str>, Vec<usize>>,
}

impl Synonyms {
    /// A line without two words says nothing and is left out.
    pub(super) fn new<'a>(lines: impl Iterator<Item = &'a str>, analyzer: &Analyzer) -> Self {
        let mut synonyms = Self::default();
        for line in lines {
            let words = line.split(['|', '#']).next().unwrap_or_default();
            let (from, to) = words.split_once("->").unwrap_or((words, words));
            let terms = |words: &str| -> Vec<Box<str>> {
                tokens(words).iter().map(|token| analyzer.term(token).into()).collect()
            };
            let class = synonyms.classes.len();
            for term in terms(from) {
                synonyms.of.entry(term).or_default().push(class);
            }
            synonyms.classes.push(terms(to));
        }
        synonyms
    }

    /// The terms that may stand for a term, itself left out, in the order of the classes; some twice.
    pub(super) fn of(&self, term: &str) -> impl Iterator<Item = &str> {
        let classes = self.of.get(term).map_or(&[][..], Vec::as_slice);
        let terms = classes.iter().filter_map(|class| self.classes.get(*class)).flatten();
        let term = term.to_owned();
        terms.map(|other| &**other).filter(move |other| *other != term)
    }
}

/// Whether a line has two words, or one on each side of its arrow.
pub(super) fn is_class(line: &str) -> bool {
    match line.split_once("->") {
        Some((from, to)) => !tokens(from).is_empty() && !tokens(to).is_empty(),
        None => tokens(line).len() > 1,
    }
}
