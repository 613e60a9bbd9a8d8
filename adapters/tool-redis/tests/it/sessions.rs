//! What is kept, compared and forgotten.

use std::{collections::HashSet, time::Duration};

use tool_core::{SessionStore, StoreVersion};

use crate::{conflict, saved, server::Server};

const HOUR: Duration = Duration::from_secs(60 * 60);

#[tokio::test]
#[ignore = "needs redis-server"]
async fn what_is_saved_is_loaded() {
    let server = Server::start();
    let store = server.store().await;
    assert_eq!(store.load("chat").await.unwrap(), None);

    let bytes: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
    let version = saved(store.save("chat", &bytes, None).await.unwrap());
    let stored = store.load("chat").await.unwrap().unwrap();
    assert!(stored.bytes == bytes && stored.version == version);

    let empty = saved(store.save("chat", b"", Some(&version)).await.unwrap());
    let stored = server.store().await.load("chat").await.unwrap().unwrap();
    assert!(stored.bytes.is_empty() && stored.version == empty);
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_save_over_another_version_writes_nothing_and_tells_what_is_there() {
    let server = Server::start();
    let (store, other) = (server.store().await, server.store().await);
    let first = saved(store.save("chat", b"first", None).await.unwrap());

    let current = conflict(other.save("chat", b"not expected", None).await.unwrap()).unwrap();
    assert_eq!((current.bytes.as_slice(), &current.version), (b"first".as_slice(), &first));

    let second = saved(other.save("chat", b"second", Some(&first)).await.unwrap());
    let current = conflict(store.save("chat", b"over the first", Some(&first)).await.unwrap()).unwrap();
    assert_eq!((current.bytes.as_slice(), &current.version), (b"second".as_slice(), &second));
    assert_eq!(store.load("chat").await.unwrap().unwrap(), current);
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_save_over_a_deleted_session_writes_nothing() {
    let server = Server::start();
    let store = server.store().await;
    let version = saved(store.save("chat", b"first", None).await.unwrap());
    store.delete("chat").await.unwrap();
    store.delete("chat").await.unwrap();

    assert_eq!(conflict(store.save("chat", b"second", Some(&version)).await.unwrap()), None);
    assert_eq!(store.load("chat").await.unwrap(), None);
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn no_version_comes_twice_not_even_after_a_delete() {
    let server = Server::start();
    let (store, other) = (server.store().await, server.store().await);
    let mut versions = HashSet::new();
    for store in [&store, &other, &store] {
        let first = saved(store.save("chat", b"same", None).await.unwrap());
        let second = saved(store.save("chat", b"same", Some(&first)).await.unwrap());
        assert!(versions.insert(first) && versions.insert(second));
        store.delete("chat").await.unwrap();
    }
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn of_many_saves_over_one_version_one_is_written() {
    let server = Server::start();
    let (store, other) = (server.store().await, server.store().await);
    let version = saved(store.save("chat", b"", None).await.unwrap());
    let mut saves = tokio::task::JoinSet::new();
    let stores = [std::sync::Arc::new(store), std::sync::Arc::new(other)];
    for number in 0..100_u8 {
        let (store, version) = (stores[usize::from(number % 2)].clone(), version.clone());
        saves.spawn(async move { store.save("chat", &[number], Some(&version)).await.unwrap() });
    }
    let outcomes = saves.join_all().await;
    let written = outcomes.iter().filter(|outcome| matches!(outcome, tool_core::SaveOutcome::Saved(_)));
    assert_eq!(written.count(), 1);
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn any_text_is_a_key_of_its_own() {
    let server = Server::start();
    let store = server.builder().prefix("p:").connect().await.unwrap();
    let keys = [
        "",
        " ",
        "a",
        "A",
        "a:b",
        "a%3Ab",
        "*",
        "?",
        "[a]",
        "{a}b",
        "{a}c",
        "../a",
        "a/b",
        "a\r\nDEL a",
        "a\0b",
        "é",
        "e\u{301}",
        "\u{202e}a",
        "🙂",
        "p:a",
    ];
    let long = ["x".repeat(100_000), format!("{}y", "x".repeat(100_000))];
    let keys: Vec<&str> = keys.into_iter().chain(long.iter().map(String::as_str)).collect();
    for key in &keys {
        saved(store.save(key, key.as_bytes(), None).await.unwrap());
    }
    for key in &keys {
        assert_eq!(store.load(key).await.unwrap().unwrap().bytes, key.as_bytes(), "{key:?}");
    }
    let in_redis: Vec<String> = server.command(&["KEYS", "*"]).await;
    assert_eq!(in_redis.len(), keys.len());
    for key in &in_redis {
        let own = key.strip_prefix("p:").unwrap();
        assert!(own.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~%".contains(&byte)), "{own}");
    }
    // Only what was asked for goes.
    store.delete("*").await.unwrap();
    store.delete("{a}b").await.unwrap();
    assert_eq!(server.command::<usize>(&["DBSIZE"]).await, keys.len() - 2);
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn stores_of_other_prefixes_and_databases_are_apart() {
    let server = Server::start();
    let store = server.store().await;
    saved(store.save("chat", b"here", None).await.unwrap());
    let other_prefix = server.builder().prefix("other:").connect().await.unwrap();
    assert_eq!(other_prefix.load("chat").await.unwrap(), None);
    let other_database = tool_redis::RedisStore::connect(format!("{}/1", server.url())).await.unwrap();
    assert_eq!(other_database.load("chat").await.unwrap(), None);
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_session_expires_after_its_last_save() {
    let server = Server::start();
    let store = server.builder().expire_after(HOUR).connect().await.unwrap();
    let key = "tool-core:session:chat";
    let left = async || server.command::<i64>(&["PTTL", key]).await;

    let first = saved(store.save("chat", b"first", None).await.unwrap());
    assert!((1..=3_600_000).contains(&left().await));

    // Most of the hour is over: a save starts it again, a load or a conflict does not.
    server.command::<()>(&["PEXPIRE", key, "100000"]).await;
    store.load("chat").await.unwrap();
    conflict(store.save("chat", b"conflict", None).await.unwrap());
    assert!(left().await <= 100_000);
    let second = saved(store.save("chat", b"second", Some(&first)).await.unwrap());
    assert!(left().await > 100_000);

    // A store without expiry keeps for ever what it saves.
    saved(server.store().await.save("chat", b"third", Some(&second)).await.unwrap());
    assert_eq!(left().await, -1);
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn an_expired_session_is_gone_and_its_key_starts_empty() {
    let server = Server::start();
    let store = server.builder().expire_after(Duration::from_millis(1)).connect().await.unwrap();
    let first = saved(store.save("chat", b"first", None).await.unwrap());
    while store.load("chat").await.unwrap().is_some() {}

    assert_eq!(conflict(store.save("chat", b"over the first", Some(&first)).await.unwrap()), None);
    let second = saved(store.save("chat", b"second", None).await.unwrap());
    assert_ne!(first, second);
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn the_longest_expiry_is_accepted() {
    let server = Server::start();
    let store = server.builder().expire_after(Duration::MAX).connect().await.unwrap();
    saved(store.save("chat", b"first", None).await.unwrap());
    assert!(store.load("chat").await.unwrap().is_some());
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_version_of_another_store_is_a_conflict() {
    let server = Server::start();
    let store = server.store().await;
    let foreign = StoreVersion::new("7");
    assert_eq!(conflict(store.save("chat", b"first", Some(&foreign)).await.unwrap()), None);
    saved(store.save("chat", b"first", None).await.unwrap());
    assert!(conflict(store.save("chat", b"second", Some(&foreign)).await.unwrap()).is_some());
}
