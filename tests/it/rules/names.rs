//! One name, and no dead end: what a search returns is what is revealed, listed and callable.

use proptest::prelude::*;
use tool_core::{Registry, Toolset};

use crate::support::{Runs, block_on, call, hits, names, revealed, search, text};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_name_that_a_search_returns_is_listed_and_called_as_it_is(
        prefixes in prop::collection::hash_set("[a-z]{1,8}", 1..4),
        bare in prop::collection::hash_set("[A-Za-z_]{0,2}[A-Za-z][A-Za-z0-9_-]{0,28}", 1..5),
        by_bare_name in any::<bool>(),
    ) {
        let runs = Runs::default();
        let toolsets = prefixes.iter().map(|prefix| {
            let tools = bare.iter().map(|name| runs.hidden(name, "X."));
            Toolset::new(prefix.clone()).prefix(prefix.clone()).tools(tools)
        });
        let builder = toolsets.fold(Registry::builder(), tool_core::RegistryBuilder::toolset);
        let Ok(registry) = builder.build() else {
            // Two prefixes can make one name of two.
            return Err(TestCaseError::reject("a clash"));
        };
        block_on(async {
            for prefix in &prefixes {
                for name in &bare {
                    let full = format!("{prefix}_{name}");
                    let session = registry.session();
                    let query = if by_bare_name { name } else { &full };
                    let found = hits(&text(&session.turn().await.unwrap(), search("1", query)).await);
                    assert!(found.contains(&full), "{query} finds {found:?}");
                    assert_eq!(revealed(&session), found);
                    let turn = session.turn().await.unwrap();
                    assert_eq!(names(&turn)[1..], found);
                    for hit in &found {
                        assert_eq!(text(&turn, call("2", hit)).await, format!("{hit} ran"));
                    }
                    let own = text(&turn, call("3", name)).await;
                    if !found.contains(name) {
                        assert!(own.contains("is not in your current tool list"), "{own}");
                    }
                }
            }
        });
    }

    /// Every name that is printed finds its tool when it is sent back.
    #[test]
    fn names_of_a_result_can_be_pasted_into_a_query(
        tools in prop::collection::hash_set("[A-Za-z_]{0,2}[A-Za-z][A-Za-z0-9_-]{0,18}", 1..12),
        top_k in 1i64..6,
    ) {
        let registry = Registry::builder()
            .tools(tools.iter().map(|name| Runs::default().hidden(name, "Common word.")))
            .build()
            .unwrap();
        block_on(async {
            let session = registry.session();
            let arguments = serde_json::json!({"query": "common", "top_k": top_k});
            let turn = session.turn().await.unwrap();
            let found =
                hits(&text(&turn, crate::support::call_with("1", "tool_search", arguments)).await);
            let pasted = hits(&text(&turn, search("2", &found.join(", "))).await);
            for name in &found {
                assert!(pasted.contains(name), "{name} of {found:?} is not in {pasted:?}");
            }
            for name in &tools {
                assert_eq!(hits(&text(&turn, search("3", name)).await)[0], *name);
            }
        });
    }
}
