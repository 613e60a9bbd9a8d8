//! What a session keeps: the end of suspended batches, budgets between batches, stores.

mod batches_at_once;
mod files;
mod finishing;
mod late_tools;
mod merging;
mod taking;

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use tool_core::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, Batch, FunctionTool, MemoryStore,
    Registry, RegistryBuilder, SaveOutcome, Session, SessionStore, StoreError, StoreFuture, StoreVersion,
    StoredSession, ToolContext, ToolPattern,
};

use crate::support::{Gates, Runs, builder, call};

/// Leaves every call to a person.
struct AskSomebody;

impl ApprovalPolicy for AskSomebody {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(async { ApprovalDecision::Suspend })
    }
}

/// All tools called `pay_…` wait for a person.
fn asking(builder: RegistryBuilder) -> RegistryBuilder {
    builder.approval(AskSomebody).require_approval([ToolPattern::new("pay_*").unwrap()])
}

/// A tool that is counted when it starts, and ends when its gate opens.
fn gated(runs: &Runs, gates: &Gates, name: &'static str) -> FunctionTool {
    let (runs, gates) = (runs.clone(), gates.clone());
    builder(name, "Does what it says.").handler(move |(): (), _: ToolContext| {
        let (runs, gates) = (runs.clone(), gates.clone());
        async move {
            runs.add(name);
            gates.pass(name).await;
            format!("{name} ran")
        }
    })
}

/// Calls the tools in one batch, with their names as ids; they all wait then.
async fn suspend(session: &Session, tools: &[&str]) {
    let calls = tools.iter().map(|tool| call(tool, tool));
    assert_eq!(suspended(session.turn().await.unwrap().call_all(calls).await), tools);
}

/// The ids of the calls that a batch waits for.
fn suspended(batch: Batch) -> Vec<String> {
    match batch {
        Batch::Suspended(requests) => requests.into_iter().map(|request| request.call_id).collect(),
        other => panic!("not suspended: {other:?}"),
    }
}

/// What the model reads of a batch that is done.
fn read(batch: Batch) -> Vec<String> {
    match batch {
        Batch::Done(results) => results.iter().map(|result| result.text().into_owned()).collect(),
        other => panic!("not done: {other:?}"),
    }
}

const KEY: &str = "conversation-7";

async fn open(registry: &Registry, store: &Arc<Flaky>) -> Session {
    let (session, report) = registry.session().open(store, KEY).await.unwrap();
    assert!(report.is_complete(), "{report:?}");
    session
}

/// What goes wrong with the next save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// It is not written, and says so.
    NotWritten,
    /// It is written, and nobody hears of it.
    AnswerLost,
}

/// A store in memory whose saves fail when told to.
#[derive(Debug, Default)]
struct Flaky {
    kept: MemoryStore,
    faults: Mutex<Vec<Fault>>,
    is_held: AtomicBool,
    gates: Gates,
}

impl Flaky {
    /// The faults of the next saves.
    fn fail(&self, faults: impl IntoIterator<Item = Fault>) {
        self.faults.lock().unwrap().extend(faults);
    }

    /// Whether saves wait for the gate `save`.
    fn hold(&self, hold: bool) {
        self.is_held.store(hold, Ordering::SeqCst);
    }

    async fn stored(&self) -> serde_json::Value {
        serde_json::from_slice(&self.kept.load(KEY).await.unwrap().unwrap().bytes).unwrap()
    }
}

impl SessionStore for Flaky {
    fn load<'a>(&'a self, key: &'a str) -> StoreFuture<'a, Option<StoredSession>> {
        self.kept.load(key)
    }

    fn save<'a>(
        &'a self,
        key: &'a str,
        bytes: &'a [u8],
        expected: Option<&'a StoreVersion>,
    ) -> StoreFuture<'a, SaveOutcome> {
        Box::pin(async move {
            if self.is_held.load(Ordering::SeqCst) {
                self.gates.pass("save").await;
            }
            let fault = {
                let mut faults = self.faults.lock().unwrap();
                if faults.is_empty() { None } else { Some(faults.remove(0)) }
            };
            match fault {
                None => self.kept.save(key, bytes, expected).await,
                Some(Fault::NotWritten) => Err(StoreError::new("the disk is full")),
                Some(Fault::AnswerLost) => {
                    self.kept.save(key, bytes, expected).await?;
                    Err(StoreError::new("the connection was lost"))
                }
            }
        })
    }

    fn delete<'a>(&'a self, key: &'a str) -> StoreFuture<'a, ()> {
        self.kept.delete(key)
    }
}
