//! Sessions over one registry do not see each other.

use std::sync::Arc;

use tokio::sync::Barrier;
use tool_core::{Registry, Session};

use crate::support::{call, eager, hidden, hits, names, search, text};

fn registry(tools: usize) -> Registry {
    let hidden = (0..tools).map(|number| hidden(&format!("job_{number}"), &format!("Runs w{number}w.")));
    Registry::builder().tools(hidden).tool(eager("echo")).build().unwrap()
}

/// Searches for one tool, meets the others, and looks at its list.
async fn run(session: Session, number: usize, barrier: Arc<Barrier>) {
    let own = format!("job_{number}");
    let first = session.turn().await.unwrap();
    assert_eq!(names(&first), ["echo", "tool_search"], "a new conversation starts hidden");
    barrier.wait().await;
    let found = text(&first, search("1", &format!("w{number}w"))).await;
    assert_eq!(hits(&found), [own.as_str()]);
    barrier.wait().await;
    let second = session.turn().await.unwrap();
    assert_eq!(names(&second), ["echo", "tool_search", own.as_str()]);
    assert_eq!(text(&second, call("2", &own)).await, format!("{own} ran"));
    let other = format!("job_{}", number + 1);
    assert!(text(&second, call("3", &other)).await.contains("not in your current tool list"));
    barrier.wait().await;
    assert_eq!(session.revealed(), [own.as_str()], "a continued one keeps its reveals");
}

async fn concurrent(sessions: usize) {
    let registry = registry(sessions);
    let barrier = Arc::new(Barrier::new(sessions));
    let runs: Vec<_> = (0..sessions)
        .map(|number| tokio::spawn(run(registry.session(), number, Arc::clone(&barrier))))
        .collect();
    for run in runs {
        run.await.unwrap();
    }
    assert_eq!(names(&registry.session().turn().await.unwrap()), ["echo", "tool_search"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_concurrent_sessions_see_only_their_own_reveals() {
    concurrent(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_concurrent_sessions_see_only_their_own_reveals() {
    concurrent(200).await;
}

#[tokio::test]
async fn a_turn_used_on_another_thread_is_the_same() {
    let registry = registry(1);
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    let listed = std::thread::spawn(move || names(&turn)).join().unwrap();
    assert_eq!(listed, ["echo", "tool_search"]);
}

#[test]
fn what_is_shared_can_cross_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Registry>();
    shared::<Session>();
    shared::<tool_core::Turn>();
    shared::<tool_core::ToolContext>();
}
