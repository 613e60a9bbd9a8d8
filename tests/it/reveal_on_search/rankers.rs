//! A ranker of the host's own.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tool_core::{Catalog, RankFuture, Ranked, Ranker, RankerError, Registry, SessionEvent, ToolSearch};

use crate::support::{Log, ends, hidden, hits, names, search, text};

/// Ranks as told.
struct Fixed(fn(&str, &Catalog) -> Result<Vec<Ranked>, RankerError>);

impl Ranker for Fixed {
    fn rank<'a>(&'a self, query: &'a str, documents: &'a Catalog) -> RankFuture<'a> {
        Box::pin(async move { (self.0)(query, documents) })
    }
}

/// Never answers.
struct Silent;

impl Ranker for Silent {
    fn rank<'a>(&'a self, _: &'a str, _: &'a Catalog) -> RankFuture<'a> {
        Box::pin(std::future::pending())
    }
}

fn registry(search: ToolSearch, log: &Log) -> Registry {
    let tools = [hidden("alpha", "First."), hidden("beta", "Second."), hidden("gamma", "Third.")];
    Registry::builder().tools(tools).search(search).events(log.clone()).build().unwrap()
}

fn degraded(log: &Log) -> Vec<String> {
    let events = log.all().into_iter();
    let degraded = events.filter_map(|event| match event {
        SessionEvent::Degraded { reason } => Some(reason),
        _ => None,
    });
    degraded.collect()
}

#[tokio::test]
async fn its_hits_reveal_like_those_of_the_built_in_one() {
    let backwards = Fixed(|_, documents| {
        Ok((0..documents.len()).rev().map(|document| Ranked::new(document, 1.0)).collect())
    });
    let log = Log::default();
    let session = registry(ToolSearch::new().ranker(backwards), &log).session();
    let first = session.turn().await.unwrap();
    let found = text(&first, search("1", "whatever")).await;
    assert_eq!(hits(&found), ["gamma", "beta", "alpha"]);
    assert_eq!(names(&first), ["tool_search"]);
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search", "gamma", "beta", "alpha"]);
    assert_eq!(degraded(&log), [""; 0]);
}

#[tokio::test]
async fn exact_names_come_before_its_hits() {
    let only_alpha = Fixed(|_, _| Ok(vec![Ranked::new(0, 9.0)]));
    let session = registry(ToolSearch::new().ranker(only_alpha), &Log::default()).session();
    let found = text(&session.turn().await.unwrap(), search("1", "gamma")).await;
    assert_eq!(hits(&found), ["gamma", "alpha"]);
}

#[tokio::test]
async fn it_sees_all_that_can_be_searched() {
    static SEEN: AtomicUsize = AtomicUsize::new(0);
    let looking = Fixed(|query, documents| {
        assert_eq!(query, "look here");
        for (document, (name, description)) in
            documents.iter().zip([("alpha", "First."), ("beta", "Second."), ("gamma", "Third.")])
        {
            assert_eq!((document.name.as_str(), document.description.as_str()), (name, description));
            assert_eq!(document.namespace, "default");
        }
        SEEN.fetch_add(documents.len(), Ordering::SeqCst);
        Ok(Vec::new())
    });
    let log = Log::default();
    let session = registry(ToolSearch::new().ranker(looking), &log).session();
    let found = text(&session.turn().await.unwrap(), search("1", "look here")).await;
    assert_eq!(found, "[]\n\nNo tool matches. Try other words.");
    assert_eq!(SEEN.load(Ordering::SeqCst), 3);
    assert_eq!(degraded(&log), [""; 0]);
}

#[tokio::test]
async fn where_it_fails_the_built_in_one_answers_and_the_event_says_degraded() {
    type Rank = fn(&str, &Catalog) -> Result<Vec<Ranked>, RankerError>;
    let failing: [(Rank, &str); 2] =
        [(|_, _| Err(RankerError::new("503")), "503"), (|_, _| panic!("boom"), "the ranker panicked")];
    for (rank, reason) in failing {
        let log = Log::default();
        let session = registry(ToolSearch::new().ranker(Fixed(rank)), &log).session();
        let found = text(&session.turn().await.unwrap(), search("1", "second")).await;
        assert_eq!(hits(&found), ["beta"], "{reason}");
        assert_eq!(degraded(&log), [reason]);
        assert!(!found.contains(reason), "{found}");
        assert_eq!(session.revealed(), ["beta"]);
    }
}

#[tokio::test]
async fn a_ranker_that_panics_before_it_has_a_future_is_replaced_too() {
    struct Eager;
    impl Ranker for Eager {
        fn rank<'a>(&'a self, _: &'a str, _: &'a Catalog) -> RankFuture<'a> {
            panic!("no future")
        }
    }
    let log = Log::default();
    let session = registry(ToolSearch::new().ranker(Eager), &log).session();
    let found = text(&session.turn().await.unwrap(), search("1", "second")).await;
    assert_eq!((hits(&found), degraded(&log).len()), (vec!["beta".to_owned()], 1));
}

#[tokio::test(start_paused = true)]
async fn a_ranker_that_is_late_is_replaced_after_its_time() {
    for (search_tool, expected) in [
        (ToolSearch::new().ranker(Silent), Duration::from_secs(2)),
        (ToolSearch::new().ranker(Silent).ranker_timeout(Duration::from_secs(7)), Duration::from_secs(7)),
    ] {
        let log = Log::default();
        let session = registry(search_tool, &log).session();
        let started = tokio::time::Instant::now();
        let turn = session.turn().await.unwrap();
        let found = ends(text(&turn, search("1", "second"))).await;
        assert_eq!(hits(&found), ["beta"]);
        let waited = started.elapsed();
        assert!(waited >= expected && waited < expected + Duration::from_secs(1), "{waited:?}");
        assert_eq!(degraded(&log).len(), 1);
    }
}

#[tokio::test]
async fn nonsense_from_a_ranker_is_ignored() {
    let nonsense = Fixed(|_, _| {
        Ok(vec![
            Ranked::new(usize::MAX, 1.0),
            Ranked::new(1, f32::NAN),
            Ranked::new(1, 2.0),
            Ranked::new(3, 1.0),
            Ranked::new(0, f32::NEG_INFINITY),
        ])
    });
    let session = registry(ToolSearch::new().ranker(nonsense), &Log::default()).session();
    let found = text(&session.turn().await.unwrap(), search("1", "whatever")).await;
    assert_eq!(hits(&found), ["beta", "alpha"]);
}

#[tokio::test]
async fn documents_are_made_once_for_all_searches() {
    static ADDRESSES: std::sync::Mutex<Vec<usize>> = std::sync::Mutex::new(Vec::new());
    let looking = Fixed(|_, documents| {
        ADDRESSES.lock().unwrap().push(documents.as_ptr() as usize);
        Ok(Vec::new())
    });
    let registry = registry(ToolSearch::new().ranker(looking), &Log::default());
    for query in ["red", "green", "blue"] {
        let session = registry.session();
        text(&session.turn().await.unwrap(), search("1", query)).await;
    }
    let addresses = ADDRESSES.lock().unwrap();
    assert_eq!(addresses.len(), 3);
    assert!(addresses.iter().all(|address| *address == addresses[0]));
}

#[tokio::test]
async fn a_shared_ranker_serves_two_registries() {
    struct Shared(Arc<AtomicUsize>);
    impl Ranker for Shared {
        fn rank<'a>(&'a self, _: &'a str, _: &'a Catalog) -> RankFuture<'a> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Box::pin(async { Ok(vec![Ranked::new(0, 1.0)]) })
        }
    }
    let count = Arc::new(AtomicUsize::new(0));
    for _ in 0..2 {
        let log = Log::default();
        let session = registry(ToolSearch::new().ranker(Shared(Arc::clone(&count))), &log).session();
        let found = text(&session.turn().await.unwrap(), search("1", "x y z")).await;
        assert_eq!(hits(&found), ["alpha"]);
    }
    assert_eq!(count.load(Ordering::SeqCst), 2);
}
