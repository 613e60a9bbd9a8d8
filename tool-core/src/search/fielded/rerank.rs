//! A second look at the best candidates: what they have in common, what of the query is still unserved, who is named.
//!
//! Everything here reads the terms of some fifty documents, however many the index has.

use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation;

use super::{
    Index,
    query::{Ids, Query, Term, Variant},
    score::Candidate,
    segment::Ending,
};
use crate::search::{SearchDocument, text::tokens};

/// Pseudo-relevance feedback: how many of the best lend how many terms, and what these weigh together for each word of the
/// query.
const LENDERS: usize = 5;
const LENT: usize = 10;
const LENT_WEIGHT: f32 = 0.1;
/// A query of so many sentences and different terms asks for several things.
const MIN_REQUESTS: usize = 3;
const MIN_TERMS: usize = 15;
/// How far a term is served by a document that has it like no other.
const SERVED: f32 = 0.3;

/// Reorders `candidates`, which are in order of their scores; scores stay in order.
pub(super) fn rerank(index: &Index, text: &str, query: &Query, candidates: &mut Vec<Candidate>) {
    lend(index, query, candidates);
    if query.asked() >= MIN_TERMS && text.unicode_sentences().take(MIN_REQUESTS).count() >= MIN_REQUESTS {
        spread(index, query, candidates);
    }
    put_named_first(index, query, candidates);
}

/// The best documents lend their weightiest other terms to the query: what is like them moves up. The first one stays.
fn lend(index: &Index, query: &Query, candidates: &mut [Candidate]) {
    let lent = lent_terms(index, query, candidates);
    let by_segment: Vec<LentIds> = (0..index.segments.len()).map(|at| LentIds::new(&lent, at)).collect();
    let Some((first, others)) = candidates.split_first_mut() else { return };
    for candidate in &mut *others {
        let Some((at, segment)) = index.segment_of(candidate.slot) else { continue };
        let Some(ids) = by_segment.get(at) else { continue };
        let mut values = [0.0; LENT];
        for (id, counts) in segment.terms_of(candidate.slot) {
            if let Some((value, weight)) = ids.find(*id).and_then(|at| values.get_mut(at).zip(lent.get(at))) {
                *value = weight.weight * index.weight(candidate.slot, *counts);
            }
        }
        // In the order of the lent terms: sums of floats depend on it.
        candidate.score = values.iter().fold(candidate.score, |score, value| score + value);
    }
    sort(others);
    first.score = others.iter().fold(first.score, |best, other| best.max(other.score));
}

/// A term that the best documents lend to the query.
struct Lent {
    ids: Ids,
    /// Rarity included.
    weight: f32,
}

/// The lent terms that a segment has.
struct LentIds {
    /// A bit for each id modulo 64: most terms of a document are not lent.
    bits: u64,
    /// Places among the lent terms.
    ids: Vec<(u32, usize)>,
}

impl LentIds {
    fn new(lent: &[Lent], segment: usize) -> Self {
        let in_segment = |(at, lent): (usize, &Lent)| {
            let (_, id) = lent.ids.iter().find(|(of, _)| *of == segment)?;
            Some((*id, at))
        };
        let ids: Vec<(u32, usize)> = lent.iter().enumerate().filter_map(in_segment).collect();
        Self { bits: ids.iter().fold(0, |bits, (id, _)| bits | 1 << (id % 64)), ids }
    }

    fn find(&self, id: u32) -> Option<usize> {
        if self.bits >> (id % 64) & 1 == 0 {
            return None;
        }
        self.ids.iter().find(|(of, _)| *of == id).map(|(_, at)| *at)
    }
}

/// A term of one of the best documents.
#[derive(Clone, Copy)]
struct Lendable {
    segment: usize,
    id: u32,
    weight: f32,
}

impl Lendable {
    fn term(self, index: &Index) -> &str {
        index.segments.get(self.segment).and_then(|segment| segment.term(self.id)).map_or("", |term| &**term)
    }
}

#[allow(clippy::cast_precision_loss, reason = "a number of words")]
fn lent_terms(index: &Index, query: &Query, candidates: &[Candidate]) -> Vec<Lent> {
    let lenders = candidates.get(..LENDERS.min(candidates.len())).unwrap_or_default();
    let total: f32 = lenders.iter().map(|lender| lender.score).sum();
    let mut lendable: Vec<Lendable> = Vec::new();
    for lender in lenders {
        let Some((segment, of)) = index.segment_of(lender.slot) else { continue };
        let (share, terms) = (lender.score / total, of.terms_of(lender.slot));
        lendable.reserve(terms.len());
        for (id, counts) in terms {
            lendable.push(Lendable { segment, id: *id, weight: share * index.weight(lender.slot, *counts) });
        }
    }
    // In one order whatever the segments are: sums of floats depend on it. Stable, so that the lenders stay in theirs.
    let one_segment = index.segments.len() == 1;
    if one_segment {
        lendable.sort_by_key(|lendable| lendable.id);
    } else {
        lendable.sort_by(|a, b| a.term(index).cmp(b.term(index)));
    }
    lendable.dedup_by(|other, one| {
        let same = if one_segment { other.id == one.id } else { other.term(index) == one.term(index) };
        one.weight += if same { other.weight } else { 0.0 };
        same
    });
    let weigh = |lendable: Lendable| {
        let rarity = index.rarity_of(lendable.segment, lendable.id)?;
        Some((Lendable { weight: lendable.weight * rarity, ..lendable }, rarity))
    };
    let mut weighed: Vec<(Lendable, f32)> = lendable.into_iter().filter_map(weigh).collect();
    let by_weight = |(a, _): &(Lendable, f32), (b, _): &(Lendable, f32)| {
        b.weight.total_cmp(&a.weight).then_with(|| a.term(index).cmp(b.term(index)))
    };
    let enough = LENT + query.terms.len();
    if weighed.len() > enough {
        weighed.select_nth_unstable_by(enough, by_weight);
        weighed.truncate(enough);
    }
    weighed.sort_unstable_by(by_weight);
    weighed.retain(|(lendable, _)| !query.terms.iter().any(|asked| asked.text == lendable.term(index)));
    weighed.truncate(LENT);
    let sum: f32 = weighed.iter().map(|(lendable, _)| lendable.weight).sum();
    let share = LENT_WEIGHT * query.sequence.len() as f32 / sum;
    let lent = |(lendable, rarity): (Lendable, f32)| Lent {
        ids: index.ids(lendable.segment, lendable.id),
        weight: lendable.weight * share * rarity,
    };
    weighed.into_iter().map(lent).collect()
}

/// Picks one document after the other; what a picked one serves of the query counts less for the next.
fn spread(index: &Index, query: &Query, candidates: &mut Vec<Candidate>) {
    let served: Vec<Vec<f32>> = candidates.iter().map(|candidate| shares(index, query, candidate)).collect();
    let most: Vec<f32> = (0..query.terms.len())
        .map(|term| served.iter().filter_map(|shares| shares.get(term)).fold(0.0, |a: f32, b| a.max(*b)))
        .collect();
    let mut left: Vec<(Candidate, Vec<f32>)> = candidates.drain(..).zip(served).collect();
    let mut open = vec![1.0_f32; query.terms.len()];
    while !left.is_empty() {
        let unserved = |(candidate, shares): &(Candidate, Vec<f32>)| {
            let lost: f32 = shares.iter().zip(&open).map(|(share, open)| share * (1.0 - open)).sum();
            candidate.score - lost
        };
        let scores = left.iter().map(unserved).enumerate();
        // The first of equals: candidates are in order.
        let best = scores.fold((0, f32::MIN), |best, other| if other.1 > best.1 { other } else { best });
        let (mut candidate, shares) = left.remove(best.0);
        candidate.score = best.1;
        candidates.push(candidate);
        for ((open, share), most) in open.iter_mut().zip(shares).zip(&most) {
            if *most > 0.0 {
                *open *= 1.0 - SERVED * share / most;
            }
        }
    }
}

/// What each term of the query gives a candidate.
fn shares(index: &Index, query: &Query, candidate: &Candidate) -> Vec<f32> {
    let Some((at, segment)) = index.segment_of(candidate.slot) else { return Vec::new() };
    let terms = segment.terms_of(candidate.slot);
    let value = |variant: &Variant| {
        let (_, id) = variant.occurrence.ids.iter().find(|(segment, _)| *segment == at)?;
        let (_, counts) = terms.get(terms.binary_search_by_key(id, |(id, _)| *id).ok()?)?;
        Some(variant.factor * index.weight(candidate.slot, *counts))
    };
    let best = |term: &Arc<Term>| term.variants.iter().filter_map(value).fold(0.0, f32::max);
    query.terms.iter().map(best).collect()
}

/// A document whose name the whole query is comes first, then those whose name ends with it: `ask_codex` is
/// `mcp__plugin__ask_codex`.
fn put_named_first(index: &Index, query: &Query, candidates: &mut [Candidate]) {
    let asked = query.tokens.iter().map(|token| token.text.as_str());
    let (several, asked) = (query.tokens.len() > 1, asked.collect::<String>());
    let ending = Ending::of(&asked);
    let place = |candidate: &Candidate| {
        // Most names end otherwise: only the others are taken apart.
        let segment = index.segment_of(candidate.slot);
        if !segment.is_some_and(|(_, segment)| segment.ending(candidate.slot).may_be(ending)) {
            return 2;
        }
        let name = index.document(candidate.slot).map(SearchDocument::searched_name).unwrap_or_default();
        if asked.len() > name.len() {
            return 2;
        }
        // What is left of the query, from its end.
        let (mut left, mut tokens) = (asked.as_str(), tokens(name));
        while let Some(token) = tokens.pop_if(|token| left.ends_with(token.as_str())) {
            left = left.strip_suffix(token.as_str()).unwrap_or_default();
        }
        match (left.is_empty(), tokens.is_empty()) {
            (true, true) => 0,
            (true, false) if several => 1,
            _ => 2,
        }
    };
    candidates.sort_by_cached_key(place);
    // Scores stay in order.
    let mut best = f32::MIN;
    for candidate in candidates.iter_mut().rev() {
        best = best.max(candidate.score);
        candidate.score = best;
    }
}

fn sort(candidates: &mut [Candidate]) {
    candidates.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.position.cmp(&b.position)));
}
