//! Configuration of an [`Agent`], checked by [`AgentBuilder::build`].

use std::{fmt, sync::Arc};

use super::{
    Agent, AgentInner, Model, RunLimits, SubAgent, SubAgentError,
    sub_agent::{self, Built},
};
use crate::{BuildErrors, NameError, Registry, ToolName, Warning};

/// What the tool that starts sub-agents is called unless the host says otherwise.
const SPAWN: &str = "spawn";

/// Configuration of an [`Agent`].
#[must_use = "a builder does nothing until `build`"]
pub struct AgentBuilder {
    name: Option<String>,
    model: Arc<dyn Model>,
    registry: Option<Registry>,
    instructions: Option<String>,
    limits: RunLimits,
    sub_agents: Vec<SubAgent>,
    spawn_name: String,
}

/// Why an agent cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentBuildError {
    /// [`AgentBuilder::registry`] was not called.
    #[error("the agent has no registry; add `.registry(registry)` before `.build()`")]
    NoRegistry,
    /// The name of the tool that starts sub-agents is no name of a tool.
    #[error("`spawn_name`: {0}")]
    SpawnName(NameError),
    /// Types of sub-agents that cannot work, and what keeps the tool that starts them from the registry.
    #[error("the sub-agents cannot be built:{}", lines(types, tools.as_ref()))]
    SubAgents {
        /// The types, in the order of their declaration.
        types: Vec<SubAgentError>,
        /// Faults of the registry with the tool: its name is taken.
        tools: Option<BuildErrors>,
    },
}

fn lines(types: &[SubAgentError], tools: Option<&BuildErrors>) -> String {
    let types = types.iter().map(ToString::to_string);
    let tools = tools.into_iter().flat_map(BuildErrors::errors).map(ToString::to_string);
    types.chain(tools).fold(String::new(), |lines, line| lines + "\n  " + &line)
}

impl AgentBuilder {
    pub(super) fn new(model: Arc<dyn Model>) -> Self {
        Self {
            name: None,
            model,
            registry: None,
            instructions: None,
            limits: RunLimits::default(),
            sub_agents: Vec::new(),
            spawn_name: SPAWN.to_owned(),
        }
    }

    /// A name for people, in the `invoke_agent` spans of its runs.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The tools of the agent. Required.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = Some(registry);
        self
    }

    /// What the model reads before all else, as the system message of each request.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Limits of each run; [`RunOptions::limits`](super::RunOptions::limits) replaces them for one run.
    pub fn limits(mut self, limits: RunLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Adds a type of agents that the model can give a task to, with the tool `spawn(type, task)`, which is in the list
    /// of every run then. Sessions come from [`Agent::registry`], which has it.
    pub fn sub_agent(mut self, sub_agent: SubAgent) -> Self {
        self.sub_agents.push(sub_agent);
        self
    }

    /// Sets the name of the tool that starts sub-agents: `spawn` unless set.
    pub fn spawn_name(mut self, name: impl Into<String>) -> Self {
        self.spawn_name = name.into();
        self
    }

    /// The agent.
    ///
    /// # Errors
    /// [`AgentBuildError`] where the registry is missing, or sub-agents cannot work.
    pub fn build(self) -> Result<Agent, AgentBuildError> {
        let registry = self.registry.ok_or(AgentBuildError::NoRegistry)?;
        let Self { name, model, instructions, limits, sub_agents, spawn_name, .. } = self;
        if sub_agents.is_empty() {
            let warnings = warnings(&registry, instructions.as_deref());
            let sub_agents = Arc::default();
            let inner = AgentInner { name, model, registry, instructions, limits, warnings, sub_agents };
            return Ok(Agent(Arc::new(inner)));
        }
        let spawn_name = ToolName::new(spawn_name).map_err(AgentBuildError::SpawnName)?;
        let built = sub_agent::build(&registry, &model, sub_agents, &spawn_name)
            .map_err(|faults| AgentBuildError::SubAgents { types: faults.types, tools: faults.tools })?;
        let Built { types: sub_agents, registry, warnings: theirs } = built;
        let warnings = warnings(&registry, instructions.as_deref()).into_iter().chain(theirs).collect();
        Ok(Agent(Arc::new(AgentInner { name, model, registry, instructions, limits, warnings, sub_agents })))
    }
}

pub(super) fn warnings(registry: &Registry, instructions: Option<&str>) -> Vec<Warning> {
    let named = instructions.map(|text| registry.hidden_tools_named_in(text)).unwrap_or_default();
    named.into_iter().map(|hidden| Warning::InstructionsNameHiddenTool { hidden }).collect()
}

impl fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentBuilder")
            .field("instructions", &self.instructions)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
