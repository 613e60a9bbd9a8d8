//! Where this host keeps its conversation: the session in a store, the messages in a file of its own.

use std::{
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use examples::Outcome;
use tool_core::{Conversation, FileStore, Message, SessionStore};

use crate::args::Args;

/// What all processes of the conversation know.
pub(crate) struct Host {
    pub(crate) store: Arc<dyn SessionStore>,
    /// The session in the store.
    pub(crate) key: String,
    /// Messages, and the log of the shop.
    pub(crate) folder: PathBuf,
}

impl Host {
    /// Opens the store. Without one in the arguments it is in the folder.
    pub(crate) async fn new(args: &Args, folder: &Path) -> Result<Self, Box<dyn Error>> {
        let key = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let store: Arc<dyn SessionStore> = match &args.store {
            None => Arc::new(FileStore::new(folder.join("sessions"))),
            Some(store) => open(store).await?,
        };
        store.load(&key).await.map_err(|error| format!("--store: {error}"))?;
        Ok(Self { store, key, folder: folder.to_owned() })
    }

    /// The messages so far.
    pub(crate) fn messages(&self) -> Result<Vec<Message>, Box<dyn Error>> {
        match fs::read(self.folder.join("messages.json")) {
            Ok(stored) => Ok(serde_json::from_slice(&stored)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }

    /// Saves the messages, then the session: the store keeps results of a suspended batch until it hears that the messages
    /// have them.
    pub(crate) async fn save(&self, conversation: &Conversation) -> Outcome {
        let (new, old) = (self.folder.join("messages.new"), self.folder.join("messages.json"));
        fs::write(&new, serde_json::to_vec(conversation.messages())?)?;
        fs::rename(new, old)?;
        let report = conversation.session().save().await?;
        assert!(report.is_complete(), "{report:?}");
        Ok(())
    }
}

/// The store that `--store` names.
async fn open(store: &str) -> Result<Arc<dyn SessionStore>, Box<dyn Error>> {
    match store.split_once(':') {
        Some(("file", path)) if !path.is_empty() => {
            let is_made = fs::create_dir_all(path);
            is_made.map_err(|error| format!("--store: cannot make the folder `{path}`: {error}"))?;
            Ok(Arc::new(FileStore::new(path)))
        }
        Some(("redis" | "rediss", _)) => redis(store).await,
        // Not repeated: it may have a password in it.
        _ => Err("--store: expected `file:PATH` or `redis://HOST`".into()),
    }
}

#[cfg(feature = "redis")]
async fn redis(url: &str) -> Result<Arc<dyn SessionStore>, Box<dyn Error>> {
    let store = tool_redis::RedisStore::builder(url).connect().await;
    Ok(Arc::new(store.map_err(|error| format!("--store: {error}"))?))
}

#[cfg(not(feature = "redis"))]
fn redis(_: &str) -> std::future::Ready<Result<Arc<dyn SessionStore>, Box<dyn Error>>> {
    let with = "cargo run -p examples --features redis --example resume -- --store …";
    std::future::ready(Err(format!("--store: Redis needs a feature: {with}").into()))
}

/// A new folder, removed at the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Result<Self, Box<dyn Error>> {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_nanos();
        let folder = env::temp_dir().join(format!("resume-{}-{now}", std::process::id()));
        let is_made = fs::create_dir(&folder);
        is_made.map_err(|error| format!("cannot make the folder `{}`: {error}", folder.display()))?;
        Ok(Self(folder))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left is in the folder for such things.
        let _ = fs::remove_dir_all(&self.0);
    }
}
