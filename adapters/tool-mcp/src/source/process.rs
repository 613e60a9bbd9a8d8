//! A server that runs as a child process, in a process group of its own: what it starts ends with it.

use std::{
    collections::VecDeque,
    ffi::OsString,
    io,
    path::PathBuf,
    process::Stdio,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::timeout,
};

/// How much of the end of standard error is kept, in bytes.
const TAIL: usize = 4 * 1024;
/// How long each step of a shutdown may take: end of input, then `TERM`, then `KILL`.
const STEP: Duration = Duration::from_millis(1_500);

/// How a server is started.
#[derive(Debug, Clone, Default)]
pub(super) struct Program {
    pub(super) path: OsString,
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) folder: Option<PathBuf>,
}

/// A running server.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: Group,
    stderr: Tail,
}

/// The end of what a server wrote to standard error.
#[derive(Debug, Clone, Default)]
pub(super) struct Tail(Arc<Mutex<VecDeque<u8>>>);

impl Tail {
    fn lock(&self) -> MutexGuard<'_, VecDeque<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, bytes: &[u8]) {
        let mut tail = self.lock();
        tail.extend(bytes);
        let excess = tail.len().saturating_sub(TAIL);
        tail.drain(..excess);
    }

    /// The last lines, for an error message.
    pub(super) fn text(&self) -> Option<String> {
        let bytes: Vec<u8> = self.lock().iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Reads to the end, so that the server never waits for somebody to read.
    async fn drain(self, mut from: impl AsyncRead + Unpin) {
        let mut buffer = [0; 8 * 1024];
        while let Ok(read @ 1..) = from.read(&mut buffer).await {
            self.push(buffer.get(..read).unwrap_or_default());
        }
    }
}

impl Process {
    pub(super) fn start(program: &Program) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        let mut command = Command::new(&program.path);
        command
            .args(&program.arguments)
            .envs(program.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        if let Some(folder) = &program.folder {
            command.current_dir(folder);
        }
        let mut child = command.spawn()?;
        let missing = || io::Error::other("the process has no pipes");
        let stdin = child.stdin.take().ok_or_else(missing)?;
        let stdout = child.stdout.take().ok_or_else(missing)?;
        let stderr = Tail::default();
        if let Some(pipe) = child.stderr.take() {
            tokio::spawn(stderr.clone().drain(pipe));
        }
        let group = Group::of(&child);
        Ok((Self { child, group, stderr }, stdin, stdout))
    }

    pub(super) fn stderr(&self) -> &Tail {
        &self.stderr
    }

    /// Ends the server, whose input has been closed: waits, then asks it to end, then ends it and all that it started.
    pub(super) async fn end(mut self) {
        if timeout(STEP, self.child.wait()).await.is_err() {
            self.group.terminate();
            // `drop` does the rest.
            let _ = timeout(STEP, self.child.wait()).await;
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.group.kill();
    }
}

/// The process group of a child.
#[derive(Debug)]
struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl Group {
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self { leader: id.and_then(rustix::process::Pid::from_raw) }
    }

    fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(leader) = self.leader {
            // A group that is gone needs no signal.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }
}

/// Without groups the child alone is ended, when it is dropped.
#[cfg(not(unix))]
impl Group {
    fn of(_: &Child) -> Self {
        Self {}
    }

    fn terminate(&self) {}

    fn kill(&self) {}
}
