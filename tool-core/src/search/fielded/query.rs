//! What a query asks the index for: its terms, and what else may stand for each.

use super::{Index, Settings};
use crate::search::text::Token;

/// What a synonym counts beside the word itself.
const SYNONYM: f32 = 0.5;
/// What another form of the word counts.
const FORM: f32 = 0.5;
/// What a word counts that is one typo away: less than a synonym, because a name or a rare word may be meant as it is.
const TYPO: f32 = 0.3;
/// What two neighbouring words count that are one word in a document, and the two parts of one that are two there.
const COMPOUND: f32 = 0.5;
/// Fewest letters of a part of a word.
const MIN_PART: usize = 3;
/// The most tokens that are looked at.
const MAX_TOKENS: usize = 256;

/// One term in the segments that have it.
#[derive(Debug, Clone, Default)]
pub(super) struct Occurrence {
    /// Segment and term id.
    pub(super) ids: Vec<(usize, u32)>,
    pub(super) rarity: f32,
}

/// A term that stands for a term of the query.
#[derive(Debug)]
pub(super) struct Variant {
    pub(super) occurrence: Occurrence,
    /// Rarity included.
    pub(super) factor: f32,
}

/// One term of the query.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) text: String,
    /// As written, where a document has it.
    pub(super) occurrence: Option<Occurrence>,
    /// Itself first; a document counts the best.
    pub(super) variants: Vec<Variant>,
}

/// A query against one index.
#[derive(Debug)]
pub(super) struct Query {
    /// Everything that was asked, in order: the words that are pasted names may be stop words.
    pub(super) tokens: Vec<Token>,
    /// Different terms, stop words left out.
    pub(super) terms: Vec<Term>,
    /// The terms as they follow each other: indexes of `terms`.
    pub(super) sequence: Vec<usize>,
}

impl Query {
    pub(super) fn new(settings: &Settings, index: &Index, text: &str) -> Self {
        let tokens = settings.analyzer.query(text, MAX_TOKENS);
        let (mut terms, mut sequence): (Vec<Term>, Vec<usize>) = (Vec::new(), Vec::new());
        for token in tokens.iter().filter(|token| !token.is_stop_word && !token.is_splinter) {
            let known = terms.iter().position(|term| term.text == token.term);
            sequence.push(known.unwrap_or_else(|| {
                terms.push(term(settings, index, token));
                terms.len() - 1
            }));
        }
        for pair in tokens.windows(2) {
            // A query of stop words asks for nothing.
            if tokens.iter().all(|token| token.is_stop_word) {
                break;
            }
            if let [first, second] = pair {
                let joined = format!("{}{}", first.text, second.text);
                let joined = settings.analyzer.term(&joined);
                if let Some(occurrence) = index.occurrence(&joined)
                    && !terms.iter().any(|term| term.text == *joined)
                {
                    let factor = COMPOUND * occurrence.rarity;
                    let variants = vec![Variant { occurrence, factor }];
                    terms.push(Term { text: joined.into_owned(), occurrence: None, variants });
                }
            }
        }
        Self { tokens, terms, sequence }
    }
}

impl Query {
    /// How many different terms the query has, joined ones left out.
    pub(super) fn asked(&self) -> usize {
        self.sequence.iter().max().map_or(0, |last| last + 1)
    }
}

fn term(settings: &Settings, index: &Index, token: &Token) -> Term {
    let text = token.term.clone();
    let occurrence = index.occurrence(&text);
    let mut variants = Vec::new();
    let mut seen = vec![text.clone().into_boxed_str()];
    if let Some(occurrence) = occurrence.clone() {
        let factor = occurrence.rarity;
        variants.push(Variant { occurrence, factor });
    }
    let rarity = occurrence.as_ref().map(|occurrence| occurrence.rarity);
    let mut stand_in = |other: &str, share: f32| {
        if let Some(occurrence) = index.occurrence(other)
            && !seen.iter().any(|seen| **seen == *other)
        {
            seen.push(other.into());
            // A rare synonym of a common word is no rarer than the word.
            let factor = share * rarity.map_or(occurrence.rarity, |rarity| occurrence.rarity.min(rarity));
            variants.push(Variant { occurrence, factor });
        }
    };
    settings.synonyms.of(&text).for_each(|other| stand_in(other, SYNONYM));
    for segment in &index.segments {
        segment.spellings().same_beginning(&text).iter().for_each(|other| stand_in(other, FORM));
    }
    if variants.is_empty() {
        variants = unknown(settings, index, token);
    }
    Term { text, occurrence, variants }
}

/// What a word may mean that no document has: a typo, or two words that were run together.
fn unknown(settings: &Settings, index: &Index, token: &Token) -> Vec<Variant> {
    let mut typos: Vec<Box<str>> = Vec::new();
    for segment in &index.segments {
        for written in [&token.term, &token.text] {
            typos.extend(segment.spellings().misspelt(written));
        }
    }
    typos.sort_unstable();
    typos.dedup();
    let variant = |term: &str, share: f32| {
        let occurrence = index.occurrence(term)?;
        let factor = share * occurrence.rarity;
        Some(Variant { occurrence, factor })
    };
    let typos: Vec<Variant> = typos.iter().filter_map(|term| variant(term, TYPO)).collect();
    if !typos.is_empty() || !token.text.is_ascii() {
        return typos;
    }
    let parts = (MIN_PART..token.text.len().saturating_sub(MIN_PART - 1)).rev();
    let both = |at: usize| {
        let (first, second) = token.text.split_at_checked(at)?;
        let part = |text| variant(&settings.analyzer.term(text), COMPOUND);
        Some(vec![part(first)?, part(second)?])
    };
    parts.into_iter().find_map(both).unwrap_or_default()
}

impl Index {
    /// Where a term occurs, if it does.
    pub(super) fn occurrence(&self, term: &str) -> Option<Occurrence> {
        let (mut ids, mut containing) = (Vec::new(), 0);
        for (at, segment) in self.segments.iter().enumerate() {
            if let Some(id) = segment.id(term) {
                ids.push((at, id));
                containing += self.count(segment.postings(id));
            }
        }
        (containing > 0).then(|| Occurrence { ids, rarity: self.rarity(containing) })
    }
}
