//! Never a dead end: a registry builds only where each hidden tool can be found, and then it can be.

use proptest::prelude::*;
use tool_core::{BuildError, Registry, ToolContext, ToolKind, ToolPattern};

use crate::support::{Runs, block_on, builder, hits, search, text};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn what_builds_can_be_found_and_what_cannot_be_found_does_not_build(
        loading in prop::collection::vec(any::<bool>(), 0..5),
        with_search in any::<bool>(),
        denied in prop::collection::vec(any::<bool>(), 5),
        search_denied in any::<bool>(),
        own_discovery in any::<bool>(),
        above in 0usize..4,
    ) {
        let runs = Runs::default();
        let tools = loading.iter().enumerate().map(|(number, deferred)| {
            let name = format!("tool_{number}");
            if *deferred { runs.hidden(&name, "X.") } else { runs.eager(&name) }
        });
        let mut registry = Registry::builder().tools(tools);
        for (number, _) in denied.iter().enumerate().filter(|(_, denied)| **denied) {
            registry = registry.deny([ToolPattern::new(format!("tool_{number}")).unwrap()]);
        }
        if search_denied {
            registry = registry.deny([ToolPattern::new("tool_search").unwrap()]);
        }
        if own_discovery {
            let own = builder("own", "Own.").kind(ToolKind::Discovery);
            registry = registry.tool(own.handler(async |(): (), _: ToolContext| ""));
        }
        registry = if with_search {
            registry.search(tool_core::ToolSearch::new().above(above))
        } else {
            registry.without_search()
        };
        let deferred: Vec<_> =
            (0..loading.len()).filter(|number| loading[*number] && !denied[*number]).collect();
        let hidden = if with_search && deferred.len() < above { Vec::new() } else { deferred };
        let can_be_found = own_discovery || (with_search && !search_denied);
        match registry.build() {
            Ok(registry) => {
                prop_assert!(hidden.is_empty() || can_be_found);
                if with_search && !search_denied {
                    block_on(async {
                        for number in hidden {
                            let session = registry.session();
                            let name = format!("tool_{number}");
                            let found = text(&session.turn().await.unwrap(), search("1", &name)).await;
                            assert_eq!(hits(&found)[0], name);
                            assert!(session.revealed().iter().any(|revealed| *revealed == name.as_str()));
                        }
                    });
                }
            }
            Err(errors) => {
                prop_assert!(!can_be_found);
                let stranded: Vec<_> = errors
                    .errors()
                    .iter()
                    .map(|error| match error {
                        BuildError::Undiscoverable { tool, .. } => tool.to_string(),
                        other => panic!("{other}"),
                    })
                    .collect();
                prop_assert_eq!(stranded, hidden.iter().map(|number| format!("tool_{number}")).collect::<Vec<_>>());
            }
        }
    }
}
