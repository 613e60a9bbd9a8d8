//! The seam for ranking.

use std::{
    error::Error,
    fmt,
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use super::{SearchDocument, substring};
use crate::turn;

/// The future of one ranking.
pub type RankFuture<'a> = Pin<Box<dyn Future<Output = Result<Vec<Ranked>, RankerError>> + Send + 'a>>;

/// Ranks the deferred tools of a registry for a query: BM25, embeddings, a language model.
///
/// The library puts exact names first, leaves out what a session cannot have, and cuts: return everything that matches,
/// best first.
///
/// # Examples
/// ```
/// use tool_core::{RankFuture, Ranked, Ranker, SearchDocument};
///
/// /// Finds tools by the first letters of their names.
/// struct Prefix;
///
/// impl Ranker for Prefix {
///     fn rank<'a>(&'a self, query: &'a str, documents: &'a [SearchDocument]) -> RankFuture<'a> {
///         let matches = documents.iter().enumerate().filter(move |(_, tool)| tool.name.as_str().starts_with(query));
///         Box::pin(async move { Ok(matches.map(|(document, _)| Ranked::new(document, 1.0)).collect()) })
///     }
/// }
/// ```
pub trait Ranker: Send + Sync + 'static {
    /// The matching documents, best first. `documents` is the same slice for every query over one registry.
    fn rank<'a>(&'a self, query: &'a str, documents: &'a [SearchDocument]) -> RankFuture<'a>;
}

/// One document and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Ranked {
    /// Index of the document.
    pub document: usize,
    /// Higher is better.
    pub score: f32,
}

impl Ranked {
    /// A document and its score.
    pub fn new(document: usize, score: f32) -> Self {
        Self { document, score }
    }
}

/// Why a ranker gave no ranking.
#[derive(Debug)]
pub struct RankerError(Box<dyn Error + Send + Sync>);

impl RankerError {
    /// An error with the given text or cause.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for RankerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for RankerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}

/// Who ranks.
#[derive(Clone, Default)]
pub(crate) enum RankerChoice {
    #[default]
    BuiltIn,
    Custom {
        ranker: Arc<dyn Ranker>,
        timeout: Duration,
    },
}

impl RankerChoice {
    /// A ranking without repetitions, or why there is none: an error, a panic, a time-out.
    pub(crate) async fn rank(
        &self,
        query: &str,
        documents: &[SearchDocument],
    ) -> Result<Vec<Ranked>, String> {
        let Self::Custom { ranker, timeout } = self else {
            return Ok(substring::rank(query, documents));
        };
        let made = catch_unwind(AssertUnwindSafe(|| ranker.rank(query, documents)));
        let mut future = made.map_err(|_| "the ranker panicked".to_owned())?;
        let caught =
            poll_fn(move |task| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(task))) {
                Ok(poll) => poll,
                Err(_) => Poll::Ready(Err(RankerError::new("the ranker panicked"))),
            });
        let answered = turn::within(*timeout, caught).await;
        let mut ranking = answered
            .ok_or_else(|| format!("the ranker did not answer within {timeout:?}"))?
            .map_err(|error| error.to_string())?;
        let mut seen = vec![false; documents.len()];
        ranking.retain(|ranked| {
            seen.get_mut(ranked.document).is_some_and(|seen| !std::mem::replace(seen, true))
        });
        Ok(ranking)
    }
}
