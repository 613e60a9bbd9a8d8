//! `spawn(type, task)`: an ordinary tool that runs a sub-agent and answers with its last text.

use std::{borrow::Cow, fmt::Write, sync::Arc};

use serde_json::Value;

use super::{
    Spawning,
    build::{Offer, SubAgentType},
    spawning::Observer,
};
use crate::{
    Arguments, Schema, Tool, ToolContext, ToolDefinition, ToolError, ToolFuture, ToolName, ToolOptions,
    ToolOutput,
    agent::{AgentEvent, Conversation, RunResult, StopReason, drive::Drive},
    definition::LazySchema,
    discovery::{Members, invalid},
    text,
};

const DESCRIPTION: &str = "Give a task to a sub-agent and read what it came to. It knows nothing of this \
                           conversation: the task must say all that it needs. Several in one message work side by side.";

/// The tool, for the types that a list offers.
pub(super) struct Spawn {
    definition: ToolDefinition,
    options: ToolOptions,
}

impl Spawn {
    pub(super) fn new(name: &ToolName, offers: &[&Offer]) -> Self {
        let schema = schema(offers);
        let schema = LazySchema::new(move || Schema::foreign(&schema));
        Self {
            definition: ToolDefinition::new(name.clone(), Cow::Borrowed(DESCRIPTION), schema),
            options: ToolOptions {
                enabled: Some(may_spawn),
                location: offers.first().map(|offer| offer.location),
                ..ToolOptions::default()
            },
        }
    }
}

/// Written by hand, so that its bytes are the same whatever features `serde_json` has.
fn schema(offers: &[&Offer]) -> String {
    let names: Vec<&str> = offers.iter().map(|offer| offer.name.as_str()).collect();
    let mut types = "Who does it.".to_owned();
    for offer in offers {
        let _ = write!(types, "\n- {}: {}", offer.name, offer.description);
    }
    let (names, types) = (Value::from(names), Value::from(types));
    format!(
        r#"{{"type":"object","properties":{{"type":{{"type":"string","enum":{names},"description":{types}}},"task":{{"type":"string","description":"What to do, and all that is needed for it."}}}},"required":["type","task"],"additionalProperties":false}}"#
    )
}

/// Whether the run of this session may start others: not outside of a run, and not at the last level.
fn may_spawn(context: &ToolContext) -> bool {
    context.get::<Spawning>().is_some_and(|spawning| spawning.may_spawn())
}

impl Tool for Spawn {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn options(&self) -> &ToolOptions {
        &self.options
    }

    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a> {
        Box::pin(async move {
            let spawning = context
                .get::<Spawning>()
                .ok_or_else(|| ToolError::new("sub-agents are started in a run of their agent only"))?;
            let mut members = Members::of(arguments)?;
            let (wanted, task) = (members.text("type")?, members.text("task")?);
            members.end("`type` and `task`")?;
            if task.trim().is_empty() {
                return Err(invalid("the `task` is empty"));
            }
            let chosen = spawning
                .offered()
                .find(|offered| offered.name == wanted)
                .ok_or_else(|| invalid(unknown(spawning, &wanted)))?;
            spawning.claim().map_err(|limit| {
                let text = format!("No more sub-agents can be started: the limit of this run is {limit}.");
                ToolError::new(text)
            })?;
            run(spawning, chosen, &context, task).await
        })
    }
}

fn unknown(spawning: &Spawning, wanted: &str) -> String {
    let names: Vec<&str> = spawning.offered().map(|offered| offered.name.as_str()).collect();
    format!("No sub-agent is of type '{}'. There are: {}.", text::echo(wanted), names.join(", "))
}

async fn run(
    spawning: &Arc<Spawning>,
    chosen: &SubAgentType,
    context: &ToolContext,
    task: String,
) -> Result<ToolOutput, ToolError> {
    let observer = spawning.observer.clone().map(|above| marked(above, chosen, context));
    let registry = chosen.agent.registry();
    let session = registry.session().inheriting(context.inherited_by(registry));
    let below = spawning.below(chosen, observer.clone());
    let mut drive = Drive::spawned(chosen.agent.clone(), Conversation::new(session), task, below);
    loop {
        let event = drive.next_event().await.map_err(|error| {
            ToolError::new(format!("sub-agent `{}`: {error}", chosen.name))
                .for_model(format!("The sub-agent '{}' could not be started.", chosen.name))
        })?;
        let ended = match &event {
            AgentEvent::Finished(result) => Some(answer(&chosen.name, result)),
            _ => None,
        };
        if let Some(observer) = &observer {
            observer(event);
        }
        if let Some(answer) = ended {
            return answer;
        }
    }
}

/// Says of each event whose it is.
fn marked(above: Observer, chosen: &SubAgentType, context: &ToolContext) -> Observer {
    let (name, call_id) = (chosen.name.clone(), context.call_id().to_owned());
    Arc::new(move |event| {
        let (name, call_id, event) = (name.clone(), call_id.clone(), Box::new(event));
        above(AgentEvent::SubAgent { name, call_id, event });
    })
}

/// What the model that started it reads.
fn answer(name: &str, result: &RunResult) -> Result<ToolOutput, ToolError> {
    let why = match &result.stop_reason {
        StopReason::Answered if !result.text.is_empty() => return Ok(ToolOutput::text(&result.text)),
        StopReason::Answered | StopReason::EmptyAnswer => "it said nothing".to_owned(),
        // What a provider says is for the host: it may name hidden tools.
        StopReason::ModelError(_) => "its model could not be asked".to_owned(),
        other => other.to_string(),
    };
    let mut told = format!("The sub-agent '{name}' ended without an answer: {why}.");
    if !result.text.is_empty() {
        let _ = write!(told, " It last said: {}", result.text);
    }
    Err(ToolError::new(format!("sub-agent `{name}`: {}", result.stop_reason)).for_model(told))
}
