//! A dropped batch commits nothing, wherever it was dropped, and cancels its calls.

use std::{
    sync::{Arc, Mutex},
    task::Poll,
};

use tool_core::{CancellationToken, FunctionTool, Registry, ToolContext, ToolKind};

use super::batches::World;
use crate::support::{builder, bytes, call, hidden, permutations, poll_once, search};

/// Ready at the poll after this many others.
async fn yields(times: usize) {
    for _ in 0..times {
        let mut yielded = false;
        std::future::poll_fn(|task| {
            task.waker().wake_by_ref();
            if std::mem::replace(&mut yielded, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }
}

fn revealing(name: &'static str, hidden: &'static str) -> FunctionTool {
    builder(name, "Reveals.").kind(ToolKind::Discovery).handler(
        move |(): (), context: ToolContext| async move {
            yields(2).await;
            context.operations().unwrap().reveal(hidden);
            yields(2).await;
        },
    )
}

#[tokio::test]
async fn a_batch_dropped_at_any_await_point_commits_nothing() {
    let slow = builder("slow", "Takes a while.").handler(|(): (), _: ToolContext| yields(10));
    let registry = Registry::builder()
        .tools([revealing("show_one", "one"), revealing("show_two", "two"), slow])
        .tools([hidden("one", "X."), hidden("two", "X.")])
        .build()
        .unwrap();
    let calls = [call("1", "show_one"), call("2", "slow"), call("3", "show_two")];
    for calls in permutations(&calls) {
        let mut polls = 0;
        loop {
            let session = registry.session();
            let before = bytes(&session.turn().await.unwrap());
            let turn = session.turn().await.unwrap();
            let mut batch = Box::pin(turn.call_all(calls.clone()));
            let mut ended = false;
            for _ in 0..polls {
                ended = poll_once(&mut batch).await.is_some();
            }
            drop(batch);
            if ended {
                assert_eq!(session.revealed().len(), 2);
                break;
            }
            assert!(session.revealed().is_empty(), "dropped after {polls} polls");
            assert_eq!(bytes(&session.turn().await.unwrap()), before);
            polls += 1;
        }
        assert!(polls > 8, "the batch ended after {polls} polls: nothing was tried");
    }
}

#[tokio::test]
async fn a_batch_dropped_after_any_of_its_calls_finished_commits_nothing() {
    const GATES: [&str; 3] = ["find alpha", "find beta", "w"];
    let calls = [search("s", "find alpha"), search("t", "find beta"), call("w", "works")];
    for order in permutations(&GATES) {
        for finished in 0..GATES.len() {
            let world = World::new();
            let session = world.registry.session();
            let turn = session.turn().await.unwrap();
            let mut batch = Box::pin(tokio::task::unconstrained(turn.call_all(calls.clone())));
            for gate in &order[..finished] {
                assert!(poll_once(&mut batch).await.is_none());
                world.gates.open(gate);
            }
            assert!(poll_once(&mut batch).await.is_none());
            drop(batch);
            assert!(session.revealed().is_empty(), "{finished} of {order:?}");
            // The session is as before: the same calls can be made again.
            for gate in GATES {
                world.gates.open(gate);
            }
            session.turn().await.unwrap().call_all(calls.clone()).await;
            assert_eq!(session.revealed(), ["alpha", "beta"]);
        }
    }
}

#[tokio::test]
async fn dropping_cancels_the_calls_that_still_run() {
    let tokens: Arc<Mutex<Vec<CancellationToken>>> = Arc::default();
    let keep = |context: &ToolContext, tokens: &Mutex<Vec<CancellationToken>>| {
        tokens.lock().unwrap().push(context.cancellation().clone());
    };
    let endless = {
        let tokens = Arc::clone(&tokens);
        builder("endless", "Never ends.").handler(move |(): (), context: ToolContext| {
            keep(&context, &tokens);
            std::future::pending::<()>()
        })
    };
    let quick = {
        let tokens = Arc::clone(&tokens);
        builder("quick", "Ends.").handler(move |(): (), context: ToolContext| {
            keep(&context, &tokens);
            std::future::ready(())
        })
    };
    let registry = Registry::builder().tools([endless, quick]).build().unwrap();
    for calls in [vec![call("1", "endless")], vec![call("1", "endless"), call("2", "quick")]] {
        tokens.lock().unwrap().clear();
        let turn = registry.session().turn().await.unwrap();
        let mut batch = Box::pin(turn.call_all(calls));
        assert!(poll_once(&mut batch).await.is_none());
        let tokens = tokens.lock().unwrap().clone();
        assert!(tokens.iter().all(|token| !token.is_cancelled()));
        drop(batch);
        assert!(tokens[0].is_cancelled());
        if let Some(ended) = tokens.get(1) {
            assert!(!ended.is_cancelled(), "a call that ended is not cancelled");
        }
    }
}

#[tokio::test]
async fn a_dropped_host_call_of_a_discovery_tool_commits_nothing() {
    let registry =
        Registry::builder().tools([revealing("show", "one"), hidden("one", "X.")]).build().unwrap();
    for polls in 0..4 {
        let session = registry.session();
        let mut call = Box::pin(session.call("show", "{}"));
        for _ in 0..polls {
            assert!(poll_once(&mut call).await.is_none());
        }
        drop(call);
        assert!(session.revealed().is_empty());
    }
    let session = registry.session();
    session.call("show", "{}").await.unwrap();
    assert_eq!(session.revealed(), ["one"]);
}

#[tokio::test]
async fn a_blocking_body_runs_to_its_end_and_sees_the_cancellation() {
    let (started, has_started) = std::sync::mpsc::channel();
    let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
    let (ended, has_ended) = std::sync::mpsc::channel();
    let channels = Mutex::new((started, may_go_on, ended));
    let tool = builder("block", "Blocks.").blocking(move |(): (), context: ToolContext| {
        let (started, may_go_on, ended) = &*channels.lock().unwrap();
        started.send(()).unwrap();
        may_go_on.recv().unwrap();
        ended.send(context.cancellation().is_cancelled()).unwrap();
    });
    let registry = Registry::builder().tool(tool).build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    let mut batch = Box::pin(turn.call_all([call("1", "block")]));
    assert!(poll_once(&mut batch).await.is_none());
    has_started.recv().unwrap();
    drop(batch);
    go_on.send(()).unwrap();
    assert!(has_ended.recv().unwrap(), "the body knows that nobody waits");
}
