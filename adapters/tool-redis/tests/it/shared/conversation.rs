//! The registry of the conversations, the same in each process.

use std::{fs::OpenOptions, io::Write, path::PathBuf, sync::Arc};

use serde_json::json;
use tool_core::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, Batch, Budget, CallResult,
    FunctionTool, Registry, Session, ToolCall, ToolContext, ToolSearch,
};
use tool_redis::RedisStore;

/// How many tools each process loads.
pub(crate) const TOOLS: usize = 1_000;

/// Where the tool that needs approval notes each of its runs.
pub(crate) const NOTES: &str = "TOOL_REDIS_NOTES";

/// Waits for a person.
struct Later;

impl ApprovalPolicy for Later {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(async { ApprovalDecision::Suspend })
    }
}

/// What is done inside the tool that needs approval.
pub(crate) type Paying = fn();

/// Hidden tools `a_0`, `a_1`, … and `b_0`, `b_1`, …, and `pay`, which needs approval.
pub(crate) fn registry(notes: PathBuf, paying: Paying) -> Registry {
    let hidden = ["a", "b"]
        .into_iter()
        .flat_map(|process| (0..TOOLS).map(move |number| format!("{process}_{number}")));
    let hidden = hidden.map(|name| {
        FunctionTool::builder(name, "Does what it says.".to_owned())
            .deferred()
            .handler(|(): (), _: ToolContext| async { "ran" })
    });
    let pay =
        FunctionTool::builder("pay", "Pays.").requires_approval().handler(move |(): (), _: ToolContext| {
            let notes = notes.clone();
            async move {
                let mut notes = OpenOptions::new().create(true).append(true).open(notes).unwrap();
                writeln!(notes, "paid").unwrap();
                paying();
                "paid"
            }
        });
    Registry::builder()
        .tools(hidden)
        .tool(pay)
        .approval(Later)
        .search(ToolSearch::search_then_load().budget(Budget::tools(2 * TOOLS)))
        .build()
        .unwrap()
}

pub(crate) async fn open(registry: &Registry, store: &Arc<RedisStore>, key: &str) -> Session {
    let (session, report) = registry.session().open(store, key).await.unwrap();
    assert!(report.is_complete(), "{report:?}");
    session
}

pub(crate) fn load(name: &str) -> ToolCall {
    ToolCall::new(format!("load {name}"), "load_tool", json!({ "tool_name": name }))
}

pub(crate) fn unload(name: &str) -> ToolCall {
    ToolCall::new(format!("unload {name}"), "unload_tool", json!({ "tool_name": name }))
}

/// Leaves a call of `pay` waiting, in the store too.
pub(crate) async fn suspend(session: &Session) {
    let turn = session.turn().await.unwrap();
    let batch = turn.call_all([ToolCall::new("1", "pay", json!({}))]).await;
    assert!(matches!(batch, Batch::Suspended(_)));
    session.save().await.unwrap();
}

/// The texts of a batch that has ended; none if calls still wait.
pub(crate) fn texts(batch: Batch) -> Option<Vec<String>> {
    match batch {
        Batch::Done(results) => Some(results.iter().map(CallResult::to_string).collect()),
        _ => None,
    }
}
