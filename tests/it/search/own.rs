//! A session with tools of its own.

use std::sync::{Arc, Mutex};

use tool_core::{Catalog, RankFuture, Ranked, Ranker, Registry, SearchDocument, ToolSearch, Toolset};

use crate::support::{hidden, hits, search, text};

/// Finds everything, and keeps the documents that it was asked about.
struct Keeping(Arc<Mutex<Vec<Vec<Arc<SearchDocument>>>>>);

impl Ranker for Keeping {
    fn rank<'a>(&'a self, _: &'a str, catalog: &'a Catalog) -> RankFuture<'a> {
        self.0.lock().unwrap().push(catalog.to_vec());
        Box::pin(async { Ok((0..catalog.len()).map(|document| Ranked::new(document, 1.0)).collect()) })
    }
}

#[tokio::test]
async fn its_tools_are_indexed_once_for_each_change() {
    let asked = Arc::default();
    let search_with = ToolSearch::new().ranker(Keeping(Arc::clone(&asked)));
    let registry = Registry::builder().tool(hidden("alpha", "A.")).search(search_with).build().unwrap();
    let session = registry.session();
    session.add(Toolset::new("own").tool(hidden("beta", "B.")));
    for query in ["one", "two"] {
        let turn = session.turn().await.unwrap();
        assert_eq!(hits(&text(&turn, search("1", query)).await), ["alpha", "beta"]);
    }
    session.add(Toolset::new("more").tool(hidden("gamma", "C.")));
    let turn = session.turn().await.unwrap();
    assert_eq!(hits(&text(&turn, search("1", "three")).await), ["alpha", "gamma", "beta"]);
    let other = registry.session().turn().await.unwrap();
    assert_eq!(hits(&text(&other, search("1", "four")).await), ["alpha"]);
    let asked = asked.lock().unwrap();
    assert!(Arc::ptr_eq(&asked[0][1], &asked[1][1]), "made again for the second search");
    let lengths: Vec<usize> = asked.iter().map(Vec::len).collect();
    assert_eq!(lengths, [2, 2, 3, 1]);
}
