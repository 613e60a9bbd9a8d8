//! The seam for ranking.

use std::{any::Any, error::Error, fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

use super::{Catalog, FieldedRanker};
use crate::guard::{caught, within};

/// The future of one ranking.
pub type RankFuture<'a> = Pin<Box<dyn Future<Output = Result<Vec<Ranked>, RankerError>> + Send + 'a>>;

/// Ranks the deferred tools of a registry for a query: BM25, embeddings, a language model.
///
/// The library puts exact names first, leaves out what a session cannot have, and cuts: return everything that matches,
/// best first.
///
/// # Examples
/// ```
/// use tool_core::{Catalog, RankFuture, Ranked, Ranker};
///
/// /// Finds tools by the first letters of their names.
/// struct Prefix;
///
/// impl Ranker for Prefix {
///     fn rank<'a>(&'a self, query: &'a str, catalog: &'a Catalog) -> RankFuture<'a> {
///         let matches = catalog.iter().enumerate().filter(move |(_, tool)| tool.name.as_str().starts_with(query));
///         Box::pin(async move { Ok(matches.map(|(document, _)| Ranked::new(document, 1.0)).collect()) })
///     }
/// }
/// ```
pub trait Ranker: Send + Sync + 'static {
    /// The matching documents, best first, by their index in the catalogue.
    ///
    /// A catalogue rather than a slice: it carries what was indexed of it, so that a ranker that builds on
    /// [`FieldedRanker`] neither keeps an index of its own nor makes one again when one tool of ten thousand changes.
    fn rank<'a>(&'a self, query: &'a str, catalog: &'a Catalog) -> RankFuture<'a>;

    /// The built-in ranker that answers when this one fails; the default one unless it is a part of this one.
    #[doc(hidden)]
    fn built_in(&self) -> Option<&FieldedRanker> {
        None
    }
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
#[derive(Clone)]
pub(crate) enum RankerChoice {
    BuiltIn(FieldedRanker),
    Custom { ranker: Arc<dyn Ranker>, built_in: FieldedRanker, timeout: Duration },
}

impl Default for RankerChoice {
    fn default() -> Self {
        Self::BuiltIn(FieldedRanker::default())
    }
}

impl RankerChoice {
    pub(crate) fn of(ranker: impl Ranker, timeout: Duration) -> Self {
        // The built-in one cannot fail, and ranks no more than is shown.
        if let Some(built_in) = (&ranker as &dyn Any).downcast_ref::<FieldedRanker>() {
            return Self::BuiltIn(built_in.clone());
        }
        let built_in = ranker.built_in().cloned().unwrap_or_default();
        Self::Custom { ranker: Arc::new(ranker), built_in, timeout }
    }

    /// The ranker that cannot fail.
    pub(crate) fn built_in(&self) -> &FieldedRanker {
        match self {
            Self::BuiltIn(built_in) | Self::Custom { built_in, .. } => built_in,
        }
    }

    /// The ranking of the host's ranker without repetitions, or why there is none: an error, a panic, a time-out. Without
    /// such a ranker, nothing.
    pub(crate) async fn rank(&self, query: &str, catalog: &Catalog) -> Option<Result<Vec<Ranked>, String>> {
        let Self::Custom { ranker, timeout, .. } = self else { return None };
        Some(ranking(&**ranker, *timeout, query, catalog).await)
    }
}

async fn ranking(
    ranker: &dyn Ranker,
    timeout: Duration,
    query: &str,
    catalog: &Catalog,
) -> Result<Vec<Ranked>, String> {
    let caught = caught("the ranker", || ranker.rank(query, catalog));
    let mut ranking = within(timeout, caught)
        .await
        .ok_or_else(|| format!("the ranker did not answer within {timeout:?}"))?
        .map_err(|_| "the ranker panicked".to_owned())?
        .map_err(|error| error.to_string())?;
    let mut seen = vec![false; catalog.len()];
    ranking.retain(|ranked| seen.get_mut(ranked.document).is_some_and(|seen| !std::mem::replace(seen, true)));
    Ok(ranking)
}
