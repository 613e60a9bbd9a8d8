//! Groups whose tools panic when they are asked what they are.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use tool_core::{
    Arguments, FunctionTool, GroupOutcome, Registry, Tool, ToolContext, ToolDefinition, ToolError,
    ToolFuture, ToolGroup, ToolOptions,
};

use crate::support::{call_with, eager, names, text};

/// Panics when it is asked for its definition, as long as `faulty` says so.
struct Shy {
    tool: FunctionTool,
    faulty: Arc<AtomicUsize>,
}

impl Tool for Shy {
    fn definition(&self) -> &ToolDefinition {
        let left = self.faulty.load(Ordering::SeqCst);
        if left > 0 {
            self.faulty.store(left - 1, Ordering::SeqCst);
            panic!("nothing about me");
        }
        self.tool.definition()
    }

    fn options(&self) -> &ToolOptions {
        self.tool.options()
    }

    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a> {
        self.tool.call(arguments, context)
    }
}

/// A registry with a group whose tool panics in its first `faults` definitions.
fn registry(faults: usize) -> (Registry, Arc<AtomicUsize>) {
    let (left, builds) = (Arc::new(AtomicUsize::new(faults)), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&builds);
    let group = ToolGroup::lazy("shy", "Shy.", move |_: ToolContext| {
        counted.fetch_add(1, Ordering::SeqCst);
        let shy = Shy { tool: eager("shy_one"), faulty: Arc::clone(&left) };
        async { Ok::<_, ToolError>([shy]) }
    });
    (Registry::builder().group(group).build().unwrap(), builds)
}

const PANICKED: &str = "the builder panicked";

#[tokio::test]
async fn the_model_reads_the_text_of_a_failed_load_and_the_next_load_builds_again() {
    let (registry, builds) = registry(1);
    let session = registry.session();
    let load = || call_with("1", "load_tools", json!({"name": "shy"}));
    let turn = session.turn().await.unwrap();
    assert_eq!(text(&turn, load()).await, format!("Could not load 'shy': {PANICKED}"));
    assert_eq!(text(&turn, load()).await, "Loaded 'shy': shy_one.");
    assert_eq!(names(&session.turn().await.unwrap()), ["available_tools", "load_tools", "shy_one"]);
    assert_eq!(builds.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn the_host_gets_an_outcome_and_no_panic() {
    let (registry, _) = registry(1);
    let outcome = registry.session().load_group("shy").await;
    assert_eq!(outcome, GroupOutcome::Failed { error: PANICKED.to_owned() });
}

#[tokio::test]
async fn a_resume_reports_it() {
    let (good, _) = registry(0);
    let session = good.session();
    session.load_group("shy").await;
    let (registry, _) = registry(1);
    let (session, report) = registry.resume(session.snapshot()).await.unwrap();
    assert_eq!(report.groups, [("shy".to_owned(), PANICKED.to_owned())]);
    assert_eq!(names(&session.turn().await.unwrap()), ["available_tools", "load_tools"]);
}
