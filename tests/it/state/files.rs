//! `FileStore` under several processes, processes that are killed, and what the operating system is asked for.
//!
//! The other processes are this test program, which runs the one test of them.

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Arc,
};

use tool_core::{
    ApprovalDecision, FileStore, FunctionTool, Registry, SaveOutcome, SessionStore, StoredSession,
    ToolContext,
};

use super::{KEY, asking, suspend};
use crate::support::{block_on, builder, hidden, revealed};

const ROLE: &str = "TOOL_CORE_TEST_ROLE";
const FOLDER: &str = "TOOL_CORE_TEST_FOLDER";

/// How often each of two processes saves.
const SAVES: usize = 200;
/// How many processes are killed.
const KILLS: usize = 200;

/// A folder of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder = env::temp_dir().join(format!("tool-core-{test}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// This program again, to play a role.
fn other(command: &mut Command, role: &str, folder: &Path) -> Child {
    let arguments = ["--ignored", "--exact", "--nocapture", "state::files::the_other_process"];
    let command = command.args(arguments).env(ROLE, role).env(FOLDER, folder);
    command.stdout(Stdio::piped()).spawn().unwrap()
}

fn program() -> PathBuf {
    env::current_exe().unwrap()
}

#[test]
#[ignore = "what the other tests here run in processes of their own"]
fn the_other_process() {
    let (Ok(role), Some(folder)) = (env::var(ROLE), env::var_os(FOLDER)) else { return };
    let folder = PathBuf::from(folder);
    match &*role {
        "save once" => block_on(save_next(&folder)),
        "save for ever" => loop {
            block_on(save_next(&folder));
        },
        "finish" => block_on(finish(&folder)),
        role => block_on(reveal_and_unload(&folder, role)),
    }
}

/// Saves the number after the one that is stored, and says so.
async fn save_next(folder: &Path) {
    let store = FileStore::new(folder);
    let stored = store.load(KEY).await.unwrap();
    let next = number(stored.as_ref()) + 1;
    let version = stored.map(|stored| stored.version);
    let saved = store.save(KEY, next.to_string().as_bytes(), version.as_ref()).await.unwrap();
    assert!(matches!(saved, SaveOutcome::Saved(_)));
    println!("acknowledged {next}");
    std::io::stdout().flush().unwrap();
}

fn number(stored: Option<&StoredSession>) -> u64 {
    stored.map_or(0, |stored| std::str::from_utf8(&stored.bytes).unwrap().parse().unwrap())
}

/// The last number that a process acknowledged, once its output has ended.
fn last_acknowledged(lines: impl Iterator<Item = String>) -> Option<u64> {
    lines.filter_map(|line| acknowledged(&line)).last()
}

fn acknowledged(line: &str) -> Option<u64> {
    line.split_once("acknowledged ")?.1.trim().parse().ok()
}

fn many() -> Registry {
    let tools = ["one", "two"]
        .into_iter()
        .flat_map(|process| (0..SAVES).map(move |n| hidden(&format!("{process}_{n}"), "One of many.")));
    Registry::builder().tools(tools).build().unwrap()
}

/// Reveals a tool with each save, and unloads the one before with every second.
async fn reveal_and_unload(folder: &Path, process: &str) {
    let (session, _) = many().session().open(&Arc::new(FileStore::new(folder)), KEY).await.unwrap();
    for n in 0..SAVES {
        session.reveal(&format!("{process}_{n}"));
        if n % 2 == 1 {
            assert!(session.unload(&format!("{process}_{}", n - 1)));
        }
        session.save().await.unwrap();
    }
}

#[test]
#[ignore = "takes long; `just stores` runs it"]
fn two_processes_save_one_session_and_everything_that_each_did_is_there() {
    let folder = Folder::new("shared");
    let processes = ["one", "two"].map(|role| other(&mut Command::new(program()), role, &folder.0));
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let store = Arc::new(FileStore::new(&folder.0));
    let (session, report) = block_on(many().session().open(&store, KEY)).unwrap();
    assert!(report.is_complete());
    let mut all = revealed(&session);
    all.sort();
    let kept = (0..SAVES).filter(|n| n % 2 == 1);
    let mut expected: Vec<String> =
        kept.flat_map(|n| ["one", "two"].map(|process| format!("{process}_{n}"))).collect();
    expected.sort();
    assert_eq!(all, expected);
}

#[test]
#[ignore = "takes long; `just stores` runs it"]
fn no_acknowledged_save_is_lost_when_processes_are_killed_at_random_points() {
    let folder = Folder::new("killed");
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut before = 0;
    for round in 0..KILLS {
        let mut process = other(&mut Command::new(program()), "save for ever", &folder.0);
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
        // xorshift: how many saves to wait for, and how long after that.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let seen = (0..random % 5).map_while(|_| lines.find_map(|line| acknowledged(&line))).last();
        (0..random % 100_000).for_each(|_| std::hint::spin_loop());
        process.kill().unwrap();
        process.wait().unwrap();
        let last = last_acknowledged(lines).or(seen).unwrap_or(before);
        let stored = block_on(FileStore::new(&folder.0).load(KEY)).unwrap();
        before = number(stored.as_ref());
        assert!(
            [last, last + 1].contains(&before),
            "round {round}: {last} was acknowledged, {before} is stored"
        );
    }
    assert!(before > 0);
}

#[test]
#[ignore = "needs strace; `just stores` runs it"]
fn a_session_is_on_the_disk_before_it_takes_its_place_and_its_name_before_it_is_acknowledged() {
    let folder = Folder::new("traced");
    let trace = folder.0.join("trace");
    // The first save makes locks and files.
    for _ in 0..2 {
        let mut strace = Command::new("strace");
        strace.args([
            "-f",
            "-y",
            "-s",
            "64",
            "-e",
            "trace=openat,write,fsync,fdatasync,rename,renameat,renameat2",
        ]);
        strace.arg("-o").arg(&trace).arg(program());
        assert!(other(&mut strace, "save once", &folder.0).wait_with_output().unwrap().status.success());
    }
    let trace = fs::read_to_string(&trace).unwrap();
    let folder = folder.0.display().to_string();
    let steps: Vec<&str> = trace.lines().filter_map(|line| step(line, &folder)).collect();
    assert_eq!(steps, ["write", "sync the file", "rename", "sync the folder", "acknowledge"], "{trace}");
}

/// What a system call means for a save.
fn step(line: &str, folder: &str) -> Option<&'static str> {
    let is = |call: &str| line.split_whitespace().nth(1).is_some_and(|name| name.starts_with(call));
    if is("write(") && line.contains("acknowledged") {
        Some("acknowledge")
    } else if is("write(") && line.contains(".writing>") {
        Some("write")
    } else if is("fsync(") && line.contains(".writing>") {
        Some("sync the file")
    } else if is("rename") && line.contains(".writing\"") && line.contains(".session\"") {
        Some("rename")
    } else if is("fsync(") && line.contains(&format!("<{folder}>")) {
        Some("sync the folder")
    } else {
        None
    }
}

/// A tool that leaves a line in a file each time it runs.
fn paying(folder: &Path) -> Registry {
    let paid = folder.join("paid");
    let pay: FunctionTool = builder("pay_once", "Pays.").handler(move |(): (), _: ToolContext| {
        let paid = paid.clone();
        async move {
            let mut file = fs::OpenOptions::new().create(true).append(true).open(paid).unwrap();
            file.write_all(b"paid\n").unwrap();
            "paid"
        }
    });
    asking(Registry::builder().tool(pay)).build().unwrap()
}

async fn finish(folder: &Path) {
    let store = Arc::new(FileStore::new(folder));
    let (session, _) = paying(folder).session().open(&store, KEY).await.unwrap();
    session.finish().await.unwrap();
}

#[test]
#[ignore = "takes long; `just stores` runs it"]
fn four_processes_that_take_one_approval_make_one_call() {
    let folder = Folder::new("approved");
    let store = Arc::new(FileStore::new(&folder.0));
    for round in 1..=10 {
        block_on(async {
            let (session, _) = paying(&folder.0).session().open(&store, KEY).await.unwrap();
            suspend(&session, &["pay_once"]).await;
            session.decide("pay_once", ApprovalDecision::AllowOnce).await.unwrap();
        });
        let processes: Vec<Child> =
            (0..4).map(|_| other(&mut Command::new(program()), "finish", &folder.0)).collect();
        for process in processes {
            assert!(process.wait_with_output().unwrap().status.success());
        }
        let paid = fs::read_to_string(folder.0.join("paid")).unwrap();
        assert_eq!(paid.lines().count(), round);
        block_on(async {
            let (session, _) = paying(&folder.0).session().open(&store, KEY).await.unwrap();
            assert_eq!(super::read(session.finish().await.unwrap()), ["paid"]);
            session.save().await.unwrap();
        });
    }
}
