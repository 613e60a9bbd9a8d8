//! How well a search finds your tools: recall, nDCG and speed over a catalogue and queries of your own.
//!
//! `cargo run --release --example search_eval -- --tools FILE --queries FILE [--no-synonyms] [--ranker fielded|substring]
//! [--k 10] [--misses]`. Without files it measures a small catalogue of its own, and fails if a tool of it is missed.
//! Look at the misses: what came instead tells which description to change.

mod args;
mod data;
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
    let documents = tools.iter().map(Tool::document).collect::<Result<Vec<_>, _>>()?;
    let started = Instant::now();
    let catalog = Catalog::new(documents);
    // The first search makes the index.
    rank(args.ranker, &fielded, &catalog, "index", 1).await?;
    let index_ms = started.elapsed().as_secs_f64() * 1_000.0;

    let mut metrics = Metrics::default();
    for query in &queries {
        let started = Instant::now();
        let ranked = rank(args.ranker, &fielded, &catalog, &query.query, args.k).await?;
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
    choice: Choice,
    fielded: &FieldedRanker,
    catalog: &Catalog,
    query: &str,
    k: usize,
) -> Result<Vec<Ranked>, Box<dyn Error>> {
    let mut ranked = match choice {
        Choice::Fielded => fielded.search(query, catalog, k),
        Choice::Substring => SubstringRanker::default().rank(query, catalog).await?,
    };
    ranked.truncate(k);
    Ok(ranked)
}

fn report_miss(query: &Query, found: &[&str], k: usize) {
    let missed: Vec<_> = query.relevant.iter().filter(|name| !found.contains(&name.as_str())).collect();
    if !missed.is_empty() {
        eprintln!("{}\n  not in the first {k}: {missed:?}\n  instead: {found:?}", query.query);
    }
}
