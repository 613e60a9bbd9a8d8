//! The built-in ranker: fielded BM25 over stems, with synonyms, other spellings and a second look at the best.
//!
//! One index per catalogue, shared by all sessions and changed tool by tool; a search reads the postings of its own words
//! only and sorts nothing but the best. Same catalogue, same query: same ranking, in every process.

mod index;
mod memo;
mod query;
mod rerank;
mod score;
mod segment;
mod spelling;
mod synonyms;

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, LazyLock},
};

pub(super) use index::Index;
use query::Query;
use score::Scores;
use segment::FIELDS;
use synonyms::{CLASSES, Synonyms};

use super::{
    Catalog, RankFuture, Ranked, Ranker,
    text::{Analyzer, Stemming},
};

/// Longest query that is looked at, in characters.
const MAX_QUERY: usize = 4_000;
/// How many of the best a second look is given to.
const SECOND_LOOK: usize = 50;

/// The built-in ranker.
///
/// Finds words in other forms and other spellings, and words that mean the same. A name counts most.
///
/// # Examples
/// ```
/// use tool_core::{FieldedRanker, Registry, SearchField, Stemming, ToolSearch};
///
/// let ranker = FieldedRanker::builder()
///     .weight(SearchField::Name, 5.0)
///     .synonyms(["invoice bill receipt", "kubectl -> kubernetes"])
///     .stemming(Stemming::German)
///     .build()?;
/// let registry = Registry::builder().search(ToolSearch::new().ranker(ranker)).build()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FieldedRanker(Arc<Settings>);

/// What a ranker was set up with.
pub(super) struct Settings {
    weights: [f32; FIELDS],
    minimum_score: f32,
    analyzer: Analyzer,
    synonyms: Synonyms,
}

/// A text of a tool that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SearchField {
    /// The name, and the author's keywords.
    Name,
    /// The description.
    Description,
    /// The names of the arguments.
    ArgumentNames,
    /// The descriptions of the arguments, and the values that they may have.
    ArgumentDescriptions,
}

/// What a [`FieldedRanker`] cannot be set up with.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldedRankerError {
    /// A weight is negative or no number.
    #[error("the weight of {field:?} is {weight}; it must be 0 (not searched) or more")]
    Weight {
        /// The field.
        field: SearchField,
        /// Its weight.
        weight: f32,
    },
    /// No field has a weight.
    #[error("every field has the weight 0: nothing could be found")]
    NoField,
    /// A token has at least one character.
    #[error("the minimum token length is 0; it must be 1 or more")]
    MinimumTokenLength,
    /// The minimum score is no number.
    #[error("the minimum score is not a number")]
    MinimumScore,
    /// A line of synonyms has no two words.
    #[error("the synonyms `{line}` have no two words; write `refund chargeback` or `kubectl -> kubernetes`")]
    Synonyms {
        /// The line.
        line: String,
    },
}

/// Sets up a [`FieldedRanker`].
#[derive(Debug, Clone)]
pub struct FieldedRankerBuilder {
    weights: [f32; FIELDS],
    stop_words: Option<Vec<String>>,
    minimum_token_length: usize,
    stemming: Stemming,
    built_in_synonyms: bool,
    synonyms: Vec<String>,
    minimum_score: f32,
}

static DEFAULT: LazyLock<FieldedRanker> = LazyLock::new(|| FieldedRanker::builder().make());

impl Default for FieldedRanker {
    fn default() -> Self {
        DEFAULT.clone()
    }
}

impl FieldedRanker {
    /// With the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts with the defaults.
    pub fn builder() -> FieldedRankerBuilder {
        FieldedRankerBuilder {
            weights: [3.0, 1.0, 1.0, 1.0],
            stop_words: None,
            minimum_token_length: 1,
            stemming: Stemming::English,
            built_in_synonyms: true,
            synonyms: Vec::new(),
            minimum_score: 0.0,
        }
    }

    /// The best documents of a catalogue, at most `limit`: for trying out settings. Sessions search by themselves.
    pub fn search(&self, query: &str, catalog: &Catalog, limit: usize) -> Vec<Ranked> {
        self.scored(query, catalog).best(limit, None).0
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.0
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What a query scores in a catalogue.
    pub(super) fn scored<'a>(&self, query: &'a str, catalog: &Catalog) -> Scored<'a> {
        let index = catalog.index(self);
        let end = query.char_indices().nth(MAX_QUERY).map_or(query.len(), |(end, _)| end);
        let text = query.get(..end).unwrap_or_default();
        let query = Query::new(self.settings(), &index, text);
        let scores = Scores::new(&index, &query);
        Scored { index, text, query, scores, minimum: self.0.minimum_score }
    }
}

/// The scores of one query, of which the best can be taken more than once.
pub(super) struct Scored<'a> {
    index: Arc<Index>,
    text: &'a str,
    query: Query,
    scores: Scores,
    minimum: f32,
}

impl Scored<'_> {
    /// The best documents that `accept` accepts, all without one, and how many match.
    pub(super) fn best(&self, limit: usize, accept: Option<&dyn Fn(usize) -> bool>) -> (Vec<Ranked>, usize) {
        let mut scores = Cow::Borrowed(&self.scores);
        if accept.is_some() || self.minimum > 0.0 || self.index.has_gone() {
            scores.to_mut().keep(&self.index, self.minimum, accept);
        }
        let mut best = scores.best(&self.index, limit.max(SECOND_LOOK));
        let rest = best.split_off(SECOND_LOOK.min(best.len()));
        rerank::rerank(&self.index, self.text, &self.query, &mut best);
        // Scores stay in order.
        let last = best.last().map_or(0.0, |last| last.score);
        let rest = rest.into_iter().map(|hit| Ranked::new(hit.position as usize, hit.score.min(last)));
        let best = best.into_iter().map(|hit| Ranked::new(hit.position as usize, hit.score));
        (best.chain(rest).take(limit).collect(), scores.matched())
    }
}

impl Ranker for FieldedRanker {
    fn rank<'a>(&'a self, query: &'a str, catalog: &'a Catalog) -> RankFuture<'a> {
        Box::pin(async move { Ok(self.scored(query, catalog).best(usize::MAX, None).0) })
    }

    fn built_in(&self) -> Option<&FieldedRanker> {
        Some(self)
    }
}

impl fmt::Debug for FieldedRanker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldedRanker").field("weights", &self.0.weights).finish_non_exhaustive()
    }
}

impl FieldedRankerBuilder {
    /// What a word in a field counts: 3 in the name, 1 elsewhere unless set. With 0 the field is not searched.
    #[must_use]
    pub fn weight(mut self, field: SearchField, weight: f32) -> Self {
        if let Some(place) = self.weights.get_mut(field as usize) {
            *place = weight;
        }
        self
    }

    /// Drops these words instead of the built-in English ones. In names they are kept.
    #[must_use]
    pub fn stop_words(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.stop_words = Some(words.into_iter().map(Into::into).collect());
        self
    }

    /// Drops shorter tokens, in texts and in queries. Not counted in scripts without spaces.
    #[must_use]
    pub fn minimum_token_length(mut self, characters: usize) -> Self {
        self.minimum_token_length = characters;
        self
    }

    /// The language of words in Latin script: English unless set.
    #[must_use]
    pub fn stemming(mut self, stemming: Stemming) -> Self {
        self.stemming = stemming;
        self
    }

    /// Adds synonyms to the built-in ones, a class each: `refund chargeback` for words that stand for each other,
    /// `kubectl -> kubernetes` for a way without a way back.
    #[must_use]
    pub fn synonyms(mut self, classes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.synonyms.extend(classes.into_iter().map(Into::into));
        self
    }

    /// Leaves the built-in synonyms out.
    #[must_use]
    pub fn without_built_in_synonyms(mut self) -> Self {
        self.built_in_synonyms = false;
        self
    }

    /// Leaves out what scores less. Scores depend on the catalogue and on how many words a query has: look at some first.
    #[must_use]
    pub fn minimum_score(mut self, score: f32) -> Self {
        self.minimum_score = score;
        self
    }

    /// Makes the ranker.
    ///
    /// # Errors
    /// [`FieldedRankerError`] names the first setting that cannot work.
    pub fn build(self) -> Result<FieldedRanker, FieldedRankerError> {
        use SearchField::{ArgumentDescriptions, ArgumentNames, Description, Name};

        let fields = [Name, Description, ArgumentNames, ArgumentDescriptions];
        for (field, weight) in fields.into_iter().zip(self.weights) {
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(FieldedRankerError::Weight { field, weight });
            }
        }
        if self.weights.iter().all(|weight| *weight == 0.0) {
            return Err(FieldedRankerError::NoField);
        }
        if self.minimum_token_length == 0 {
            return Err(FieldedRankerError::MinimumTokenLength);
        }
        if self.minimum_score.is_nan() {
            return Err(FieldedRankerError::MinimumScore);
        }
        if let Some(line) = self.synonyms.iter().find(|line| !synonyms::is_class(line)) {
            return Err(FieldedRankerError::Synonyms { line: line.clone() });
        }
        Ok(self.make())
    }

    fn make(self) -> FieldedRanker {
        let analyzer = Analyzer::new(self.stemming, self.stop_words.as_deref(), self.minimum_token_length);
        let built_in = if self.built_in_synonyms { CLASSES } else { "" };
        let lines = built_in.lines().chain(self.synonyms.iter().map(String::as_str));
        let synonyms = Synonyms::new(lines, &analyzer);
        let (weights, minimum_score) = (self.weights, self.minimum_score);
        FieldedRanker(Arc::new(Settings { weights, minimum_score, analyzer, synonyms }))
    }
}
