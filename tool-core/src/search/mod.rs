//! Finding deferred tools: documents, queries and rankers. The tools that search are in `discovery`.
//!
//! The library does what no ranker should have to: exact names come first, disabled tools are left out, a failing
//! ranker is replaced by the built-in one.

mod catalog;
mod document;
mod fielded;
mod hybrid;
mod own;
mod query;
mod ranker;
mod substring;
mod text;

use std::sync::Arc;

pub use catalog::Catalog;
use document::ContentHash;
pub(crate) use document::Documents;
pub use document::{ArgumentText, SearchDocument};
pub use fielded::{FieldedRanker, FieldedRankerBuilder, FieldedRankerError, SearchField};
pub use hybrid::HybridRanker;
pub(crate) use own::OwnDocuments;
use query::Query;
pub(crate) use ranker::RankerChoice;
pub use ranker::{RankFuture, Ranked, Ranker, RankerError};
pub use substring::SubstringRanker;
pub use text::Stemming;

use crate::{
    SessionEvent, SourceState, ToolName,
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
    /// Why the built-in ranker answered instead of the host's, if it did.
    pub degraded: Option<String>,
    /// Sources whose tools a search covers and that are not ready, by namespace: what they have is not found, or found as
    /// they listed it last.
    pub unready: Vec<(String, SourceState)>,
}

impl SearchResults {
    /// What a query without words finds.
    fn nothing(already_listed: Option<ToolName>) -> Self {
        let searchable = already_listed.is_some();
        let (hits, unready) = (Vec::new(), Vec::new());
        Self { hits, matched: 0, searchable, already_listed, degraded: None, unready }
    }
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
        let own = registry.find_folded(name).iter().chain(late.iter().filter(is_named));
        let of_sources = reveals.sources().find_folded(name).filter(|entry| reveals.holds(registry, entry));
        own.chain(of_sources).cloned().collect()
    });
    let already_listed = match named.as_slice() {
        [entry] if is_listed(core, entry) => Some(entry.name().clone()),
        _ => None,
    };
    let findable = |entry: &Arc<Entry>| {
        entry.place == Place::Deferred
            && (scope.is_none() || entry.scope == scope)
            && exists(core, reveals, entry)
    };
    let exact: Vec<Arc<Entry>> = named.into_iter().filter(findable).collect();
    if query.words().is_empty() && exact.is_empty() {
        return SearchResults::nothing(already_listed);
    }
    let shown = top_k.clamp(1, MAX_TOP_K).max(exact.len());
    let mut documents = reveals.sources().documents(registry, scope);
    let extended;
    if !late.is_empty() {
        extended = core.state.own_documents().extended(scope, documents, &late);
        documents = &extended;
    }
    let ranked = rank(core, reveals, scope, documents, text, &exact, shown).await;
    let score_of = |entry: &Arc<Entry>| {
        ranked.exact.iter().find(|(ranked, _)| Arc::ptr_eq(ranked, entry)).map_or(0.0, |(_, score)| *score)
    };
    let matched = exact.len() + ranked.matched;
    let named = exact.iter().map(|entry| (entry, score_of(entry)));
    let others = ranked.others.iter().map(|(entry, score)| (entry, *score));
    let hits = named.chain(others).take(shown).map(|(entry, score)| SearchHit {
        name: entry.name().clone(),
        description: entry.definition.description().to_owned(),
        score,
    });
    let (hits, degraded, unready) = (hits.collect(), ranked.degraded, Vec::new());
    SearchResults { hits, matched, searchable: true, already_listed, degraded, unready }
}

/// What a ranker found of what a session may find.
struct RankedEntries {
    /// The tools that were named, in any order, where they were ranked.
    exact: Vec<(Arc<Entry>, f32)>,
    /// The best of the others.
    others: Vec<(Arc<Entry>, f32)>,
    /// How many others match.
    matched: usize,
    /// What the host's ranker said when it failed.
    degraded: Option<String>,
}

/// Ranks with the configured ranker, and with the built-in one if that fails.
async fn rank(
    core: &Arc<SessionCore>,
    reveals: &Reveals,
    scope: Option<ScopeId>,
    documents: &Documents,
    query: &str,
    exact: &[Arc<Entry>],
    shown: usize,
) -> RankedEntries {
    let registry = &core.registry;
    let scope = scope.or_else(|| registry.common_scope());
    let default = RankerChoice::default();
    let choice = scope.map_or(&default, |id| registry.scope(id).search.ranker_choice());
    let is_exact = |document: usize| {
        documents.entry(document).is_some_and(|entry| exact.iter().any(|exact| Arc::ptr_eq(exact, entry)))
    };
    let all_exist = !documents.has_conditions && !reveals.shadows_sources();
    let is_other = |document: usize| {
        (exact.is_empty() || !is_exact(document))
            && (all_exist || documents.entry(document).is_some_and(|entry| exists(core, reveals, entry)))
    };
    let entry = |ranked: Ranked| Some((Arc::clone(documents.entry(ranked.document)?), ranked.score));
    let catalog = documents.catalog();
    let mut degraded = None;
    match choice.rank(query, catalog).await {
        Some(Ok(ranking)) => {
            let (named, others): (Vec<Ranked>, Vec<Ranked>) =
                ranking.into_iter().partition(|ranked| is_exact(ranked.document));
            let mut others: Vec<Ranked> =
                others.into_iter().filter(|ranked| is_other(ranked.document)).collect();
            let matched = others.len();
            others.truncate(shown);
            let exact = named.into_iter().filter_map(entry).collect();
            let others = others.into_iter().filter_map(entry).collect();
            return RankedEntries { exact, others, matched, degraded: None };
        }
        Some(Err(reason)) => {
            tracing::warn!(%reason, "the ranker failed: the built-in one answers");
            core.emit(|| SessionEvent::Degraded { reason: reason.clone() });
            degraded = Some(reason);
        }
        None => {}
    }
    let scored = choice.built_in().scored(query, catalog);
    let all = exact.is_empty() && all_exist;
    let accept: Option<&dyn Fn(usize) -> bool> = if all { None } else { Some(&is_other) };
    let (others, matched) = scored.best(shown, accept);
    let named = if exact.is_empty() { Vec::new() } else { scored.best(exact.len(), Some(&is_exact)).0 };
    let exact = named.into_iter().filter_map(entry).collect();
    RankedEntries { exact, others: others.into_iter().filter_map(entry).collect(), matched, degraded }
}

/// Whether a tool is in the list of every turn: disabled ones and those without a schema are in none.
fn is_listed(core: &Arc<SessionCore>, entry: &Entry) -> bool {
    entry.is_always_listed() && enabled(core, entry) && entry.definition.unusable().is_none()
}

/// Whether a tool exists for a session under its own name.
fn exists(core: &Arc<SessionCore>, reveals: &Reveals, entry: &Arc<Entry>) -> bool {
    (entry.sourced.is_none() || reveals.holds(&core.registry, entry)) && enabled(core, entry)
}

/// Whether a tool is enabled for a session.
pub(crate) fn enabled(core: &Arc<SessionCore>, entry: &Entry) -> bool {
    entry.options.enabled.is_none_or(|enabled| turn::ask(enabled, &turn::without_call(core)))
}
