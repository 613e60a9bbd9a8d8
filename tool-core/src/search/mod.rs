//! Finding deferred tools: documents, queries and rankers. The tools that search are in `discovery`.
//!
//! The library does what no ranker should have to: exact names come first, disabled tools are left out, a failing
//! ranker is replaced by the built-in one.

mod document;
mod query;
mod ranker;
mod substring;

use std::sync::Arc;

pub(crate) use document::Documents;
pub use document::{ArgumentText, SearchDocument};
use query::Query;
pub(crate) use ranker::RankerChoice;
pub use ranker::{RankFuture, Ranked, Ranker, RankerError};
pub use substring::SubstringRanker;

use crate::{
    SessionEvent, ToolName,
    name::folded,
    registry::{Entry, Place, ScopeId},
    session::{Reveals, SessionCore},
    turn,
};

/// The most tools that one search returns, exact names aside.
const MAX_TOP_K: usize = 50;

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

/// The words of a query, as the search sees them: two queries with the same words are one search.
pub(crate) fn words(query: &str) -> Vec<String> {
    Query::new(query).words().to_vec()
}

/// Searches the deferred tools of a session, of one search or of all. Changes nothing.
pub(crate) async fn find(
    core: &Arc<SessionCore>,
    reveals: &Reveals,
    scope: Option<ScopeId>,
    text: &str,
    top_k: usize,
) -> SearchResults {
    let registry = &core.registry;
    let query = Query::new(text);
    let late: Vec<Arc<Entry>> = reveals
        .session_tools()
        .into_iter()
        .filter(|entry| entry.place == Place::Deferred && (scope.is_none() || entry.scope == scope))
        .cloned()
        .collect();
    let named = query.named(|name| {
        let wanted = folded(name);
        let is_named = |entry: &&Arc<Entry>| {
            !wanted.is_empty()
                && (folded(entry.name().as_str()) == wanted || folded(entry.bare_name()) == wanted)
        };
        registry.find_folded(name).iter().chain(late.iter().filter(is_named)).cloned().collect()
    });
    let already_listed = match named.as_slice() {
        [entry] if is_listed(core, entry) => Some(entry.name().clone()),
        _ => None,
    };
    let findable = |entry: &Arc<Entry>| {
        entry.place == Place::Deferred && (scope.is_none() || entry.scope == scope) && enabled(core, entry)
    };
    let exact: Vec<Arc<Entry>> = named.into_iter().filter(findable).collect();
    if query.words().is_empty() && exact.is_empty() {
        let searchable = already_listed.is_some();
        return SearchResults { hits: Vec::new(), matched: 0, searchable, already_listed };
    }
    let ranked = rank(core, scope, &late, text).await;
    let is_exact = |entry: &Arc<Entry>| exact.iter().any(|exact| Arc::ptr_eq(exact, entry));
    let score_of = |entry: &Arc<Entry>| {
        ranked.iter().find(|(ranked, _)| Arc::ptr_eq(ranked, entry)).map_or(0.0, |(_, score)| *score)
    };
    let mut found: Vec<(Arc<Entry>, f32)> =
        exact.iter().map(|entry| (Arc::clone(entry), score_of(entry))).collect();
    let others = ranked.iter().filter(|(entry, _)| !is_exact(entry) && findable(entry));
    found.extend(others.cloned());
    let matched = found.len();
    found.truncate(top_k.clamp(1, MAX_TOP_K).max(exact.len()));
    let hits = found
        .into_iter()
        .map(|(entry, score)| {
            let definition = &entry.definition;
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
async fn rank(
    core: &Arc<SessionCore>,
    scope: Option<ScopeId>,
    late: &[Arc<Entry>],
    query: &str,
) -> Vec<(Arc<Entry>, f32)> {
    let registry = &core.registry;
    let mut documents = registry.documents(scope);
    let extended;
    if !late.is_empty() {
        extended = documents.with(late);
        documents = &extended;
    }
    let ranker =
        scope.or_else(|| registry.common_scope()).map(|id| registry.scope(id).search.ranker_choice());
    let ranking = match ranker.unwrap_or(&RankerChoice::BuiltIn).rank(query, documents.all()).await {
        Ok(ranking) => ranking,
        Err(reason) => {
            tracing::warn!(%reason, "the ranker failed: the built-in one answers");
            core.emit(|| SessionEvent::Degraded { reason });
            substring::rank(query, documents.all())
        }
    };
    let entry = |ranked: Ranked| Some((Arc::clone(documents.entry(ranked.document)?), ranked.score));
    ranking.into_iter().filter_map(entry).collect()
}

/// Whether a tool is in the list of every turn: disabled ones and those without a schema are in none.
fn is_listed(core: &Arc<SessionCore>, entry: &Entry) -> bool {
    entry.is_base() && enabled(core, entry) && entry.definition.unusable().is_none()
}

/// Whether a tool exists for a session.
pub(crate) fn enabled(core: &Arc<SessionCore>, entry: &Entry) -> bool {
    entry.options.enabled.is_none_or(|enabled| turn::ask(enabled, &turn::without_call(core)))
}
