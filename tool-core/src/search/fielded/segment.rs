//! The postings of some documents. Immutable, so that every version of an index and every session shares it.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use super::{Settings, spelling::Spellings};
use crate::search::{SearchDocument, text::split};

/// Name and keywords, description, argument names, argument descriptions and values.
pub(super) const FIELDS: usize = 4;
const NAME: usize = 0;
const DESCRIPTION: usize = 1;

/// Tokens of one field that are indexed: a text of more than this is not a description. Its length counts in full.
const MAX_TOKENS: u32 = 2_000;
/// How often a term counts in one field: saying it more often is stuffing.
const MAX_COUNT: u8 = 8;

/// A description of more tokens mentions everything: each of its words counts once, and none is a neighbour.
const LONG: u32 = 400;

/// How often a term is in each field.
pub(super) type Counts = [u8; FIELDS];

/// One document that has a term.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    pub(super) slot: u32,
    pub(super) counts: Counts,
}

/// A term that follows another one in the name or the description of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Follower {
    term: u32,
    pub(super) slot: u32,
    /// Names sort first: a pair in both counts as one in the name.
    pub(super) only_described: bool,
}

/// The postings of the documents in a range of slots.
#[derive(Debug)]
pub(super) struct Segment {
    first_slot: u32,
    ids: HashMap<Arc<str>, u32>,
    terms: Vec<Arc<str>>,
    /// By term, then by slot.
    postings: Vec<Posting>,
    posting_ends: Vec<u32>,
    /// By slot, then by term: what the postings say, the other way around.
    document_terms: Vec<(u32, Counts)>,
    document_ends: Vec<u32>,
    /// By term that is followed, then by follower.
    followers: Box<[Follower]>,
    follower_ends: Vec<u32>,
    pub(super) lengths: Vec<[u32; FIELDS]>,
    /// By slot: the ends of the names.
    endings: Vec<Ending>,
    spellings: OnceLock<Spellings>,
}

impl Segment {
    /// Documents at `first_slot` and after; slots without one stay empty.
    pub(super) fn new(
        settings: &Settings,
        first_slot: usize,
        documents: &[Option<Arc<SearchDocument>>],
    ) -> Self {
        let mut builder = Builder::new(settings);
        for (slot, document) in (first_slot..).zip(documents) {
            builder.add(to_u32(slot), document.as_deref());
        }
        builder.finish(to_u32(first_slot))
    }

    pub(super) fn slots(&self) -> std::ops::Range<usize> {
        let first = self.first_slot as usize;
        first..first + self.document_ends.len()
    }

    pub(super) fn id(&self, term: &str) -> Option<u32> {
        self.ids.get(term).copied()
    }

    pub(super) fn term(&self, id: u32) -> Option<&Arc<str>> {
        self.terms.get(id as usize)
    }

    pub(super) fn postings(&self, id: u32) -> &[Posting] {
        slice(&self.postings, &self.posting_ends, id as usize)
    }

    /// The terms of a document, by id.
    pub(super) fn terms_of(&self, slot: u32) -> &[(u32, Counts)] {
        let index = slot.checked_sub(self.first_slot).map_or(usize::MAX, |index| index as usize);
        slice(&self.document_terms, &self.document_ends, index)
    }

    /// Where the second term follows the first: by slot, a name before a description.
    pub(super) fn followers(&self, first: u32, second: u32) -> &[Follower] {
        let followers = slice(&self.followers, &self.follower_ends, first as usize);
        let from = followers.partition_point(|follower| follower.term < second);
        let rest = followers.get(from..).unwrap_or_default();
        rest.get(..rest.partition_point(|follower| follower.term == second)).unwrap_or_default()
    }

    /// How the name of a document ends.
    pub(super) fn ending(&self, slot: u32) -> Ending {
        let index = slot.checked_sub(self.first_slot);
        index.and_then(|index| self.endings.get(index as usize).copied()).unwrap_or_default()
    }

    /// Made when a word first needs it.
    pub(super) fn spellings(&self) -> &Spellings {
        self.spellings.get_or_init(|| Spellings::new(&self.terms))
    }
}

fn slice<'a, T>(all: &'a [T], ends: &[u32], index: usize) -> &'a [T] {
    let from = index.checked_sub(1).map_or(Some(0), |before| ends.get(before).copied());
    let range = from.zip(ends.get(index)).map(|(from, to)| from as usize..*to as usize);
    range.and_then(|range| all.get(range)).unwrap_or_default()
}

/// The last three letters and digits of an ASCII text, in lower case: what a name is looked at for first. 0 of other texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Ending(u32);

impl Ending {
    pub(super) fn of(text: &str) -> Self {
        if !text.is_ascii() {
            return Self::default();
        }
        let last = text.bytes().rev().filter(u8::is_ascii_alphanumeric).take(3);
        Self(last.fold(0, |ending, byte| ending << 8 | u32::from(byte.to_ascii_lowercase())))
    }

    /// Whether a text that ends so may end as one that ends like `other`.
    pub(super) fn may_be(self, other: Self) -> bool {
        self == other || self == Self::default() || other == Self::default()
    }
}

/// Four thousand million postings do not fit into memory.
pub(super) fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// What a token is, looked up once per spelling.
#[derive(Clone, Copy)]
struct Known {
    id: u32,
    is_stop_word: bool,
    is_short: bool,
}

struct Builder<'a> {
    settings: &'a Settings,
    known: HashMap<Box<str>, Known>,
    ids: HashMap<Arc<str>, u32>,
    terms: Vec<Arc<str>>,
    /// Where the current document has a term, if its slot is the one beside it.
    place: Vec<(u32, u32)>,
    document_terms: Vec<(u32, Counts)>,
    document_ends: Vec<u32>,
    /// The term that is followed, and by what.
    followers: Vec<(u32, Follower)>,
    lengths: Vec<[u32; FIELDS]>,
    endings: Vec<Ending>,
    slot: u32,
    document_start: usize,
}

impl<'a> Builder<'a> {
    fn new(settings: &'a Settings) -> Self {
        Self {
            settings,
            known: HashMap::new(),
            ids: HashMap::new(),
            terms: Vec::new(),
            place: Vec::new(),
            document_terms: Vec::new(),
            document_ends: Vec::new(),
            followers: Vec::new(),
            lengths: Vec::new(),
            endings: Vec::new(),
            slot: 0,
            document_start: 0,
        }
    }

    fn add(&mut self, slot: u32, document: Option<&SearchDocument>) {
        (self.slot, self.document_start) = (slot, self.document_terms.len());
        let mut lengths = [0; FIELDS];
        if let Some(document) = document {
            let arguments = &document.arguments;
            let texts: [&mut dyn Iterator<Item = &str>; FIELDS] = [
                &mut std::iter::once(document.searched_name())
                    .chain(document.keywords.iter().map(String::as_str)),
                &mut std::iter::once(document.description.as_str()),
                &mut arguments.iter().map(|argument| argument.name.as_str()),
                &mut arguments.iter().flat_map(|argument| {
                    std::iter::once(argument.description.as_str())
                        .chain(argument.values.iter().map(String::as_str))
                }),
            ];
            let weights = self.settings.weights;
            for (field, ((texts, length), weight)) in
                texts.into_iter().zip(&mut lengths).zip(weights).enumerate()
            {
                if weight > 0.0 {
                    texts.for_each(|text| self.field(field, text, length));
                }
            }
        }
        let is_long = lengths.get(DESCRIPTION).is_some_and(|length| *length > LONG);
        if is_long {
            let slot = self.slot;
            let from =
                self.followers.iter().rposition(|(_, follower)| follower.slot != slot).map_or(0, |at| at + 1);
            let added = self.followers.split_off(from);
            self.followers.extend(added.into_iter().filter(|(_, follower)| !follower.only_described));
        }
        if let Some(added) = self.document_terms.get_mut(self.document_start..) {
            if is_long {
                for count in added.iter_mut().filter_map(|(_, counts)| counts.get_mut(DESCRIPTION)) {
                    *count = (*count).min(1);
                }
            }
            added.sort_unstable_by_key(|(id, _)| *id);
        }
        self.document_ends.push(to_u32(self.document_terms.len()));
        self.lengths.push(lengths);
        self.endings.push(document.map(|document| Ending::of(document.searched_name())).unwrap_or_default());
    }

    fn field(&mut self, field: usize, text: &str, length: &mut u32) {
        let (mut previous, mut previous_word) = (String::new(), usize::MAX);
        let mut previous_id = None;
        let mut whole = (0, String::new());
        split(text, &mut |token, word| {
            if *length >= MAX_TOKENS {
                *length += 1;
                return;
            }
            if field == NAME {
                whole.0 += 1;
                whole.1.push_str(token);
            }
            let known = self.known(token);
            if known.is_short {
                return;
            }
            // `web_site` and `WebSite` are found by `website`.
            let joins = if field == NAME { !previous.is_empty() } else { word == previous_word };
            if joins {
                previous.push_str(token);
                let joined = self.known(&previous);
                self.count(field, joined.id);
            }
            previous.clear();
            previous.push_str(token);
            previous_word = word;
            if known.is_stop_word && field != NAME {
                return;
            }
            *length += 1;
            self.count(field, known.id);
            if let Some(before) = previous_id.replace(known.id)
                && field <= DESCRIPTION
            {
                let follower = Follower { term: known.id, slot: self.slot, only_described: field != NAME };
                self.followers.push((before, follower));
            }
        });
        if whole.0 > 2 {
            // Run together; of two words the joined form is the whole.
            let known = self.known(&whole.1);
            self.count(field, known.id);
        }
    }

    fn known(&mut self, token: &str) -> Known {
        if let Some(known) = self.known.get(token) {
            return *known;
        }
        let analyzer = &self.settings.analyzer;
        let term = analyzer.term(token);
        let id = self.ids.get(&*term).copied().unwrap_or_else(|| {
            let (term, id): (Arc<str>, u32) = (term.into(), to_u32(self.terms.len()));
            self.terms.push(Arc::clone(&term));
            self.place.push((u32::MAX, 0));
            self.ids.insert(term, id);
            id
        });
        let known =
            Known { id, is_stop_word: analyzer.is_stop_word(token), is_short: analyzer.is_short(token) };
        self.known.insert(token.into(), known);
        known
    }

    fn count(&mut self, field: usize, id: u32) {
        let Some((slot, place)) = self.place.get_mut(id as usize) else { return };
        if *slot != self.slot {
            (*slot, *place) = (self.slot, to_u32(self.document_terms.len()));
            self.document_terms.push((id, [0; FIELDS]));
        }
        let entry = self.document_terms.get_mut(*place as usize);
        if let Some(count) = entry.and_then(|(_, counts)| counts.get_mut(field)) {
            *count = count.saturating_add(1).min(MAX_COUNT);
        }
    }

    /// Turns the terms by document into postings by term, by counting.
    #[allow(
        clippy::indexing_slicing,
        reason = "ids are below the number of terms, places below that of postings"
    )]
    fn finish(mut self, first_slot: u32) -> Segment {
        let mut next = vec![0_u32; self.terms.len() + 1];
        for (id, _) in &self.document_terms {
            next[*id as usize + 1] += 1;
        }
        for id in 1..next.len() {
            next[id] += next[id - 1];
        }
        let mut postings = vec![Posting { slot: 0, counts: [0; FIELDS] }; self.document_terms.len()];
        let mut from = 0;
        for (slot, to) in (first_slot..).zip(&self.document_ends) {
            for (id, counts) in &self.document_terms[from..*to as usize] {
                let place = &mut next[*id as usize];
                postings[*place as usize] = Posting { slot, counts: *counts };
                *place += 1;
            }
            from = *to as usize;
        }
        // Each place has moved to the end of its term.
        next.truncate(self.terms.len());
        self.followers.sort_unstable();
        self.followers.dedup_by_key(|(first, follower)| (*first, follower.term, follower.slot));
        let mut follower_ends = vec![0_u32; self.terms.len()];
        for (end, (first, _)) in (1..).zip(&self.followers) {
            follower_ends[*first as usize] = end;
        }
        // A term without followers ends where the one before it does.
        let mut end = 0;
        for of_term in &mut follower_ends {
            end = end.max(*of_term);
            *of_term = end;
        }
        self.document_terms.shrink_to_fit();
        Segment {
            first_slot,
            ids: self.ids,
            terms: self.terms,
            postings,
            posting_ends: next,
            document_terms: self.document_terms,
            document_ends: self.document_ends,
            followers: self.followers.into_iter().map(|(_, follower)| follower).collect(),
            follower_ends,
            lengths: self.lengths,
            endings: self.endings,
            spellings: OnceLock::new(),
        }
    }
}
