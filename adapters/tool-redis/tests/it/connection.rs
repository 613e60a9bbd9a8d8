//! Servers that end, start again, forget, or stop answering.

use std::{future::Future, time::Duration};

use tool_core::{SessionStore, StoreError};
use tool_redis::RedisStore;

use crate::{conflict, proxy::Proxy, saved, server::Server};

/// Fails a test that would hang.
async fn ends<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("the operation does not end")
}

fn text<T: std::fmt::Debug>(result: Result<T, StoreError>) -> String {
    result.unwrap_err().to_string()
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn while_the_server_is_gone_operations_fail_and_after_it_they_go_on() {
    let mut server = Server::start();
    let store = server.store().await;
    let first = saved(store.save("chat", b"first", None).await.unwrap());

    server.kill();
    for error in [
        text(ends(store.save("chat", b"lost", Some(&first))).await),
        text(ends(store.load("chat")).await),
        text(ends(store.delete("chat")).await),
    ] {
        assert!(error.contains(&format!("cannot connect to {}", server.url())), "{error}");
    }

    server.restart();
    // The first operation works, and what was acknowledged is there.
    let stored = store.load("chat").await.unwrap().unwrap();
    assert_eq!((stored.bytes.as_slice(), &stored.version), (b"first".as_slice(), &first));
    saved(store.save("chat", b"second", Some(&first)).await.unwrap());
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_restart_in_between_is_not_noticed() {
    let mut server = Server::start();
    let store = server.store().await;
    let first = saved(store.save("chat", b"first", None).await.unwrap());
    server.kill();
    server.restart();
    saved(store.save("chat", b"second", Some(&first)).await.unwrap());
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_connection_that_the_server_closes_is_made_again() {
    let server = Server::start();
    let store = server.store().await;
    let first = saved(store.save("chat", b"first", None).await.unwrap());
    server.command::<usize>(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]).await;
    saved(store.save("chat", b"second", Some(&first)).await.unwrap());
    // Between operations that share it, too.
    let loads = (0..100).map(|_| store.load("chat"));
    server.command::<usize>(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]).await;
    for load in loads {
        assert_eq!(load.await.unwrap().unwrap().bytes, b"second");
    }
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_save_whose_answer_is_lost_is_written_once() {
    let server = Server::start();
    let proxy = Proxy::before(&server).await;
    let store = RedisStore::connect(proxy.url()).await.unwrap();
    let first = saved(store.save("chat", b"first", None).await.unwrap());

    proxy.lose_next_answer();
    let second = saved(store.save("chat", b"second", Some(&first)).await.unwrap());
    assert!(proxy.has_lost());
    let stored = server.store().await.load("chat").await.unwrap().unwrap();
    assert_eq!((stored.bytes.as_slice(), &stored.version), (b"second".as_slice(), &second));
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_conflict_whose_answer_is_lost_is_a_conflict() {
    let server = Server::start();
    let proxy = Proxy::before(&server).await;
    let store = RedisStore::connect(proxy.url()).await.unwrap();
    saved(server.store().await.save("chat", b"first", None).await.unwrap());

    proxy.lose_next_answer();
    assert_eq!(conflict(store.save("chat", b"second", None).await.unwrap()).unwrap().bytes, b"first");
    assert!(proxy.has_lost());
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_server_that_forgot_the_script_is_sent_it_again() {
    let server = Server::start();
    let store = server.store().await;
    let first = saved(store.save("chat", b"first", None).await.unwrap());
    server.command::<()>(&["SCRIPT", "FLUSH"]).await;
    saved(store.save("chat", b"second", Some(&first)).await.unwrap());
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_stopped_server_costs_the_time_out_and_no_more() {
    let server = Server::start();
    // Enough for a healthy server, on a busy machine too.
    let builder = || RedisStore::builder(server.url()).timeout(Duration::from_secs(2));
    let store = builder().connect().await.unwrap();
    let first = saved(store.save("chat", b"first", None).await.unwrap());

    server.pause();
    // New connections are taken by the system and answered by nobody.
    let (load, save, connect) = ends(async {
        tokio::join!(store.load("chat"), store.save("chat", b"late", Some(&first)), builder().connect())
    })
    .await;
    for error in [text(load), text(save), connect.unwrap_err().to_string()] {
        assert!(error.contains(&format!("{}/0 did not answer within 2s", server.url())), "{error}");
    }

    server.go_on();
    // Whether the save came through is not known; that it may is why it is an error.
    let stored = server.store().await.load("chat").await.unwrap().unwrap();
    assert!([b"first".as_slice(), b"late"].contains(&stored.bytes.as_slice()));
    saved(store.save("chat", b"second", Some(&stored.version)).await.unwrap());
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_dropped_operation_leaves_the_store_usable() {
    let server = Server::start();
    let store = server.store().await;
    let first = saved(store.save("chat", b"first", None).await.unwrap());
    server.pause();
    let dropped = tokio::time::timeout(Duration::from_millis(1), store.load("chat")).await;
    assert!(dropped.is_err());
    server.go_on();
    saved(store.save("chat", b"second", Some(&first)).await.unwrap());
}

#[test]
#[ignore = "needs redis-server"]
fn a_store_outlives_the_runtime_it_was_made_in() {
    let server = Server::start();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let store = runtime().block_on(server.store());
    let first = runtime().block_on(store.save("chat", b"first", None)).unwrap();
    let first = saved(first);
    saved(runtime().block_on(store.save("chat", b"second", Some(&first))).unwrap());
}
