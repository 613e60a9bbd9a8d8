//! Scores of all documents, and the best of them without sorting the rest.

use super::{Index, index::GONE, query::Query};

/// What neighbouring terms of the query add that are neighbours in a document too, in rarities.
const NEIGHBOURS: f32 = 1.0;
/// How much more in a name.
const IN_NAME: f32 = 1.5;
/// What terms add that have one between them in the query.
const ONE_BETWEEN: f32 = 0.6;

/// Scores whose highest are compared first.
const BLOCK: usize = 32;
/// Numbers that a processor compares at once.
const LANES: usize = 8;

/// A document and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) slot: u32,
    pub(super) position: u32,
    pub(super) score: f32,
}

/// The scores of one query, by slot: 0 is no match.
#[derive(Debug, Clone)]
pub(super) struct Scores(Vec<f32>);

impl Scores {
    pub(super) fn new(index: &Index, query: &Query) -> Self {
        let mut scores = Self(vec![0.0; index.positions.len()]);
        for (slot, value) in query.terms.iter().flat_map(|term| &term.values) {
            scores.add(*slot, *value);
        }
        for distance in [1, 2] {
            scores.add_neighbours(index, query, distance);
        }
        scores
    }

    fn add(&mut self, slot: u32, value: f32) {
        if let Some(score) = self.0.get_mut(slot as usize) {
            *score += value;
        }
    }

    fn add_neighbours(&mut self, index: &Index, query: &Query, distance: usize) {
        let mut seen: Vec<(usize, usize)> = Vec::new();
        for pair in query.sequence.iter().copied().zip(query.sequence.iter().copied().skip(distance)) {
            let term = |at: usize| query.terms.get(at)?.occurrence.as_ref();
            let (Some(first), Some(second)) = (term(pair.0), term(pair.1)) else { continue };
            if seen.contains(&pair) {
                continue;
            }
            seen.push(pair);
            let rarity = f32::midpoint(first.rarity, second.rarity);
            for ((segment_at, first), (_, second)) in in_both(&first.ids, &second.ids) {
                let Some(segment) = index.segments.get(segment_at) else { continue };
                for follower in segment.followers(first, second) {
                    let value = match (distance, follower.only_described) {
                        (1, true) => NEIGHBOURS * rarity,
                        (1, false) => NEIGHBOURS * IN_NAME * rarity,
                        _ => ONE_BETWEEN * rarity,
                    };
                    self.add(follower.slot, value);
                }
            }
        }
    }

    /// Leaves out what scores less than `minimum`, what is gone, and what is not accepted.
    pub(super) fn keep(&mut self, index: &Index, minimum: f32, accept: Option<&dyn Fn(usize) -> bool>) {
        let accepted =
            |position: u32| position != GONE && accept.is_none_or(|accept| accept(position as usize));
        for (score, position) in self.0.iter_mut().zip(&index.positions).filter(|(score, _)| **score > 0.0) {
            if *score < minimum || !accepted(*position) {
                *score = 0.0;
            }
        }
    }

    /// How many documents match.
    pub(super) fn matched(&self) -> usize {
        let matched = |scores: &[f32]| scores.iter().map(|score| u32::from(*score > 0.0)).sum::<u32>();
        self.0.chunks(BLOCK).map(|scores| matched(scores) as usize).sum()
    }

    /// The best documents, best first and equal ones by position.
    ///
    /// No branch depends on a score that is not one of the best: most of the time of a search over many tools would be
    /// guessing it wrong.
    pub(super) fn best(&self, index: &Index, limit: usize) -> Vec<Candidate> {
        let maxima: Vec<f32> = self.0.chunks(BLOCK).map(most).collect();
        let threshold = at_least(&maxima, limit);
        let mut best: Vec<Candidate> = Vec::new();
        let blocks = (0..).step_by(BLOCK).zip(self.0.chunks(BLOCK)).zip(&maxima);
        for ((first, scores), _) in blocks.filter(|(_, most)| **most >= threshold) {
            for (slot, &score) in (first..).zip(scores).filter(|(_, score)| **score >= threshold) {
                best.push(Candidate { slot, position: index.position(slot), score });
            }
        }
        let by_rank =
            |a: &Candidate, b: &Candidate| b.score.total_cmp(&a.score).then(a.position.cmp(&b.position));
        if best.len() > limit {
            best.select_nth_unstable_by(limit, by_rank);
            best.truncate(limit);
        }
        best.sort_unstable_by(by_rank);
        best
    }
}

/// The highest of some scores.
fn most(scores: &[f32]) -> f32 {
    let mut highest = [0.0_f32; LANES];
    let mut lanes = scores.chunks_exact(LANES);
    for some in &mut lanes {
        for (highest, score) in highest.iter_mut().zip(some) {
            *highest = if *score > *highest { *score } else { *highest };
        }
    }
    highest.iter().chain(lanes.remainder()).fold(0.0, |a, b| a.max(*b))
}

/// What the `limit` best score at least, given the highest score of each block: as many blocks have one that high.
fn at_least(maxima: &[f32], limit: usize) -> f32 {
    let mut sorted = maxima.to_vec();
    let least = match limit.checked_sub(1) {
        Some(nth) if nth < sorted.len() => *sorted.select_nth_unstable_by(nth, |a, b| b.total_cmp(a)).1,
        _ => 0.0,
    };
    least.max(f32::MIN_POSITIVE)
}

/// The ids that two terms have in the same segment.
fn in_both<'a>(
    first: &'a [(usize, u32)],
    second: &'a [(usize, u32)],
) -> impl Iterator<Item = ((usize, u32), (usize, u32))> + 'a {
    first.iter().filter_map(|first| {
        let second = second.iter().find(|second| second.0 == first.0)?;
        Some((*first, *second))
    })
}
