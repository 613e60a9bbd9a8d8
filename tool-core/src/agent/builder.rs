//! Configuration of an [`Agent`], checked by [`AgentBuilder::build`].

use std::{fmt, sync::Arc};

use super::{Agent, AgentInner, Model, RunLimits};
use crate::{Registry, Warning};

/// Configuration of an [`Agent`].
#[must_use = "a builder does nothing until `build`"]
pub struct AgentBuilder {
    model: Arc<dyn Model>,
    registry: Option<Registry>,
    instructions: Option<String>,
    limits: RunLimits,
}

/// Why an agent cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgentBuildError {
    /// [`AgentBuilder::registry`] was not called.
    #[error("the agent has no registry; add `.registry(registry)` before `.build()`")]
    NoRegistry,
}

impl AgentBuilder {
    pub(super) fn new(model: Arc<dyn Model>) -> Self {
        Self { model, registry: None, instructions: None, limits: RunLimits::default() }
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

    /// The agent.
    ///
    /// # Errors
    /// [`AgentBuildError::NoRegistry`] if none was given.
    pub fn build(self) -> Result<Agent, AgentBuildError> {
        let registry = self.registry.ok_or(AgentBuildError::NoRegistry)?;
        let Self { model, instructions, limits, .. } = self;
        let named =
            instructions.as_deref().map(|text| registry.hidden_tools_named_in(text)).unwrap_or_default();
        let warnings =
            named.into_iter().map(|hidden| Warning::InstructionsNameHiddenTool { hidden }).collect();
        Ok(Agent(Arc::new(AgentInner { model, registry, instructions, limits, warnings })))
    }
}

impl fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentBuilder")
            .field("instructions", &self.instructions)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
