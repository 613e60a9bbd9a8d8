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
    let tools = catalog(&[("feline_care", "Grooming."), ("dog_walk", "Outside."), ("cats", "Names.")]);
    for _ in 0..2 {
        let found = ranker.rank("a cat", &tools).await.unwrap();
        let names: Vec<_> = found.iter().map(|hit| tools[hit.document].name.as_str()).collect();
        assert_eq!(names, ["cats", "feline_care", "dog_walk"]);
    }
    let changed = tools.changed(tools.iter().take(2).cloned().collect());
    ranker.rank("a cat", &changed).await.unwrap();
    let asked = asked.lock().unwrap();
    assert_eq!(asked.iter().filter(|text| text.starts_with("feline")).count(), 1);
    assert_eq!(asked.len(), 3 + 3, "three documents and three queries");
}

#[tokio::test]
async fn words_answer_when_the_embedding_fails() {
    let refused = |_| async { Err(RankerError::new("503")) };
    let short = |_| async { Ok(Vec::new()) };
    for (ranker, reason) in
        [(HybridRanker::new(refused), "503"), (HybridRanker::new(short), "embedded to 0 vectors")]
    {
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
