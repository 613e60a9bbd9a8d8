//! A catalogue that changes tool by tool ranks as one that is made anew.

use std::sync::Arc;

use proptest::prelude::*;
use tool_core::{Catalog, FieldedRanker, SearchDocument};

use super::document;

const WORDS: [&str; 12] = [
    "alpha", "beta", "gamma", "delta", "edge", "image", "parcel", "refund", "weather", "file", "delete",
    "send",
];

fn made(number: usize) -> SearchDocument {
    let word = |n: usize| WORDS[n % WORDS.len()];
    let description = format!("{} {} {}.", word(number * 7), word(number / 3), word(number * 5 + 1));
    document(&format!("{}_{number}", word(number)), &description)
}

fn ranking(catalog: &Catalog, query: &str) -> Vec<(String, u32)> {
    let hits = FieldedRanker::new().search(query, catalog, 50);
    hits.iter().map(|hit| (catalog[hit.document].name.to_string(), hit.score.to_bits())).collect()
}

/// Words are remembered, the oldest forgotten: neither shows.
#[test]
fn what_was_searched_before_changes_no_ranking() {
    let documents: Vec<SearchDocument> = (0..400).map(made).collect();
    let warm = Catalog::new(documents.clone());
    let queries: Vec<String> = (0..60)
        .map(|n| format!("{} {}s number {} weathr", WORDS[n % 12], WORDS[n * 5 % 12], n * 7))
        .collect();
    let first: Vec<_> = queries.iter().map(|query| ranking(&warm, query)).collect();
    let again: Vec<_> = queries.iter().rev().map(|query| ranking(&warm, query)).collect();
    assert!(first.iter().eq(again.iter().rev()));
    for (query, first) in queries.iter().zip(&first).step_by(12) {
        assert_eq!(ranking(&Catalog::new(documents.clone()), query), *first, "{query}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_changes_rank_as_a_catalogue_made_anew(changes in prop::collection::vec((0_usize..40, any::<bool>()), 1..60)) {
        let mut documents: Vec<Arc<SearchDocument>> = (0..20).map(|n| Arc::new(made(n))).collect();
        let mut catalog = Catalog::default().changed(documents.clone());
        ranking(&catalog, "alpha");
        for (number, replaces) in changes {
            if replaces && !documents.is_empty() {
                let at = number % documents.len();
                documents[at] = Arc::new(made(number + 100));
            } else if number % 3 == 0 && !documents.is_empty() {
                documents.remove(number % documents.len());
            } else {
                documents.insert(number % (documents.len() + 1), Arc::new(made(number)));
            }
            catalog = catalog.changed(documents.clone());
        }
        let anew = Catalog::new(documents.iter().map(|document| (**document).clone()));
        for query in ["alpha beta", "images of parcels", "refunds", "wether", "delete file. send it. then the edge."] {
            prop_assert_eq!(ranking(&catalog, query), ranking(&anew, query), "{}", query);
        }
    }
}
