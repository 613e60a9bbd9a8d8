//! The ranker of the source system: looks for each word of the query inside the texts of a tool.
//!
//! A word inside the name or the keywords counts 3; inside the description, an argument name or an argument
//! description 1 each. A single letter must be a whole word. Equal scores keep (toolset, name) order.

use super::{RankFuture, Ranked, Ranker, SearchDocument, query::Query};

const NAME_WEIGHT: f32 = 3.0;
const TEXT_WEIGHT: f32 = 1.0;

/// Ranks by substrings, the name weighted.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct SubstringRanker;

impl SubstringRanker {
    pub(crate) fn rank_now(self, query: &str, documents: &[SearchDocument]) -> Vec<Ranked> {
        let query = Query::new(query);
        let words = query.words();
        if words.is_empty() {
            return Vec::new();
        }
        let mut ranking: Vec<Ranked> = documents
            .iter()
            .enumerate()
            .map(|(index, document)| Ranked::new(index, score(document, words)))
            .filter(|ranked| ranked.score > 0.0)
            .collect();
        // Stable: equal scores stay in document order.
        ranking.sort_by(|a, b| b.score.total_cmp(&a.score));
        ranking
    }
}

impl Ranker for SubstringRanker {
    fn rank<'a>(&'a self, query: &'a str, documents: &'a [SearchDocument]) -> RankFuture<'a> {
        Box::pin(async move { Ok(self.rank_now(query, documents)) })
    }
}

fn score(document: &SearchDocument, words: &[String]) -> f32 {
    let name = document.name.as_str().to_lowercase();
    let keywords: Vec<String> = document.keywords.iter().map(|keyword| keyword.to_lowercase()).collect();
    let description = document.description.to_lowercase();
    let arguments: Vec<(String, String)> = document
        .arguments
        .iter()
        .map(|argument| (argument.name.to_lowercase(), argument.description.to_lowercase()))
        .collect();
    words
        .iter()
        .map(|word| {
            let named = contains(&name, word) || keywords.iter().any(|keyword| contains(keyword, word));
            let texts = [
                contains(&description, word),
                arguments.iter().any(|(name, _)| contains(name, word)),
                arguments.iter().any(|(_, description)| contains(description, word)),
            ];
            let in_name = if named { NAME_WEIGHT } else { 0.0 };
            texts.into_iter().filter(|found| *found).fold(in_name, |sum, _| sum + TEXT_WEIGHT)
        })
        .sum()
}

/// Whether a lower-case text has the word in it; a single letter must stand alone.
fn contains(text: &str, word: &str) -> bool {
    let mut characters = word.chars();
    match (characters.next(), characters.next()) {
        (Some(letter), None) if letter.is_ascii_alphanumeric() => {
            text.split(|c: char| !c.is_alphanumeric()).any(|whole| whole == word)
        }
        _ => text.contains(word),
    }
}
