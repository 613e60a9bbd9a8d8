//! What a query asks the index for: its terms, and what else may stand for each.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::{Index, Settings, segment::Posting};
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
/// What the key of two joined words begins with; no word does.
const JOINED: char = '+';
/// The most tokens that are looked at.
const MAX_TOKENS: usize = 256;

/// One term in the segments that have it.
#[derive(Debug, Clone, Default)]
pub(super) struct Occurrence {
    /// Segment and term id.
    pub(super) ids: Ids,
    pub(super) rarity: f32,
}

/// Segments, each with the id that a term has in it.
pub(super) type Ids = SmallVec<[(usize, u32); 1]>;

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
    /// The documents that have one of the variants, by slot, with what it counts there.
    pub(super) values: Box<[(u32, f32)]>,
}

/// A query against one index.
#[derive(Debug)]
pub(super) struct Query {
    /// Everything that was asked, in order: the words that are pasted names may be stop words.
    pub(super) tokens: Vec<Token>,
    /// Different terms, stop words left out.
    pub(super) terms: Vec<Arc<Term>>,
    /// The terms as they follow each other: indexes of `terms`.
    pub(super) sequence: Vec<usize>,
}

impl Query {
    pub(super) fn new(settings: &Settings, index: &Index, text: &str) -> Self {
        let tokens = settings.analyzer.query(text, MAX_TOKENS);
        let (mut terms, mut sequence): (Vec<Arc<Term>>, Vec<usize>) = (Vec::new(), Vec::new());
        for token in tokens.iter().filter(|token| !token.is_stop_word && !token.is_splinter) {
            let term = index.memo.term(&token.text, || asked(settings, index, &token.text));
            let known = terms.iter().position(|known| known.text == term.text);
            sequence.push(known.unwrap_or_else(|| {
                terms.push(term);
                terms.len() - 1
            }));
        }
        // A query of stop words asks for nothing.
        let pairs = if tokens.iter().all(|token| token.is_stop_word) { &[] } else { tokens.as_slice() };
        let mut key = String::new();
        for pair in pairs.windows(2) {
            key.clear();
            key.push(JOINED);
            key.extend(pair.iter().map(|token| token.text.as_str()));
            let term = index.memo.term(&key, || joined(settings, index, key.trim_start_matches(JOINED)));
            if !term.variants.is_empty() && !terms.iter().any(|known| known.text == term.text) {
                terms.push(term);
            }
        }
        Self { tokens, terms, sequence }
    }

    /// How many different terms the query has, joined ones left out.
    pub(super) fn asked(&self) -> usize {
        self.sequence.iter().max().map_or(0, |last| last + 1)
    }
}

impl Term {
    fn new(index: &Index, text: String, occurrence: Option<Occurrence>, variants: Vec<Variant>) -> Self {
        let values = values(index, &variants);
        Self { text, occurrence, variants, values }
    }
}

/// The term of a word of the query.
fn asked(settings: &Settings, index: &Index, token: &str) -> Term {
    let text = settings.analyzer.term(token).into_owned();
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
        variants = unknown(settings, index, token, &text);
    }
    Term::new(index, text, occurrence, variants)
}

/// The term of two neighbouring words of the query as one; without a variant where no document has it.
fn joined(settings: &Settings, index: &Index, words: &str) -> Term {
    let text = settings.analyzer.term(words).into_owned();
    let variant = |occurrence: Occurrence| {
        let factor = COMPOUND * occurrence.rarity;
        Variant { occurrence, factor }
    };
    let variants = index.occurrence(&text).map(variant).into_iter().collect();
    Term::new(index, text, None, variants)
}

/// What the best variant counts in each document that has one, by slot.
fn values(index: &Index, variants: &[Variant]) -> Box<[(u32, f32)]> {
    let mut values: Vec<(u32, f32)> = Vec::new();
    for variant in variants {
        for (segment, id) in &variant.occurrence.ids {
            let Some(segment) = index.segments.get(*segment) else { continue };
            let value = |posting: &Posting| {
                (posting.slot, variant.factor * index.weight(posting.slot, posting.counts))
            };
            values.extend(segment.postings(*id).iter().map(value));
        }
    }
    if variants.len() > 1 {
        // Stable: that sort merges what is in order already.
        values.sort_by_key(|(slot, _)| *slot);
        values.dedup_by(|other, one| {
            let same = other.0 == one.0;
            one.1 = if same { one.1.max(other.1) } else { one.1 };
            same
        });
    }
    values.into()
}

/// What a word may mean that no document has: a typo, or two words that were run together.
fn unknown(settings: &Settings, index: &Index, token: &str, term: &str) -> Vec<Variant> {
    let mut typos: Vec<Box<str>> = Vec::new();
    for segment in &index.segments {
        for written in [term, token] {
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
    if !typos.is_empty() || !token.is_ascii() {
        return typos;
    }
    let parts = (MIN_PART..token.len().saturating_sub(MIN_PART - 1)).rev();
    let both = |at: usize| {
        let (first, second) = token.split_at_checked(at)?;
        let part = |text| variant(&settings.analyzer.term(text), COMPOUND);
        Some(vec![part(first)?, part(second)?])
    };
    parts.into_iter().find_map(both).unwrap_or_default()
}

impl Index {
    /// Where a term occurs, if it does.
    pub(super) fn occurrence(&self, term: &str) -> Option<Occurrence> {
        let (mut ids, mut containing) = (Ids::new(), 0);
        for (at, segment) in self.segments.iter().enumerate() {
            if let Some(id) = segment.id(term) {
                ids.push((at, id));
                containing += self.count(segment.postings(id));
            }
        }
        (containing > 0).then(|| Occurrence { ids, rarity: self.rarity(containing) })
    }

    /// The ids of a term in all segments, given the one in one of them.
    pub(super) fn ids(&self, segment: usize, id: u32) -> Ids {
        match self.segments.as_slice() {
            [_] => smallvec![(segment, id)],
            all => {
                let term = all.get(segment).and_then(|segment| segment.term(id));
                let occurrence = term.and_then(|term| self.occurrence(term));
                occurrence.map(|occurrence| occurrence.ids).unwrap_or_default()
            }
        }
    }

    /// How rare a term of a segment is in all of them.
    pub(super) fn rarity_of(&self, segment: usize, id: u32) -> Option<f32> {
        let of = self.segments.get(segment)?;
        match self.segments.as_slice() {
            [_] => Some(self.rarity(self.count(of.postings(id)))),
            _ => Some(self.occurrence(of.term(id)?)?.rarity),
        }
    }
}
