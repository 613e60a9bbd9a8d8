//! The ranker of the source system: looks for each word of the query inside the texts of a tool.
//!
//! A word inside the name or the keywords counts 3; inside the description, an argument name or an argument
//! description 1 each. A single letter must be a whole word. Equal scores keep (toolset, name) order.

use std::sync::Arc;

use memchr::memmem::Finder;

use super::{Catalog, RankFuture, Ranked, Ranker, SearchDocument, query::Query};

const NAME_WEIGHT: f32 = 3.0;
const TEXT_WEIGHT: f32 = 1.0;

/// Ranks by substrings, the name weighted.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct SubstringRanker;

impl Ranker for SubstringRanker {
    fn rank<'a>(&'a self, query: &'a str, catalog: &'a Catalog) -> RankFuture<'a> {
        Box::pin(async move { Ok(rank(query, catalog)) })
    }
}

fn rank(query: &str, documents: &[Arc<SearchDocument>]) -> Vec<Ranked> {
    let query = Query::new(query);
    let words: Vec<Word<'_>> = query.words().iter().map(|word| Word::new(word)).collect();
    let mut ranking: Vec<Ranked> = documents
        .iter()
        .enumerate()
        .map(|(index, document)| Ranked::new(index, score(document, &words)))
        .filter(|ranked| ranked.score > 0.0)
        .collect();
    // Stable: equal scores stay in document order.
    ranking.sort_by(|a, b| b.score.total_cmp(&a.score));
    ranking
}

fn score(document: &SearchDocument, words: &[Word<'_>]) -> f32 {
    let lower = document.lower();
    let texts = [
        (&lower.name, NAME_WEIGHT),
        (&lower.description, TEXT_WEIGHT),
        (&lower.argument_names, TEXT_WEIGHT),
        (&lower.argument_descriptions, TEXT_WEIGHT),
    ];
    let found = |word: &Word<'_>| -> f32 {
        texts.iter().filter(|(text, _)| word.is_in(text)).map(|(_, weight)| weight).sum()
    };
    words.iter().map(found).sum()
}

/// A lower-case word of the query.
struct Word<'a> {
    text: &'a str,
    inside: Finder<'a>,
    /// One letter of an alphabet. A single sign of a script without case, such as Han, is a word of its own.
    is_letter: bool,
}

impl<'a> Word<'a> {
    fn new(word: &'a str) -> Self {
        let mut characters = word.chars();
        let first = characters.next();
        let is_letter = characters.next().is_none()
            && first.is_some_and(|c| c.is_ascii_alphanumeric() || c.is_lowercase());
        Self { text: word, inside: Finder::new(word), is_letter }
    }

    /// Whether a lower-case text has the word in it; a single letter must stand alone.
    fn is_in(&self, text: &str) -> bool {
        self.inside.find(text.as_bytes()).is_some()
            && (!self.is_letter || text.split(|c: char| !c.is_alphanumeric()).any(|whole| whole == self.text))
    }
}
