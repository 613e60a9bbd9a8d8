//! All documents that a search covers, as segments: a change adds a small one and shares the rest.
//!
//! A document has a slot for as long as the index lives; its position is its place in the catalogue. What is counted over
//! all documents (frequencies, lengths) is exact after every change, so that a changed index ranks as a new one does.

use std::{collections::HashMap, sync::Arc};

use super::{
    Settings,
    memo::Memo,
    segment::{Counts, FIELDS, Posting, Segment, to_u32},
};
use crate::search::SearchDocument;

/// How far a long field lowers the weight of its terms: names and descriptions less than descriptions of arguments, where
/// length is a matter of how many arguments there are.
const LENGTH_SHARE: [f32; FIELDS] = [0.5, 0.5, 0.5, 0.7];
/// How fast a term that is said again stops counting (`k1`).
const SATURATION: f32 = 3.0;
/// The position of a slot whose document is gone.
pub(super) const GONE: u32 = u32::MAX;

/// One version of an index. Immutable.
#[derive(Debug)]
pub(in crate::search) struct Index {
    pub(super) segments: Vec<Arc<Segment>>,
    documents: Vec<Option<Arc<SearchDocument>>>,
    /// By slot.
    pub(super) positions: Vec<u32>,
    /// By position.
    slots: Vec<u32>,
    /// By slot: what one occurrence in a field counts.
    norms: Vec<[f32; FIELDS]>,
    /// Words that were searched.
    pub(super) memo: Memo,
}

impl Index {
    pub(in crate::search) fn new(settings: &Settings, documents: &[Arc<SearchDocument>]) -> Self {
        let empty = Self {
            segments: Vec::new(),
            documents: Vec::new(),
            positions: Vec::new(),
            slots: Vec::new(),
            norms: Vec::new(),
            memo: Memo::default(),
        };
        empty.changed(settings, documents)
    }

    /// The index of another list, in which unchanged documents are the same `Arc`s.
    pub(in crate::search) fn changed(&self, settings: &Settings, documents: &[Arc<SearchDocument>]) -> Self {
        let mut by_pointer: HashMap<*const SearchDocument, u32> = HashMap::new();
        // Most of a list is as it was: only what lies between the equal ends is looked up.
        let is_at = |position: usize, document: &Arc<SearchDocument>| {
            self.document_at(position).is_some_and(|known| Arc::ptr_eq(known, document))
        };
        let begin = documents.iter().enumerate().take_while(|(at, document)| is_at(*at, document)).count();
        let (old, new) = (self.slots.len(), documents.len());
        let mut end = 0;
        while end < old.min(new) - begin
            && documents.get(new - 1 - end).is_some_and(|document| is_at(old - 1 - end, document))
        {
            end += 1;
        }
        for position in begin..old - end {
            if let (Some(document), Some(slot)) = (self.document_at(position), self.slots.get(position)) {
                by_pointer.insert(Arc::as_ptr(document), *slot);
            }
        }
        let mut slots = Vec::with_capacity(new);
        let mut all = self.documents.clone();
        for (position, document) in documents.iter().enumerate() {
            let unchanged = if position < begin {
                self.slots.get(position).copied()
            } else if position >= new - end {
                self.slots.get(position + old - new).copied()
            } else {
                by_pointer.remove(&Arc::as_ptr(document))
            };
            slots.push(unchanged.unwrap_or_else(|| {
                all.push(Some(Arc::clone(document)));
                to_u32(all.len() - 1)
            }));
        }
        for gone in by_pointer.into_values() {
            if let Some(document) = all.get_mut(gone as usize) {
                *document = None;
            }
        }
        if all.len() > 2 * new + 64 {
            // More holes than documents.
            return Self::new(settings, documents);
        }
        let mut positions = vec![GONE; all.len()];
        for (position, slot) in (0..).zip(&slots) {
            if let Some(place) = positions.get_mut(*slot as usize) {
                *place = position;
            }
        }
        let segments = extended(settings, &self.segments, self.documents.len(), &all);
        let norms = norms(settings, &segments, &positions, new);
        Self { segments, documents: all, positions, slots, norms, memo: Memo::new(new) }
    }

    fn document_at(&self, position: usize) -> Option<&Arc<SearchDocument>> {
        self.documents.get(*self.slots.get(position)? as usize)?.as_ref()
    }

    pub(super) fn document(&self, slot: u32) -> Option<&SearchDocument> {
        self.documents.get(slot as usize)?.as_deref()
    }

    /// How many documents there are.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(super) fn has_gone(&self) -> bool {
        self.slots.len() < self.documents.len()
    }

    pub(super) fn position(&self, slot: u32) -> u32 {
        self.positions.get(slot as usize).copied().unwrap_or(GONE)
    }

    /// The segment of a slot.
    pub(super) fn segment_of(&self, slot: u32) -> Option<(usize, &Segment)> {
        let index = self.segments.partition_point(|segment| segment.slots().end <= slot as usize);
        Some((index, self.segments.get(index)?))
    }

    /// What a term of a document counts before its rarity does.
    pub(super) fn weight(&self, slot: u32, counts: Counts) -> f32 {
        let Some(norms) = self.norms.get(slot as usize) else { return 0.0 };
        let mass: f32 = norms.iter().zip(counts).map(|(norm, count)| norm * f32::from(count)).sum();
        mass * (SATURATION + 1.0) / (SATURATION + mass)
    }

    /// How rare a term is: `ln(1 + (N - n + 0.5) / (n + 0.5))`, as Lucene has it.
    #[allow(clippy::cast_precision_loss, reason = "numbers of documents")]
    pub(super) fn rarity(&self, containing: usize) -> f32 {
        let (all, containing) = (self.len() as f32, containing as f32);
        (1.0 + (all - containing + 0.5) / (containing + 0.5)).ln()
    }

    /// How many documents have a term, given its postings.
    pub(super) fn count(&self, postings: &[Posting]) -> usize {
        if self.has_gone() {
            postings.iter().filter(|posting| self.position(posting.slot) != GONE).count()
        } else {
            postings.len()
        }
    }
}

/// The segments with one more for the new slots, joined with those before it that are hardly bigger, so that there are few.
fn extended(
    settings: &Settings,
    segments: &[Arc<Segment>],
    known: usize,
    documents: &[Option<Arc<SearchDocument>>],
) -> Vec<Arc<Segment>> {
    let mut segments = segments.to_vec();
    let mut from = known;
    if from == documents.len() {
        return segments;
    }
    while let Some(before) = segments.last()
        && before.slots().len() <= 2 * (documents.len() - from)
    {
        from = before.slots().start;
        segments.pop();
    }
    segments.push(Arc::new(Segment::new(settings, from, documents.get(from..).unwrap_or_default())));
    segments
}

#[allow(clippy::cast_precision_loss, reason = "lengths of texts")]
fn norms(
    settings: &Settings,
    segments: &[Arc<Segment>],
    positions: &[u32],
    documents: usize,
) -> Vec<[f32; FIELDS]> {
    let lengths = || segments.iter().flat_map(|segment| &segment.lengths);
    let mut totals = [0_u64; FIELDS];
    for (lengths, _) in lengths().zip(positions).filter(|(_, position)| **position != GONE) {
        for (total, length) in totals.iter_mut().zip(lengths) {
            *total += u64::from(*length);
        }
    }
    let averages = totals.map(|total| if total == 0 { 1.0 } else { total as f32 / documents as f32 });
    let norm = |lengths: &[u32; FIELDS]| {
        let mut norms = settings.weights;
        for (((norm, length), average), share) in
            norms.iter_mut().zip(lengths).zip(averages).zip(LENGTH_SHARE)
        {
            *norm /= 1.0 - share + share * *length as f32 / average;
        }
        norms
    };
    lengths().map(norm).collect()
}
