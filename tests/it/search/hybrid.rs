//! Words and meaning together.

use std::sync::{Arc, Mutex};

use tool_core::{HybridRanker, Ranker, RankerError, Registry, SessionEvent, ToolSearch};

use super::catalog;
use crate::support::{Log, hidden, hits, search, text};

/// Embeds by theme, and keeps what it was asked.
fn themes(asked: Arc<Mutex<Vec<String>>>) -> HybridRanker {
    HybridRanker::new(move |texts: Vec<String>| {
        let theme = |text: &String| match text {
            text if text.contains("feline") || text.contains("cat") => vec![1.0, 0.0],
            _ => vec![0.0, 1.0],
        };
        let vectors = texts.iter().map(theme).collect();
        asked.lock().unwrap().extend(texts);
        async move { Ok(vectors) }
    })
}

#[tokio::test]
async fn meaning_finds_what_shares_no_word_and_each_text_is_embedded_once() {
    let asked = Arc::default();
    let ranker = themes(Arc::clone(&asked));
    let tools = catalog(&[("feline_care", "Grooming."), ("tax_form", "Papers."), ("cats", "Names.")]);
    for _ in 0..2 {
        let found = ranker.rank("a cat", &tools).await.unwrap();
        let names: Vec<_> = found.iter().map(|hit| tools[hit.document].name.as_str()).collect();
        assert_eq!(names, ["cats", "feline_care"], "a form is not like a cat at all");
    }
    let changed = tools.changed(tools.iter().take(2).cloned().collect());
    ranker.rank("a cat", &changed).await.unwrap();
    let asked = asked.lock().unwrap();
    assert_eq!(asked.iter().filter(|text| text.starts_with("feline")).count(), 1);
    assert_eq!(asked.len(), 3 + 3, "three documents and three queries");
}

#[tokio::test]
async fn a_small_catalogue_does_not_cost_a_large_one_its_vectors() {
    let asked = Arc::default();
    let ranker = themes(Arc::clone(&asked));
    let names: Vec<String> = (0..200).map(|n| format!("tool_{n}")).collect();
    let large = catalog(&names.iter().map(|name| (name.as_str(), "Does.")).collect::<Vec<_>>());
    let small = large.changed(large.iter().take(1).cloned().collect());
    for catalog in [&large, &small, &large] {
        ranker.rank("a cat", catalog).await.unwrap();
    }
    assert_eq!(asked.lock().unwrap().len(), 200 + 3, "each document once, each query");
}

#[tokio::test]
async fn nonsense_is_like_nothing_unless_the_minimum_lets_it() {
    let tools = catalog(&[("feline_care", "Grooming."), ("cats", "Names.")]);
    let found = themes(Arc::default()).rank("zzqx", &tools).await.unwrap();
    assert_eq!(found, []);
    let lax = themes(Arc::default()).minimum_similarity(-1.0);
    assert_eq!(lax.rank("zzqx", &tools).await.unwrap().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn words_answer_when_the_embedding_fails() {
    let refused = |_| async { Err(RankerError::new("503")) };
    let short = |_| async { Ok(Vec::new()) };
    let late = |_| std::future::pending();
    for (ranker, reason) in [
        (HybridRanker::new(refused), "503"),
        (HybridRanker::new(short), "embedded to 0 vectors"),
        (HybridRanker::new(late), "did not answer within"),
    ] {
        let log = Log::default();
        let tools = [hidden("refund_payment", "Pays back."), hidden("ship_parcel", "Sends.")];
        let search_with = ToolSearch::new().ranker(ranker);
        let registry =
            Registry::builder().tools(tools).search(search_with).events(log.clone()).build().unwrap();
        let turn = registry.session().turn().await.unwrap();
        assert_eq!(hits(&text(&turn, search("1", "refunds")).await), ["refund_payment"]);
        let said = |event: &SessionEvent| matches!(event, SessionEvent::Degraded { reason: said } if said.contains(reason));
        assert!(log.all().iter().any(said), "{reason}");
    }
}
