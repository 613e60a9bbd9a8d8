//! What errors say, and that they never say a password.

use std::{fmt::Debug, time::Duration};

use tool_core::SessionStore;
use tool_redis::{RedisStore, RedisStoreError};

use crate::{
    saved,
    server::{Server, free_port},
};

const PASSWORD: &str = "hunter2:/@";
const ENCODED: &str = "hunter2%3A%2F%40";

/// Neither the password nor its encoded form is in the texts of `value`.
fn discreet(value: &(impl Debug + ?Sized), display: &str) {
    for text in [format!("{value:?}"), format!("{value:#?}"), display.to_owned()] {
        assert!(!text.contains(PASSWORD) && !text.contains(ENCODED) && !text.contains("hunter2"), "{text}");
    }
}

#[tokio::test]
async fn nobody_listens() {
    let port = free_port();
    let error = RedisStore::connect(format!("redis://user:{ENCODED}@127.0.0.1:{port}/3")).await.unwrap_err();
    assert!(
        matches!(&error, RedisStoreError::Connect { server, .. } if *server == format!("redis://127.0.0.1:{port}/3"))
    );
    let text = error.to_string();
    assert!(text.contains("refused") && text.contains("check that it runs"), "{text}");
    discreet(&error, &text);
}

#[tokio::test]
async fn a_faulty_url() {
    let error = RedisStore::connect(format!("redis://user:{ENCODED}@127.0.0.1/chats")).await.unwrap_err();
    assert!(matches!(error, RedisStoreError::Url { .. }));
    discreet(&error, &error.to_string());
    discreet(&RedisStore::builder(format!("redis://user:{ENCODED}@127.0.0.1")), "");
}

#[tokio::test]
async fn sessions_that_expire_at_once_are_refused_before_anything_connects() {
    for duration in [Duration::ZERO, Duration::from_nanos(999_999)] {
        let error =
            RedisStore::builder("redis://127.0.0.1:1").expire_after(duration).connect().await.unwrap_err();
        assert_eq!(error, RedisStoreError::Expiry(duration));
    }
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_wrong_password_is_an_error_without_it() {
    let server = Server::start_with(&["--requirepass", "right"]);
    let with =
        |user_info: &str| RedisStore::connect(format!("redis://{user_info}127.0.0.1:{}", server.port()));

    let error = with(&format!(":{ENCODED}@")).await.unwrap_err();
    assert!(
        matches!(&error, RedisStoreError::Connect { reason, .. } if reason.contains("authentication failed")),
        "{error}"
    );
    discreet(&error, &error.to_string());

    let error = with("").await.unwrap_err();
    assert!(error.to_string().contains("NOAUTH"), "{error}");
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_server_that_repeats_the_password_in_its_error_is_not_quoted() {
    // As a server too old for it, or a proxy, would answer to the authentication.
    let renamed = ["--rename-command", "AUTH", "", "--rename-command", "HELLO", ""];
    let server = Server::start_with(&renamed);
    for protocol in ["", "?protocol=resp3"] {
        let url = format!("redis://user:{ENCODED}@127.0.0.1:{}/{protocol}", server.port());
        let error = RedisStore::connect(url).await.unwrap_err();
        assert!(matches!(error, RedisStoreError::Connect { .. }), "{error}");
        discreet(&error, &error.to_string());
    }
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn no_text_of_a_store_or_its_errors_has_the_password() {
    let mut server = Server::start_with(&["--requirepass", PASSWORD]);
    let url = format!("redis://:{ENCODED}@127.0.0.1:{}", server.port());
    let store = RedisStore::builder(&url).timeout(Duration::from_secs(2)).connect().await.unwrap();
    discreet(&store, "");
    saved(store.save("chat", b"first", None).await.unwrap());

    server.pause();
    let error = store.load("chat").await.unwrap_err();
    discreet(&error, &error.to_string());
    server.go_on();
    server.kill();
    let error = store.load("chat").await.unwrap_err();
    discreet(&error, &error.to_string());
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_key_of_somebody_else_is_an_error_that_names_it() {
    let server = Server::start();
    let store = server.store().await;
    server.command::<()>(&["SET", "tool-core:session:text", "hello"]).await;
    server.command::<()>(&["HSET", "tool-core:session:hash", "name", "hello"]).await;
    server.command::<()>(&["HSET", "tool-core:session:half", "version", "1"]).await;
    for key in ["text", "hash", "half"] {
        let saved = store.save(key, b"first", None).await.unwrap_err();
        let text = saved.to_string();
        assert!(text.contains(&format!("`tool-core:session:{key}` on {}", server.url())), "{text}");
        assert!(text.contains("set another prefix"), "{text}");
    }
    for key in ["text", "half"] {
        let text = store.load(key).await.unwrap_err().to_string();
        assert!(text.contains(&format!("`tool-core:session:{key}`")), "{text}");
    }
    assert_eq!(server.command::<String>(&["GET", "tool-core:session:text"]).await, "hello");
    assert_eq!(server.command::<usize>(&["HLEN", "tool-core:session:hash"]).await, 1);
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_server_without_memory_refuses_saves_and_keeps_what_it_has() {
    let server = Server::start();
    let store = server.store().await;
    let first = saved(store.save("chat", b"first", None).await.unwrap());
    server.command::<()>(&["CONFIG", "SET", "maxmemory", "1"]).await;

    let text = store.save("chat", b"second", Some(&first)).await.unwrap_err().to_string();
    assert!(text.contains("OOM") && text.contains("more memory"), "{text}");
    assert_eq!(store.load("chat").await.unwrap().unwrap().bytes, b"first");
    server.command::<()>(&["CONFIG", "SET", "maxmemory", "0"]).await;
    saved(store.save("chat", b"second", Some(&first)).await.unwrap());
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_replica_refuses_saves_and_says_why() {
    let server = Server::start();
    let store = server.store().await;
    server.command::<()>(&["REPLICAOF", "127.0.0.1", "1"]).await;
    let text = store.save("chat", b"first", None).await.unwrap_err().to_string();
    assert!(text.contains("READONLY") && text.contains("name the primary"), "{text}");
    server.command::<()>(&["REPLICAOF", "NO", "ONE"]).await;
    saved(store.save("chat", b"first", None).await.unwrap());
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_user_without_rights_is_told_which_are_needed() {
    let server = Server::start();
    server
        .command::<()>(&["ACL", "SETUSER", "chat", "on", ">pass", "~tool-core:session:*", "+ping", "+hmget"])
        .await;
    let store = RedisStore::connect(format!("redis://chat:pass@127.0.0.1:{}", server.port())).await.unwrap();
    let text = store.save("chat", b"first", None).await.unwrap_err().to_string();
    assert!(text.contains("NOPERM") && text.contains("EVALSHA"), "{text}");

    let rights = ["+evalsha", "+script|load", "+hget", "+hset", "+exists", "+persist", "+pexpire", "+del"];
    let words: Vec<_> = ["ACL", "SETUSER", "chat"].into_iter().chain(rights).collect();
    server.command::<()>(&words).await;
    let version = saved(store.save("chat", b"first", None).await.unwrap());
    saved(store.save("chat", b"second", Some(&version)).await.unwrap());
    store.load("chat").await.unwrap();
    store.delete("chat").await.unwrap();
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_node_of_a_cluster_keeps_the_sessions_of_its_slots_and_says_what_to_do_about_the_others() {
    let bus = free_port().to_string();
    let server = Server::start_with(&["--cluster-enabled", "yes", "--cluster-port", &bus]);
    server.command::<()>(&["CONFIG", "SET", "cluster-require-full-coverage", "no"]).await;
    let store = server.store().await;
    let text = store.save("chat", b"first", None).await.unwrap_err().to_string();
    assert!(text.contains("CLUSTERDOWN") && text.contains("name a proxy"), "{text}");

    server.command::<()>(&["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]).await;
    while !server.command::<String>(&["CLUSTER", "INFO"]).await.contains("cluster_state:ok") {}
    let version = saved(store.save("{a}chat", b"first", None).await.unwrap());
    saved(store.save("{a}chat", b"second", Some(&version)).await.unwrap());
    assert_eq!(store.load("{a}chat").await.unwrap().unwrap().bytes, b"second");
    store.delete("{a}chat").await.unwrap();
}
