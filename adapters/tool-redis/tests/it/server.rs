//! A Redis server of the test's own, in a folder and on a port of its own; it ends with its value.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use redis::FromRedisValue;
use tempfile::TempDir;
use tool_redis::{RedisStore, RedisStoreBuilder};

pub(crate) struct Server {
    process: Child,
    folder: TempDir,
    port: u16,
    settings: Vec<String>,
}

impl Server {
    /// Starts a server that has every write on its disk before it answers.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// With more settings: `&["--requirepass", "secret"]`.
    pub(crate) fn start_with(settings: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let settings: Vec<_> = settings.iter().map(|&setting| setting.to_owned()).collect();
        // Free until the server takes it; if somebody else does in between, there are more.
        for _ in 0..8 {
            let port = free_port();
            if let Some(process) = spawn(&folder, port, &settings) {
                return Self { process, folder, port, settings };
            }
        }
        panic!("redis-server does not start");
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// A store whose time-out no healthy server meets.
    pub(crate) fn builder(&self) -> RedisStoreBuilder {
        RedisStore::builder(self.url()).timeout(Duration::from_secs(60))
    }

    pub(crate) async fn store(&self) -> RedisStore {
        self.builder().connect().await.unwrap()
    }

    /// Ends the server as a crash does.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Starts it again where it was, with what is on its disk.
    pub(crate) fn restart(&mut self) {
        self.process = spawn(&self.folder, self.port, &self.settings).expect("redis-server starts again");
    }

    /// Stops the process: it answers nothing, and nothing is lost.
    pub(crate) fn pause(&self) {
        self.signal("STOP");
        // The signal is sent, not yet obeyed.
        let stat = format!("/proc/{}/stat", self.process.id());
        while !fs::read_to_string(&stat).unwrap().contains(") T ") {
            thread::yield_now();
        }
    }

    pub(crate) fn go_on(&self) {
        self.signal("CONT");
    }

    fn signal(&self, signal: &str) {
        let command = format!("kill -{signal} {}", self.process.id());
        assert!(Command::new("sh").arg("-c").arg(command).status().unwrap().success());
    }

    /// What `redis-cli` would answer.
    pub(crate) async fn command<T: FromRedisValue>(&self, words: &[&str]) -> T {
        let client = redis::Client::open(self.url()).unwrap();
        let mut connection = client.get_multiplexed_async_connection().await.unwrap();
        let (name, arguments) = words.split_first().unwrap();
        redis::cmd(name).arg(arguments).query_async(&mut connection).await.unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Free until somebody takes it.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A server that takes connections; none if the port is taken.
fn spawn(folder: &TempDir, port: u16, settings: &[String]) -> Option<Child> {
    let mut process = Command::new("redis-server")
        .args(["--bind", "127.0.0.1", "--port", &port.to_string()])
        .args(["--save", "", "--appendonly", "yes", "--appendfsync", "always"])
        .args(settings)
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("`redis-server` is installed");
    let mut log = BufReader::new(process.stdout.take().unwrap()).lines();
    if log.by_ref().map_while(Result::ok).any(|line| line.contains("Ready to accept connections")) {
        thread::spawn(move || log.map_while(Result::ok).for_each(drop));
        return Some(process);
    }
    process.wait().unwrap();
    None
}
