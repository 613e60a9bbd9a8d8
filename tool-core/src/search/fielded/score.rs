//! Scores of all documents, and the best of them without sorting the rest.

use super::{Index, index::GONE, query::Query};

/// What neighbouring terms of the query add that are neighbours in a document too, in rarities.
const NEIGHBOURS: f32 = 1.0;
/// How much more in a name.
const IN_NAME: f32 = 1.5;
/// What terms add that have one between them in the query.
const ONE_BETWEEN: f32 = 0.6;

/// A document and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) slot: u32,
    pub(super) position: u32,
    pub(super) score: f32,
}

/// The scores of one query, by slot.
pub(super) struct Scores(Vec<f32>);

impl Scores {
    #[allow(clippy::indexing_slicing, reason = "every posting's slot has a score")]
    pub(super) fn new(index: &Index, query: &Query) -> Self {
        let mut scores = vec![0.0_f32; index.positions.len()];
        let (mut best, mut touched) = (Vec::new(), Vec::new());
        for term in &query.terms {
            match term.variants.as_slice() {
                [] => {}
                [only] => only.each(index, |slot, value| scores[slot as usize] += value),
                variants => {
                    best.resize(scores.len(), 0.0_f32);
                    for variant in variants {
                        variant.each(index, |slot, value| {
                            let best = &mut best[slot as usize];
                            if *best == 0.0 {
                                touched.push(slot);
                            }
                            *best = best.max(value);
                        });
                    }
                    for slot in touched.drain(..) {
                        scores[slot as usize] += std::mem::take(&mut best[slot as usize]);
                    }
                }
            }
        }
        let mut scores = Self(scores);
        for distance in [1, 2] {
            scores.add_neighbours(index, query, distance);
        }
        scores
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
                for neighbours in segment.neighbours(first, second) {
                    let value = match (distance, neighbours.only_described) {
                        (1, true) => NEIGHBOURS * rarity,
                        (1, false) => NEIGHBOURS * IN_NAME * rarity,
                        _ => ONE_BETWEEN * rarity,
                    };
                    if let Some(score) = self.0.get_mut(neighbours.slot as usize) {
                        *score += value;
                    }
                }
            }
        }
    }

    /// The best documents that `accept` accepts, best first and equal ones by position, and how many there are in all.
    pub(super) fn best(
        &self,
        index: &Index,
        limit: usize,
        minimum: f32,
        accept: Option<&dyn Fn(usize) -> bool>,
    ) -> (Vec<Candidate>, usize) {
        let is_match = |score: f32| score > 0.0 && score >= minimum;
        let Some(accept) = accept.or(index.has_gone().then_some(&|_| true)) else {
            // No branch depends on a score here: most of the time of a search over many tools is guessing it wrong.
            let matched = self.0.iter().filter(|score| is_match(**score)).count();
            return (self.top(index, limit, |score, _| is_match(score)), matched);
        };
        let accepted =
            |score: f32, position: u32| is_match(score) && position != GONE && accept(position as usize);
        let all = self.0.iter().zip(&index.positions);
        let matched = all.filter(|(score, position)| accepted(**score, **position)).count();
        (self.top(index, limit, accepted), matched)
    }

    fn top(&self, index: &Index, limit: usize, accept: impl Fn(f32, u32) -> bool) -> Vec<Candidate> {
        let by_rank =
            |a: &Candidate, b: &Candidate| b.score.total_cmp(&a.score).then(a.position.cmp(&b.position));
        let mut best: Vec<Candidate> = Vec::new();
        let mut threshold = f32::MIN_POSITIVE;
        for ((slot, &score), &position) in (0..).zip(&self.0).zip(&index.positions) {
            if score >= threshold && accept(score, position) {
                best.push(Candidate { slot, position, score });
                if best.len() >= limit.saturating_mul(2) {
                    best.select_nth_unstable_by(limit.saturating_sub(1), by_rank);
                    best.truncate(limit);
                    threshold = best.last().map_or(threshold, |last| last.score);
                }
            }
        }
        best.sort_unstable_by(by_rank);
        best.truncate(limit);
        best
    }
}

impl super::query::Variant {
    fn each(&self, index: &Index, mut add: impl FnMut(u32, f32)) {
        for (segment, id) in &self.occurrence.ids {
            let Some(segment) = index.segments.get(*segment) else { continue };
            for posting in segment.postings(*id) {
                add(posting.slot, self.factor * index.weight(posting.slot, posting.counts));
            }
        }
    }
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
