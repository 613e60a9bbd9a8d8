//! Sub-agents: what a type has, what it inherits, what comes back, and what keeps it in bounds.

mod building;
mod limits;
mod policies;
mod runs;

use tool_core::{ModelRequest, SubAgent};

use super::*;
use crate::support::{Runs, builder};

fn spawn(id: &str, of: &str, task: &str) -> ToolCall {
    call(id, "spawn", json!({ "type": of, "task": task }))
}

/// Spawns these, then answers.
fn spawning(calls: impl IntoIterator<Item = ToolCall>) -> ScriptedModel {
    ScriptedModel::new([ModelReply::calls(calls), ModelReply::text("Done.")])
}

/// What the model was asked last, for scripts.
fn last_text(request: ModelRequest<'_>) -> String {
    match request.messages.last() {
        Some(Message::User { text }) => text.clone(),
        Some(Message::Tool { output, .. }) => output.to_text().into_owned(),
        other => panic!("{other:?}"),
    }
}

/// Calls the tool that its task names, and answers with the result.
fn calls_its_task() -> ScriptedModel {
    ScriptedModel::answering(|request| {
        Ok(match request.messages.last() {
            Some(Message::User { text }) => ModelReply::calls([call("c", text, json!({}))]),
            _ => ModelReply::text(last_text(request)),
        })
    })
}

fn agent_with(model: &ScriptedModel, registry: Registry, types: impl IntoIterator<Item = SubAgent>) -> Agent {
    let builder = Agent::builder(model.clone()).registry(registry);
    types.into_iter().fold(builder, tool_core::AgentBuilder::sub_agent).build().unwrap()
}

/// Runs, and gives `id: text` of each call of the agent itself.
async fn answers(agent: &Agent) -> Vec<String> {
    let result = agent.run("Go").await.unwrap();
    assert_acceptable(&result.messages);
    results(&result.messages)
}
