//! The files of a store, on a blocking thread: read, replaced in one step, removed.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use super::{error::FileError, name, record};
use crate::{SaveOutcome, StoreVersion, StoredSession};

/// The ending of a session's file.
const SESSION: &str = "session";
/// The ending of a file that is being written.
const WRITING: &str = "writing";
/// How long somebody else may hold a lock: a save takes milliseconds.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait before the next look at a lock: much less than it is held, so that nobody is always late.
const LOCK_PAUSE: Duration = Duration::from_micros(100);

/// A folder of sessions.
#[derive(Debug)]
pub(super) struct Disk {
    folder: PathBuf,
    expire_after: Option<Duration>,
}

impl Disk {
    pub(super) fn new(folder: PathBuf, expire_after: Option<Duration>) -> Self {
        Self { folder, expire_after }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, name: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{name}.{ending}"))
    }

    pub(super) fn load(&self, key: &str) -> Result<Option<StoredSession>, FileError> {
        // A file is replaced as a whole, so whoever reads it reads one save.
        self.read(key, &self.path(&name::of(key), SESSION))
    }

    /// What a file has, unless it has expired.
    fn read(&self, key: &str, path: &Path) -> Result<Option<StoredSession>, FileError> {
        let Some(bytes) = read_if_there(path)? else { return Ok(None) };
        let damaged = |fault| FileError::Damaged { path: path.to_owned(), fault };
        let (header, session) = record::read(Some(key), &bytes).map_err(damaged)?;
        if header.is_expired(self.expire_after) {
            return Ok(None);
        }
        let version = StoreVersion::new(header.version);
        Ok(Some(StoredSession { bytes: session.to_vec(), version }))
    }

    pub(super) fn save(
        &self,
        key: &str,
        bytes: &[u8],
        expected: Option<&StoreVersion>,
    ) -> Result<SaveOutcome, FileError> {
        let name = name::of(key);
        let path = self.path(&name, SESSION);
        let _lock = self.lock(&name)?;
        let current = self.read(key, &path)?;
        if current.as_ref().map(|current| &current.version) != expected {
            return Ok(SaveOutcome::Conflict(current));
        }
        let header = record::Header::new(key);
        let failed = |source| failed("cannot write", &path)(io::Error::from(source));
        let bytes = record::write(&header, bytes).map_err(failed)?;
        self.replace(&name, &path, &bytes)?;
        Ok(SaveOutcome::Saved(StoreVersion::new(header.version)))
    }

    /// Puts bytes in the place of a file: at any time one of the two is there as a whole.
    fn replace(&self, name: &str, path: &Path, bytes: &[u8]) -> Result<(), FileError> {
        // Only the holder of the lock writes it: what is there is of a writer that was killed.
        let writing = self.path(name, WRITING);
        let written = write_through(&writing, bytes).map_err(failed("cannot write", &writing));
        let replaced =
            written.and_then(|()| fs::rename(&writing, path).map_err(failed("cannot replace", path)));
        if replaced.is_err() {
            // The next writer overwrites it otherwise.
            let _ = fs::remove_file(&writing);
        }
        replaced?;
        self.sync()
    }

    /// Removes a session, whatever is in its file.
    pub(super) fn delete(&self, key: &str) -> Result<(), FileError> {
        let name = name::of(key);
        if !self.folder.exists() {
            return Ok(());
        }
        let _lock = self.lock(&name)?;
        self.remove(&name)
    }

    fn remove(&self, name: &str) -> Result<(), FileError> {
        for ending in [WRITING, SESSION] {
            let path = self.path(name, ending);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(failed("cannot remove", &path)(error));
                }
                _ => {}
            }
        }
        self.sync()
    }

    /// Removes what has expired, and what killed writers left.
    pub(super) fn remove_expired(&self) -> Result<usize, FileError> {
        let mut removed = 0;
        for name in self.names()? {
            let _lock = self.lock(&name)?;
            let path = self.path(&name, SESSION);
            let expired = match read_if_there(&path)? {
                Some(bytes) => {
                    record::read(None, &bytes).is_ok_and(|(header, _)| header.is_expired(self.expire_after))
                }
                None => false,
            };
            if expired {
                self.remove(&name)?;
                removed += 1;
            } else {
                // Nobody writes while the lock is held here.
                let _ = fs::remove_file(self.path(&name, WRITING));
            }
        }
        Ok(removed)
    }

    /// The names of all files of sessions, without their endings.
    fn names(&self) -> Result<Vec<String>, FileError> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed("cannot list", &self.folder))?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed("cannot list", &self.folder))?.path();
            let ending = path.extension().and_then(|ending| ending.to_str());
            let name = path.file_stem().and_then(|name| name.to_str());
            if let (Some(SESSION | WRITING), Some(name)) = (ending, name) {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    /// Waits until nobody else writes files of this name, in any process. Given back when the file is closed, also when
    /// its process is killed.
    fn lock(&self, name: &str) -> Result<File, FileError> {
        let path = self.folder.join(name::of_lock(name));
        let cannot_lock = failed("cannot lock", &path);
        let mut file = open_to_write(&path);
        if matches!(&file, Err(error) if error.kind() == ErrorKind::NotFound) {
            self.make_folder()?;
            file = open_to_write(&path);
        }
        let file = file.map_err(&cannot_lock)?;
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(error)) => return Err(cannot_lock(error)),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(FileError::Locked { path, seconds: LOCK_TIMEOUT.as_secs() });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOCK_PAUSE),
            }
        }
    }

    fn make_folder(&self) -> Result<(), FileError> {
        fs::create_dir_all(&self.folder).map_err(failed("cannot make", &self.folder))?;
        match self.folder.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            Some(parent) => sync_folder(parent),
            None => Ok(()),
        }
    }

    fn sync(&self) -> Result<(), FileError> {
        sync_folder(&self.folder)
    }
}

fn failed(what: &'static str, path: &Path) -> impl Fn(io::Error) -> FileError + use<> {
    let path = path.to_owned();
    move |source| FileError::Io { what, path: path.clone(), source }
}

fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("cannot read", path)(error)),
    }
}

/// Writes a file and waits until it is on the disk.
fn write_through(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = open_to_write(path)?;
    file.set_len(0)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Opens a file for its owner only, and makes it if it is not there.
fn open_to_write(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Waits until the names in a folder are on the disk. Elsewhere than on Unix, a folder cannot be opened for that.
fn sync_folder(folder: &Path) -> Result<(), FileError> {
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed("cannot sync", folder))?;
    }
    Ok(())
}
