//! Search beside the `bm25` crate, in one run: index, queries, one tool changed. Then 100,000 tools, and memory.
//!
//! `CATALOG=tools.json QUERIES=queries.json cargo bench --bench search` takes files of your own: arrays of
//! `{"name","description","parameters"}` and of `{"query"}`. Without them, tools are made up.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod made_up;
mod memory;

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use bm25::{Document, Language, SearchEngineBuilder};
use serde_json::Value;
use tool_core::{Catalog, FieldedRanker, SearchDocument, ToolName};

use crate::made_up::made_up;

fn main() {
    // Cargo runs benches as tests too: those have no time.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let text = |variable: &str| Some(std::fs::read_to_string(std::env::var(variable).ok()?).unwrap());
    let read = |variable: &str| Some(serde_json::from_str::<Vec<Value>>(&text(variable)?).unwrap());
    // First, in a process that has freed nothing yet.
    memory::measure(&text("CATALOG").unwrap_or_else(|| serde_json::to_string(&made_up(10_000)).unwrap()));
    let tools = read("CATALOG").unwrap_or_else(|| made_up(10_000));
    let queries: Vec<String> = match read("QUERIES") {
        Some(queries) => queries.iter().map(|query| query["query"].as_str().unwrap().to_owned()).collect(),
        None => (0..200)
            .map(|n| tools[n * 37 % tools.len()]["description"].as_str().unwrap().to_owned())
            .collect(),
    };
    let documents = documents(&tools);
    let ranker = FieldedRanker::new();
    let indexed = |documents: &[SearchDocument]| {
        let catalog = Catalog::new(documents.to_vec());
        ranker.search("index", &catalog, 1);
        catalog
    };
    let (catalog, index) = timed(|| indexed(&documents));
    // Words that nobody has searched before, then all.
    let mut first: Vec<Duration> =
        queries.iter().map(|query| timed(|| black_box(ranker.search(query, &catalog, 5))).1).collect();
    first.sort_unstable();
    let first = (first[first.len() / 2], first[first.len() * 95 / 100]);
    let ours = percentiles(&queries, |query| drop(black_box(ranker.search(query, &catalog, 5))));

    let texts = tools.iter().enumerate().map(|(id, tool)| Document::new(id, tool.to_string()));
    let texts: Vec<Document<usize>> = texts.collect();
    let (engine, peer_index) =
        timed(|| SearchEngineBuilder::<usize>::with_documents(Language::English, texts).build());
    let peer = percentiles(&queries, |query| drop(black_box(engine.search(query, 5))));

    let changes = percentiles(&queries, |query| {
        let mut changed: Vec<Arc<SearchDocument>> = catalog.to_vec();
        let middle = changed.len() / 2;
        changed[middle] = Arc::new(SearchDocument::new(changed[middle].name.clone(), query));
        drop(black_box(catalog.changed(changed)));
    });
    println!("{} tools, {} queries", tools.len(), queries.len());
    println!("index        ours {index:?}, bm25 {peer_index:?}");
    println!("search p50   ours {:?}, bm25 {:?}: {:.1}x", ours.0, peer.0, ratio(peer.0, ours.0));
    println!("search p95   ours {:?}, bm25 {:?}: {:.1}x", ours.1, peer.1, ratio(peer.1, ours.1));
    println!("search once  p50 {:?}, p95 {:?}: each query the first time", first.0, first.1);
    println!("one changed  p50 {:?}, p95 {:?}", changes.0, changes.1);

    let many = made_up(100_000);
    let catalog = indexed(&self::documents(&many));
    let queries: Vec<String> =
        (0..200).map(|n| many[n * 379 % many.len()]["description"].as_str().unwrap().to_owned()).collect();
    let ours = percentiles(&queries, |query| drop(black_box(ranker.search(query, &catalog, 5))));
    println!("100,000 tools: search p50 {:?}, p95 {:?}", ours.0, ours.1);
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64()
}

fn timed<T>(make: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let result = make();
    (result, started.elapsed())
}

/// Median and 95th percentile over all queries, five times each.
fn percentiles(queries: &[String], search: impl Fn(&str)) -> (Duration, Duration) {
    let mut times: Vec<Duration> =
        queries.iter().cycle().take(queries.len() * 5).map(|query| timed(|| search(query)).1).collect();
    times.sort_unstable();
    (times[times.len() / 2], times[times.len() * 95 / 100])
}

fn documents(tools: &[Value]) -> Vec<SearchDocument> {
    let document = |tool: &Value| {
        let name = tool["name"].as_str().unwrap();
        let description = tool["description"].as_str().unwrap();
        SearchDocument::new(ToolName::new(name).unwrap(), description).with_arguments(&tool["parameters"])
    };
    tools.iter().map(document).collect()
}
