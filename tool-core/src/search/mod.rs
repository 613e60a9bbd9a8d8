//! Finding deferred tools: configuration, ranking, and the `tool_search` tool.
//!
//! The library does what no ranker should have to: exact names come first, disabled tools are left out, a failing
//! ranker is replaced by the built-in one.

mod document;
mod query;
mod ranker;
mod substring;
mod tool;

use std::{fmt, sync::Arc, time::Duration};

pub(crate) use document::Documents;
pub use document::{ArgumentText, SearchDocument};
use query::Query;
pub(crate) use ranker::RankerChoice;
pub use ranker::{RankFuture, Ranked, Ranker, RankerError};
pub use substring::SubstringRanker;
pub(crate) use tool::SearchTool;

use crate::{
    BuildError, Location, SessionEvent, ToolName,
    registry::{Entry, Place, ToolId},
    session::SessionCore,
    turn,
};

/// Name of the search tool unless the host sets another.
const DEFAULT_NAME: &str = "tool_search";
const DEFAULT_DESCRIPTION: &str = "Search for more tools by what they do. The tools that are found can be called \
    from your next message. Use this when no tool in your list fits the task.";
/// How many tools a search returns unless the model asks for more or fewer.
const DEFAULT_TOP_K: i64 = 5;
/// The most a search returns, exact names aside.
const MAX_TOP_K: i64 = 50;
/// How long a host's ranker may take.
const DEFAULT_RANKER_TIMEOUT: Duration = Duration::from_secs(2);

/// Configuration of the search tool.
///
/// # Examples
/// ```
/// use tool_core::{Registry, ToolSearch};
///
/// let registry = Registry::builder()
///     .search(ToolSearch::new().name("find_tools").description("Find tools for a task.").above(10))
///     .build()?;
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct ToolSearch {
    name: String,
    description: String,
    ranker: RankerChoice,
    above: usize,
    location: Location,
}

impl Default for ToolSearch {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl ToolSearch {
    /// `tool_search` with the built-in ranker.
    #[must_use]
    #[track_caller]
    pub fn new() -> Self {
        Self {
            name: DEFAULT_NAME.to_owned(),
            description: DEFAULT_DESCRIPTION.to_owned(),
            ranker: RankerChoice::default(),
            above: 0,
            location: Location::caller(),
        }
    }

    /// Sets the name of the tool.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Sets what the model reads about the tool.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Ranks with the host's own ranker. If it fails or takes more than 2 s, the built-in one answers and the
    /// session's events say `Degraded`.
    #[must_use]
    pub fn ranker(mut self, ranker: impl Ranker) -> Self {
        self.ranker = RankerChoice::Custom { ranker: Arc::new(ranker), timeout: DEFAULT_RANKER_TIMEOUT };
        self
    }

    /// Sets how long the host's ranker may take.
    #[must_use]
    pub fn ranker_timeout(mut self, limit: Duration) -> Self {
        if let RankerChoice::Custom { timeout, .. } = &mut self.ranker {
            *timeout = limit;
        }
        self
    }

    /// Hides tools only if at least `n` are deferred when the registry is built; with fewer, all are eager.
    #[must_use]
    pub fn above(mut self, n: usize) -> Self {
        self.above = n;
        self
    }

    pub(crate) fn threshold(&self) -> usize {
        self.above
    }

    pub(crate) fn location(&self) -> Location {
        self.location
    }

    pub(crate) fn ranker_choice(&self) -> RankerChoice {
        self.ranker.clone()
    }

    /// The rules of `build()` for these settings.
    pub(crate) fn check(&self, errors: &mut Vec<BuildError>) {
        let location = self.location;
        if let Err(error) = ToolName::new(&self.name) {
            errors.push(BuildError::Search { location, fault: error.to_string() });
        }
        if self.description.trim().is_empty() {
            errors.push(BuildError::Search { location, fault: "its description is empty".to_owned() });
        }
    }
}

impl fmt::Debug for ToolSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolSearch")
            .field("name", &self.name)
            .field("above", &self.above)
            .finish_non_exhaustive()
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SearchResults {
    /// The best tools: exact names first, then by score.
    pub hits: Vec<SearchHit>,
    /// How many tools matched.
    pub matched: usize,
    /// Whether the query had a word to search for.
    pub searchable: bool,
    /// The tool of the list that the query names exactly, if it does. Listed tools are not searched.
    pub already_listed: Option<ToolName>,
}

/// One tool that a search found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SearchHit {
    /// The name to reveal and to call.
    pub name: ToolName,
    /// What the tool does, as declared.
    pub description: String,
    /// What the ranker gave; exact names that it did not rank have 0.
    pub score: f32,
}

/// Searches the deferred tools of a session. Changes nothing.
pub(crate) async fn find(core: &Arc<SessionCore>, text: &str, top_k: i64) -> SearchResults {
    let registry = &core.registry;
    let query = Query::new(text);
    let named = query.named(registry);
    let already_listed = named
        .iter()
        .map(|id| registry.entry(*id))
        .find(|entry| listed(core, entry))
        .filter(|_| named.len() == 1)
        .map(|entry| entry.definition.name().clone());
    let exact: Vec<ToolId> = named.into_iter().filter(|id| findable(core, *id)).collect();
    if query.words().is_empty() && exact.is_empty() {
        return SearchResults {
            hits: Vec::new(),
            matched: 0,
            searchable: already_listed.is_some(),
            already_listed,
        };
    }
    let ranked = rank(core, text).await;
    let score_of =
        |id: ToolId| ranked.iter().find(|(ranked, _)| *ranked == id).map_or(0.0, |(_, score)| *score);
    let mut found: Vec<(ToolId, f32)> = exact.iter().map(|id| (*id, score_of(*id))).collect();
    found.extend(ranked.iter().copied().filter(|(id, _)| !exact.contains(id) && findable(core, *id)));
    let shown = usize::try_from(top_k.clamp(1, MAX_TOP_K)).unwrap_or(1).max(exact.len());
    let matched = found.len();
    found.truncate(shown);
    let hits = found
        .into_iter()
        .map(|(id, score)| {
            let definition = &registry.entry(id).definition;
            SearchHit {
                name: definition.name().clone(),
                description: definition.description().to_owned(),
                score,
            }
        })
        .collect();
    SearchResults { hits, matched, searchable: true, already_listed }
}

/// Ranks with the configured ranker, and with the built-in one if that fails.
async fn rank(core: &Arc<SessionCore>, query: &str) -> Vec<(ToolId, f32)> {
    let documents = core.registry.documents();
    let ranking = match core.registry.inner().ranker.rank(query, documents.all()).await {
        Ok(ranking) => ranking,
        Err(reason) => {
            tracing::warn!(%reason, "the ranker failed: the built-in one answers");
            core.emit(|| SessionEvent::Degraded { reason });
            substring::rank(query, documents.all())
        }
    };
    ranking.into_iter().filter_map(|ranked| Some((documents.id(ranked.document)?, ranked.score))).collect()
}

/// Whether a tool is in the list of every turn: disabled ones and those without a schema are in none.
fn listed(core: &Arc<SessionCore>, entry: &Entry) -> bool {
    matches!(entry.place, Place::Eager | Place::Discovery)
        && enabled(core, entry)
        && entry.definition.unusable().is_none()
}

fn findable(core: &Arc<SessionCore>, id: ToolId) -> bool {
    let entry = core.registry.entry(id);
    entry.place == Place::Deferred && enabled(core, entry)
}

/// Whether a tool exists for a session.
pub(crate) fn enabled(core: &Arc<SessionCore>, entry: &Entry) -> bool {
    entry.options.enabled.is_none_or(|enabled| turn::ask(enabled, &turn::without_call(core)))
}
