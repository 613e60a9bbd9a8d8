use std::{collections::HashSet, fs, path::PathBuf};

use proptest::prelude::*;

use super::{name, record, *};

/// A folder of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        Self(std::env::temp_dir().join(format!("tool-core-{}", uuid::Uuid::new_v4())))
    }

    fn store(&self) -> FileStore {
        FileStore::new(&self.0)
    }

    fn path(&self, key: &str, ending: &str) -> PathBuf {
        self.0.join(format!("{}.{ending}", name::of(key)))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

async fn saved(store: &FileStore, key: &str, bytes: &[u8], expected: Option<&StoreVersion>) -> StoreVersion {
    match store.save(key, bytes, expected).await.unwrap() {
        SaveOutcome::Saved(version) => version,
        SaveOutcome::Conflict(current) => panic!("conflict: {current:?}"),
    }
}

async fn bytes(store: &FileStore, key: &str) -> Option<Vec<u8>> {
    store.load(key).await.unwrap().map(|stored| stored.bytes)
}

#[tokio::test]
async fn a_save_over_another_version_is_a_conflict_that_gives_what_is_there() {
    let folder = Folder::new();
    let store = folder.store();
    assert_eq!(bytes(&store, "k").await, None);
    let first = saved(&store, "k", b"one", None).await;
    let second = saved(&store, "k", b"two", Some(&first)).await;
    for expected in [None, Some(&first)] {
        let SaveOutcome::Conflict(Some(current)) = store.save("k", b"three", expected).await.unwrap() else {
            panic!("no conflict");
        };
        assert_eq!((&*current.bytes, &current.version), (&b"two"[..], &second));
    }
    store.delete("k").await.unwrap();
    assert!(matches!(store.save("k", b"x", Some(&second)).await.unwrap(), SaveOutcome::Conflict(None)));
    let third = saved(&store, "k", b"again", None).await;
    assert!(![first, second].contains(&third), "no version comes twice");
}

#[tokio::test]
async fn whatever_part_of_a_file_was_written_the_old_session_is_read() {
    let folder = Folder::new();
    let store = folder.store();
    let version = saved(&store, "k", b"old\nlines", None).await;
    let new = record::write(&record::Header::new("k"), b"new\nlines").unwrap();
    for written in 0..=new.len() {
        fs::write(folder.path("k", "writing"), &new[..written]).unwrap();
        assert_eq!(bytes(&folder.store(), "k").await.unwrap(), b"old\nlines", "{written}");
    }
    // The next writer is not disturbed by it, and leaves nothing.
    saved(&store, "k", b"new", Some(&version)).await;
    assert_eq!(bytes(&store, "k").await.unwrap(), b"new");
    assert!(!folder.path("k", "writing").exists());
}

#[tokio::test]
async fn a_file_that_is_not_whole_is_an_error_and_never_read_as_another_session() {
    let folder = Folder::new();
    let store = folder.store();
    saved(&store, "k", br#"{"version":1}"#, None).await;
    let path = folder.path("k", "session");
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let error = store.load("k").await.unwrap_err().to_string();
        assert!(error.contains("is damaged") && error.contains(&path.display().to_string()), "{error}");
        let mut changed = whole.clone();
        changed[length] ^= 1;
        fs::write(&path, changed).unwrap();
        assert!(store.load("k").await.is_err(), "{length}");
        assert!(store.save("k", b"new", None).await.is_err(), "{length}");
    }
    store.delete("k").await.unwrap();
    saved(&store, "k", b"new", None).await;
}

#[tokio::test]
async fn an_expired_session_reads_as_nothing_and_its_file_can_be_removed() {
    let folder = Folder::new();
    let store = folder.store();
    let version = saved(&store, "k", b"old", None).await;
    let expiring = folder.store().expire_after(Duration::ZERO);
    assert_eq!(bytes(&expiring, "k").await, None);
    assert!(matches!(expiring.save("k", b"x", Some(&version)).await.unwrap(), SaveOutcome::Conflict(None)));
    assert!(saved(&expiring, "k", b"new", None).await != version);
    fs::write(folder.path("killed", "writing"), "half").unwrap();
    assert_eq!(folder.store().expire_after(Duration::from_secs(3600)).remove_expired().await.unwrap(), 0);
    assert_eq!(bytes(&store, "k").await.unwrap(), b"new");
    assert!(!folder.path("killed", "writing").exists());
    assert_eq!(expiring.remove_expired().await.unwrap(), 1);
    assert_eq!(bytes(&store, "k").await, None);
}

#[tokio::test]
async fn any_key_is_a_key_inside_the_folder() {
    let folder = Folder::new();
    let store = folder.store();
    let long = "long".repeat(200);
    let keys = ["", ".", "..", "../x", "/etc/passwd", "a/b", "A", "a", "con", "x\0y", "é", "%41", "~", &long];
    for key in keys {
        saved(&store, key, key.as_bytes(), None).await;
    }
    for key in keys {
        assert_eq!(bytes(&store, key).await.unwrap(), key.as_bytes(), "{key:?}");
    }
    let sessions = fs::read_dir(&folder.0)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "session"));
    assert_eq!(sessions.count(), keys.len());
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_named() {
    let folder = Folder::new();
    fs::write(&folder.0, "a file").unwrap();
    let error = folder.store().save("k", b"x", None).await.unwrap_err().to_string();
    assert!(error.contains(&folder.0.display().to_string()), "{error}");
    fs::remove_file(&folder.0).unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn files_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    saved(&folder.store(), "k", b"x", None).await;
    let mode = fs::metadata(folder.path("k", "session")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

proptest! {
    #[test]
    fn two_keys_never_have_one_name(a in "(?s).{0,200}", b in "(?s).{0,200}") {
        let names: HashSet<String> = [&a, &b].map(|key| name::of(key).to_lowercase()).into();
        prop_assert_eq!(names.len(), if a == b { 1 } else { 2 });
        prop_assert!(names.iter().all(|name| name.len() < 200 && !name.contains(['/', '\\', '.', '\0', ':'])));
    }
}
