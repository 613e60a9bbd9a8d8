//! Isolation: interleaved sessions over one registry behave as each would alone. And a model of what one alone does.

use std::{collections::HashSet, sync::Arc};

use proptest::prelude::*;

use super::scripts::{Script, registry, script, step};
use crate::support::{block_on, hits};

type Seen = Vec<(Vec<String>, Vec<String>)>;

async fn alone(script: &Script) -> Seen {
    let session = registry().session();
    let mut seen = Vec::new();
    for calls in script {
        seen.push(step(&session, calls).await);
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn interleaved_sessions_behave_as_each_alone(
        scripts in prop::collection::vec(script(), 2..4),
        schedule in prop::collection::vec(any::<prop::sample::Index>(), 15),
    ) {
        block_on(async {
            let registry = registry();
            let sessions: Vec<_> = scripts.iter().map(|_| registry.session()).collect();
            let mut seen: Vec<Seen> = vec![Vec::new(); scripts.len()];
            let rest = (0..scripts.len()).flat_map(|index| std::iter::repeat_n(index, 5));
            for index in schedule.iter().map(|next| next.index(scripts.len())).chain(rest) {
                if let Some(calls) = scripts[index].get(seen[index].len()) {
                    let step = step(&sessions[index], calls).await;
                    seen[index].push(step);
                }
            }
            for (script, seen) in scripts.iter().zip(&seen) {
                assert_eq!(&alone(script).await, seen);
            }
        });
    }

    #[test]
    fn sessions_on_many_threads_behave_as_each_alone(scripts in prop::collection::vec(script(), 8)) {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_time().build().unwrap();
        runtime.block_on(async {
            let registry = registry();
            let barrier = Arc::new(tokio::sync::Barrier::new(scripts.len()));
            let runs: Vec<_> = scripts
                .iter()
                .map(|script| {
                    let (session, script) = (registry.session(), script.clone());
                    let barrier = Arc::clone(&barrier);
                    tokio::spawn(async move {
                        barrier.wait().await;
                        let mut seen = Vec::new();
                        for calls in &script {
                            seen.push(step(&session, calls).await);
                            tokio::task::yield_now().await;
                        }
                        seen
                    })
                })
                .collect();
            for (script, run) in scripts.iter().zip(runs) {
                assert_eq!(alone(script).await, run.await.unwrap());
            }
        });
    }

    /// What runs is what the turn lists; what a batch finds is in the next list, in call order; nothing else changes.
    #[test]
    fn a_turn_is_the_list_and_a_batch_appends_what_it_found(script in script()) {
        block_on(async {
            let session = registry().session();
            let mut list: Vec<String> =
                ["echo", "failing", "panicking", "tool_search"].map(str::to_owned).into();
            for calls in &script {
                let (listed, texts) = step(&session, calls).await;
                assert_eq!(listed, list);
                let mut ids = HashSet::new();
                for (call, text) in calls.iter().zip(&texts) {
                    let repeated = !ids.insert(&call.id);
                    let refusal = format!("Tool '{}' is not in your current tool list.", call.name);
                    match call.name.as_str() {
                        name if !listed.iter().any(|listed| listed == name) => {
                            assert!(text.starts_with(&refusal), "{text}");
                        }
                        _ if repeated => assert_eq!(text, "duplicate call id"),
                        _ if call.arguments.to_text().contains("unknown") => {
                            assert!(text.contains("argument"), "{text}");
                        }
                        "tool_search" => {
                            for hit in hits(text) {
                                if !list.contains(&hit) {
                                    list.push(hit);
                                }
                            }
                        }
                        "failing" => assert_eq!(text, "no"),
                        "panicking" => assert_eq!(text, "The tool failed unexpectedly."),
                        name => assert_eq!(text, &format!("{name} ran")),
                    }
                }
            }
            assert_eq!(step(&session, &[]).await.0, list);
        });
    }
}
