//! How well a search finds your tools: recall, nDCG and speed over a catalogue and queries of your own.
//!
//! `cargo run --release --example search_eval -- --tools FILE --queries FILE [--no-synonyms] [--ranker fielded|substring]
//! [--embeddings URL] [--k 10] [--misses]`. With the URL of an embedding endpoint it measures words and meaning together. Without files it measures a small catalogue of its own, and fails if a tool of it is missed.
//! Look at the misses: what came instead tells which description to change.

mod args;
mod data;
mod embeddings;
mod metrics;

use std::{error::Error, time::Instant};

use serde_json::json;
use tool_core::{Catalog, FieldedRanker, Ranked, Ranker, SubstringRanker};

use crate::{
    args::{Args, Choice},
    data::{Query, Tool},
    metrics::Metrics,
};

const TOOLS: &str = include_str!("tools.jsonl");
const QUERIES: &str = include_str!("queries.jsonl");

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let args = Args::read()?;
    let own = args.tools.is_none();
    let tools: Vec<Tool> = data::read(args.tools.as_deref(), TOOLS)?;
    let queries: Vec<Query> = data::read(args.queries.as_deref(), QUERIES)?;
    let mut settings = FieldedRanker::builder();
    if !args.synonyms {
        settings = settings.without_built_in_synonyms();
    }
    let fielded = settings.build()?;
    let other: Option<Box<dyn Ranker>> = match (&args.embeddings, args.ranker) {
        (Some(url), _) => Some(Box::new(embeddings::ranker(url).lexical(fielded.clone()))),
        (None, Choice::Substring) => Some(Box::new(SubstringRanker::default())),
        (None, Choice::Fielded) => None,
    };
    let documents = tools.iter().map(Tool::document).collect::<Result<Vec<_>, _>>()?;
    let started = Instant::now();
    let catalog = Catalog::new(documents);
    // The first search makes the index.
    rank(other.as_deref(), &fielded, &catalog, "index", 1).await?;
    let index_ms = started.elapsed().as_secs_f64() * 1_000.0;

    let mut metrics = Metrics::default();
    for query in &queries {
        let started = Instant::now();
        let ranked = rank(other.as_deref(), &fielded, &catalog, &query.query, args.k).await?;
        let elapsed = started.elapsed();
        let found: Vec<&str> =
            ranked.iter().filter_map(|hit| Some(tools.get(hit.document)?.name.as_str())).collect();
        metrics.add(&found, &query.relevant, elapsed);
        if args.misses {
            report_miss(query, &found, args.k);
        }
    }
    println!("{}", json!(metrics.report(tools.len(), index_ms)));
    if own && args.ranker == Choice::Fielded && args.synonyms {
        assert!(metrics.recall_at_5() > 0.999, "a tool of the own catalogue was missed");
    }
    Ok(())
}

async fn rank(
    other: Option<&dyn Ranker>,
    fielded: &FieldedRanker,
    catalog: &Catalog,
    query: &str,
    k: usize,
) -> Result<Vec<Ranked>, Box<dyn Error>> {
    let Some(other) = other else { return Ok(fielded.search(query, catalog, k)) };
    let mut ranked = other.rank(query, catalog).await?;
    ranked.truncate(k);
    Ok(ranked)
}

fn report_miss(query: &Query, found: &[&str], k: usize) {
    let missed: Vec<_> = query.relevant.iter().filter(|name| !found.contains(&name.as_str())).collect();
    if !missed.is_empty() {
        eprintln!("{}\n  not in the first {k}: {missed:?}\n  instead: {found:?}", query.query);
    }
}
