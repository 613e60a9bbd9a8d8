//! A second look at the best candidates: what they have in common, what of the query is still unserved, who is named.
//!
//! Everything here reads the terms of some fifty documents, however many the index has.

use unicode_segmentation::UnicodeSegmentation;

use super::{
    Index,
    query::{Occurrence, Query},
    score::Candidate,
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
    let Some((first, others)) = candidates.split_first_mut() else { return };
    for candidate in &mut *others {
        let Some((at, segment)) = index.segment_of(candidate.slot) else { continue };
        let terms = segment.terms_of(candidate.slot);
        for (occurrence, weight) in &lent {
            let id = occurrence.ids.iter().find(|(segment, _)| *segment == at).map(|(_, id)| *id);
            let found = id.and_then(|id| terms.binary_search_by_key(&id, |(id, _)| *id).ok());
            if let Some((_, counts)) = found.and_then(|found| terms.get(found)) {
                candidate.score += weight * occurrence.rarity * index.weight(candidate.slot, *counts);
            }
        }
    }
    sort(others);
    first.score = others.iter().fold(first.score, |best, other| best.max(other.score));
}

#[allow(clippy::cast_precision_loss, reason = "a number of words")]
fn lent_terms<'a>(index: &'a Index, query: &Query, candidates: &[Candidate]) -> Vec<(Occurrence, f32)> {
    let lenders = candidates.get(..LENDERS.min(candidates.len())).unwrap_or_default();
    let total: f32 = lenders.iter().map(|lender| lender.score).sum();
    let mut lendable: Vec<(usize, u32, usize, f32)> = Vec::new();
    for (by, lender) in lenders.iter().enumerate() {
        let Some((at, segment)) = index.segment_of(lender.slot) else { continue };
        let share = lender.score / total;
        let terms = segment.terms_of(lender.slot).iter();
        lendable.extend(terms.map(|(id, counts)| (at, *id, by, share * index.weight(lender.slot, *counts))));
    }
    // In one order whatever the segments are: sums of floats depend on it.
    lendable.sort_unstable_by_key(|(segment, id, by, _)| (*segment, *id, *by));
    let term = |at: usize, id: u32| index.segments.get(at)?.term(id).map(|term| &**term);
    let named =
        lendable.iter().filter_map(|(at, id, by, weight)| Some((term(*at, *id)?, *by, *at, *id, *weight)));
    let mut named: Vec<(&str, usize, usize, u32, f32)> = named.collect();
    if index.segments.len() > 1 {
        named.sort_unstable_by_key(|(term, by, ..)| (*term, *by));
    }
    named.dedup_by(|other, one| {
        let same = if index.segments.len() > 1 { other.0 == one.0 } else { other.3 == one.3 };
        one.4 += if same { other.4 } else { 0.0 };
        same
    });
    let rarity = |term: &str, at: usize, id: u32| match index.segments.as_slice() {
        [_] => index.segments.get(at).map(|segment| index.rarity(index.count(segment.postings(id)))),
        _ => index.occurrence(term).map(|occurrence| occurrence.rarity),
    };
    let weigh = |(term, _, at, id, weight): (&'a str, usize, usize, u32, f32)| {
        Some((term, weight * rarity(term, at, id)?))
    };
    let mut weights: Vec<(&str, f32)> = named.into_iter().filter_map(weigh).collect();
    let by_weight = |a: &(&str, f32), b: &(&str, f32)| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0));
    let enough = LENT + query.terms.len();
    if weights.len() > enough {
        weights.select_nth_unstable_by(enough, by_weight);
        weights.truncate(enough);
    }
    weights.sort_unstable_by(by_weight);
    weights.retain(|(term, _)| !query.terms.iter().any(|asked| asked.text == *term));
    weights.truncate(LENT);
    let sum: f32 = weights.iter().map(|(_, weight)| weight).sum();
    let share = LENT_WEIGHT * query.sequence.len() as f32 / sum;
    let lent = weights.into_iter();
    lent.filter_map(|(term, weight)| Some((index.occurrence(term)?, weight * share))).collect()
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
    let value = |variant: &super::query::Variant| {
        let (_, id) = variant.occurrence.ids.iter().find(|(segment, _)| *segment == at)?;
        let (_, counts) = terms.get(terms.binary_search_by_key(id, |(id, _)| *id).ok()?)?;
        Some(variant.factor * index.weight(candidate.slot, *counts))
    };
    let best = |term: &super::query::Term| term.variants.iter().filter_map(value).fold(0.0, f32::max);
    query.terms.iter().map(best).collect()
}

/// A document whose name the whole query is comes first, then those whose name ends with it: `ask_codex` is
/// `mcp__plugin__ask_codex`.
fn put_named_first(index: &Index, query: &Query, candidates: &mut [Candidate]) {
    let asked = query.tokens.iter().map(|token| token.text.as_str());
    let (several, asked) = (query.tokens.len() > 1, asked.collect::<String>());
    let place = |candidate: &Candidate| {
        let name = index.document(candidate.slot).map(SearchDocument::searched_name).unwrap_or_default();
        // Most names end otherwise: only the others are taken apart.
        if asked.len() > name.len() || !ends_alike(name, &asked) {
            return 2;
        }
        let tokens = tokens(name);
        let ends_with = |from: usize| tokens.get(from..).is_some_and(|tokens| tokens.concat() == asked);
        match tokens.len() {
            _ if ends_with(0) => 0,
            tokens if several && (1..tokens).any(ends_with) => 1,
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

/// Whether the last three letters or digits are the same; unknown where a text is not ASCII.
fn ends_alike(name: &str, asked: &str) -> bool {
    fn end(text: &str) -> impl Iterator<Item = u8> {
        let end = text.bytes().rev().filter(u8::is_ascii_alphanumeric).take(3);
        end.map(|byte| byte.to_ascii_lowercase())
    }
    !name.is_ascii() || !asked.is_ascii() || end(name).eq(end(asked))
}

fn sort(candidates: &mut [Candidate]) {
    candidates.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.position.cmp(&b.position)));
}
