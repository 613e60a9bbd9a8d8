//! Groups: `available_tools` and `load_tools`, builds that are shared and never stuck, names that are never shadowed.

mod answers;
mod builds;
mod names;
mod waiting;

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use tokio::sync::Notify;
use tool_core::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, FunctionTool, GroupOutcome, Registry,
    RegistryBuilder, Session, ToolCall, ToolContext, ToolError, ToolGroup, ToolPattern,
};

use crate::support::{Gates, builder, call, call_with, eager, ends, names, poll_once, text, texts};

fn load(id: &str, name: &str) -> ToolCall {
    call_with(id, "load_tools", json!({ "name": name }))
}

fn group(name: &'static str, tools: &'static [&'static str]) -> ToolGroup {
    ToolGroup::lazy(name, format!("The group {name}."), async move |_: ToolContext| {
        Ok::<_, ToolError>(tools.iter().map(|tool| eager(tool)).collect::<Vec<FunctionTool>>())
    })
}

fn session(groups: impl IntoIterator<Item = ToolGroup>) -> Session {
    let builder = groups.into_iter().fold(Registry::builder(), RegistryBuilder::group);
    builder.tool(eager("read_file")).build().unwrap().session()
}

async fn answer(session: &Session, call: ToolCall) -> String {
    text(&session.turn().await.unwrap(), call).await
}

/// A group whose builds are counted, and end when the test says so.
fn gated(name: &'static str, tools: &'static [&'static str], gates: &Gates, builds: &Builds) -> ToolGroup {
    let (gates, builds) = (gates.clone(), builds.clone());
    ToolGroup::lazy(name, format!("The group {name}."), move |_: ToolContext| {
        builds.0.fetch_add(1, Ordering::SeqCst);
        let gates = gates.clone();
        async move {
            gates.pass(name).await;
            Ok::<_, ToolError>(tools.iter().map(|tool| eager(tool)).collect::<Vec<FunctionTool>>())
        }
    })
}

/// How many builds were started.
#[derive(Clone, Default)]
struct Builds(Arc<AtomicUsize>);

impl Builds {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Refuses whatever it is asked about.
struct Refuse;

impl ApprovalPolicy for Refuse {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(std::future::ready(ApprovalDecision::deny("not in this project")))
    }
}

/// A registry whose `load_tools` nobody is allowed to call.
fn refusing(group: ToolGroup) -> Registry {
    let load = ToolPattern::new("load_tools").unwrap();
    Registry::builder().group(group).approval(Refuse).require_approval([load]).build().unwrap()
}
