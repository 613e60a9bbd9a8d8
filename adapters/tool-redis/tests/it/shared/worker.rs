//! Other processes: the test binary again, with a role. They say lines and hear lines.

use std::{
    env,
    io::{BufRead, BufReader, Lines, Write, stdin},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use tool_core::{ApprovalDecision, SaveError, Session, ToolName};
use tool_redis::RedisStore;

use super::conversation::{self, NOTES, TOOLS, load, open, registry, texts, unload};
use crate::server::Server;

const ROLE: &str = "TOOL_REDIS_ROLE";
const URL: &str = "TOOL_REDIS_URL";
/// What begins the lines of a worker, among those of the test harness.
const MARK: &str = "worker: ";

/// A process that plays a role; it ends with this value.
pub(crate) struct Worker {
    process: Child,
    input: ChildStdin,
    output: Option<Lines<BufReader<ChildStdout>>>,
}

impl Worker {
    pub(crate) fn start(role: &str, server: &Server, notes: &Path) -> Self {
        let mut process = Command::new(env::current_exe().unwrap())
            .args(["--exact", "shared::worker::play", "--ignored", "--nocapture"])
            .envs([(ROLE, role), (URL, &server.url())])
            .env(NOTES, notes)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap()).lines();
        Self { input: process.stdin.take().unwrap(), process, output: Some(output) }
    }

    /// All lines that the worker says, to be read elsewhere.
    pub(crate) fn lines(&mut self) -> impl Iterator<Item = String> + Send + use<> {
        self.output.take().unwrap().map_while(Result::ok).filter_map(|line| said(&line))
    }

    /// The next line; none after the worker has ended.
    pub(crate) fn hear(&mut self) -> Option<String> {
        self.output.as_mut().unwrap().map_while(Result::ok).find_map(|line| said(&line))
    }

    pub(crate) fn tell(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// Ends it as a crash does.
    pub(crate) fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What a worker says with a line of its output; the others are the harness's.
fn said(line: &str) -> Option<String> {
    line.split_once(MARK).map(|(_, said)| said.to_owned())
}

fn say(line: &str) {
    println!("{MARK}{line}");
}

fn heard() -> String {
    stdin().lines().next().expect("the test has ended").unwrap()
}

#[tokio::test]
#[ignore = "a role that other tests give to a process of their own"]
async fn play() {
    let Ok(role) = env::var(ROLE) else { return };
    let store = RedisStore::builder(env::var(URL).unwrap()).timeout(Duration::from_secs(60));
    let store = Arc::new(store.connect().await.unwrap());
    let notes = PathBuf::from(env::var_os(NOTES).unwrap());
    match role.as_str() {
        "a" => save_often(&store, notes, "a", "b_").await,
        "b" => save_often(&store, notes, "b", "a_").await,
        "suspend" => conversation::suspend(&open(&registry(notes, || {}), &store, "chat").await).await,
        "finish" => finish(&store, notes).await,
        "stuck" => {
            let registry = registry(notes, || {
                say("paying");
                heard();
            });
            let session = open(&registry, &store, "chat").await;
            session.decide("1", ApprovalDecision::AllowOnce).await.unwrap();
            session.finish().await.unwrap();
        }
        other => panic!("no role {other}"),
    }
    say("done");
}

/// Loads its own tools one by one and unloads those of the other process that it sees, and saves each time.
async fn save_often(store: &Arc<RedisStore>, notes: PathBuf, own: &str, others: &str) {
    let registry = registry(notes, || {});
    let session = open(&registry, store, "chat").await;
    say("ready");
    heard();
    for number in 0..TOOLS {
        let loaded = format!("{own}_{number}");
        let of_others = session.revealed().into_iter().find(|name| name.as_str().starts_with(others));
        let unloaded = of_others.as_ref().map_or("", ToolName::as_str);
        let calls = [load(&loaded)].into_iter().chain(of_others.as_ref().map(|name| unload(name.as_str())));
        session.turn().await.unwrap().call_all(calls).await;
        save(&session).await;
        say(&format!("saved {loaded} {unloaded}"));
    }
}

/// Saves until it succeeds, and says the errors meanwhile.
async fn save(session: &Session) {
    loop {
        match session.save().await {
            Ok(report) => {
                assert!(report.is_complete(), "{report:?}");
                return;
            }
            // The other process was faster each time.
            Err(SaveError::Contended { .. }) => say("contended"),
            Err(error) => {
                say(&format!("failed {error}"));
                // A host's own pause before it tries again.
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    }
}

/// Takes the conversations it is told of, when it is told, and allows and finishes their open call.
async fn finish(store: &Arc<RedisStore>, notes: PathBuf) {
    let registry = registry(notes, || {});
    say("ready");
    loop {
        let key = heard();
        if key.is_empty() {
            return;
        }
        let session = open(&registry, store, &key).await;
        say("open");
        heard();
        // The other process may have begun or ended the call already: then there is nothing to decide.
        let decided = session.decide("1", ApprovalDecision::AllowOnce).await;
        let batch = session.finish().await.unwrap();
        let texts = texts(batch);
        session.save().await.unwrap();
        say(&format!("decided {} texts {texts:?}", decided.is_ok()));
    }
}
