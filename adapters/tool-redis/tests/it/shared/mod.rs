//! One conversation, served by several processes.

mod conversation;
mod worker;

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::{Arc, mpsc},
    thread,
};

use tool_core::{ApprovalDecision, Batch, CallProgress};

use self::{
    conversation::{TOOLS, open, registry, suspend, texts},
    worker::Worker,
};
use crate::server::Server;

/// How often `pay` ran, in all processes.
fn payments(notes: &Path) -> usize {
    fs::read_to_string(notes).map_or(0, |notes| notes.lines().count())
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn of_two_processes_that_save_a_thousand_times_each_nothing_is_lost_while_the_server_crashes() {
    let mut server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    let (said, lines) = mpsc::channel();
    let mut workers = ["a", "b"].map(|role| {
        let mut worker = Worker::start(role, &server, &notes);
        let (lines, said) = (worker.lines(), said.clone());
        thread::spawn(move || lines.for_each(|line| said.send((role, line)).unwrap()));
        worker
    });
    drop(said);

    let (mut loaded, mut unloaded) = (BTreeSet::new(), BTreeSet::new());
    let (mut ready, mut at_work) = (0, BTreeSet::from(["a", "b"]));
    // While the server is gone: who has not noticed yet.
    let mut unaware: Option<BTreeSet<&str>> = None;
    let (mut crashes, mut failures) = (0, 0);
    for (role, line) in lines {
        let words: Vec<&str> = line.splitn(3, ' ').collect();
        match words[..] {
            ["ready"] => ready += 1,
            ["saved", tool, other] => {
                assert!(loaded.insert(tool.to_owned()));
                assert!(other.is_empty() || unloaded.insert(other.to_owned()), "{other} came back");
            }
            ["failed", ..] => {
                failures += 1;
                assert!(line.contains("cannot be saved") && line.contains(&server.url()), "{line}");
            }
            ["contended"] => {}
            ["done"] => _ = at_work.remove(role),
            _ => panic!("{role} says {line}"),
        }
        if ready == 2 {
            ready = 0;
            for worker in &mut workers {
                worker.tell("go");
            }
        }
        if let Some(unaware) = unaware.as_mut().filter(|_| matches!(words[0], "failed" | "done")) {
            unaware.remove(role);
        }
        if unaware.take_if(|unaware| unaware.is_empty()).is_some() {
            server.restart();
        }
        if crashes < 3 && loaded.len() == (crashes + 1) * TOOLS / 2 {
            crashes += 1;
            server.kill();
            unaware = Some(at_work.clone());
        }
    }

    assert_eq!((loaded.len(), crashes), (2 * TOOLS, 3));
    assert!(failures >= 3 && !unloaded.is_empty());
    let registry = registry(notes, || {});
    let session = open(&registry, &Arc::new(server.store().await), "chat").await;
    let revealed: BTreeSet<String> = session.revealed().iter().map(ToString::to_string).collect();
    assert_eq!(revealed, &loaded - &unloaded);
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn of_two_processes_that_take_one_approval_one_runs_the_tool() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    let registry = registry(notes.clone(), || {});
    let store = Arc::new(server.store().await);
    let mut workers = [(); 2].map(|()| Worker::start("finish", &server, &notes));
    for worker in &mut workers {
        assert_eq!(worker.hear().as_deref(), Some("ready"));
    }
    for round in 1..=20 {
        let key = format!("chat {round}");
        suspend(&open(&registry, &store, &key).await).await;
        for worker in &mut workers {
            worker.tell(&key);
            assert_eq!(worker.hear().as_deref(), Some("open"));
        }
        for worker in &mut workers {
            worker.tell("go");
        }
        let said: Vec<_> = workers.iter_mut().map(|worker| worker.hear().expect("no worker fails")).collect();
        assert_eq!(payments(&notes), round, "{said:?}");
        assert!(said.iter().any(|said| said.contains(r#"Some(["paid"])"#)), "{said:?}");
    }
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_session_suspended_by_one_process_is_finished_by_another() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    assert_eq!(Worker::start("suspend", &server, &notes).hear().as_deref(), Some("done"));

    let mut worker = Worker::start("finish", &server, &notes);
    assert_eq!(worker.hear().as_deref(), Some("ready"));
    worker.tell("chat");
    assert_eq!(worker.hear().as_deref(), Some("open"));
    assert_eq!(payments(&notes), 0);
    worker.tell("go");
    assert_eq!(worker.hear().as_deref(), Some(r#"decided true texts Some(["paid"])"#));
    assert_eq!(payments(&notes), 1);

    // Its results were taken and saved: the conversation goes on, anywhere.
    let session = open(&registry(notes, || {}), &Arc::new(server.store().await), "chat").await;
    assert!(session.undecided().is_empty());
    session.turn().await.unwrap();
}

#[tokio::test]
#[ignore = "needs redis-server"]
async fn a_call_whose_process_was_killed_is_interrupted_and_runs_only_if_the_host_says_so() {
    let server = Server::start();
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes");
    assert_eq!(Worker::start("suspend", &server, &notes).hear().as_deref(), Some("done"));
    let mut worker = Worker::start("stuck", &server, &notes);
    assert_eq!(worker.hear().as_deref(), Some("paying"));
    worker.kill();

    let session = open(&registry(notes.clone(), || {}), &Arc::new(server.store().await), "chat").await;
    let Batch::Suspended(requests) = session.finish().await.unwrap() else { panic!("nobody has decided") };
    assert_eq!(requests[0].progress, CallProgress::Interrupted);
    assert_eq!(payments(&notes), 1);

    session.decide("1", ApprovalDecision::AllowOnce).await.unwrap();
    assert_eq!(texts(session.finish().await.unwrap()).unwrap(), ["paid"]);
    assert_eq!(payments(&notes), 2);
}
