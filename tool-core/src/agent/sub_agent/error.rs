//! What `AgentBuilder::build` refuses of sub-agents.

use crate::{BuildErrors, Location};

/// A type of sub-agent that cannot work.
#[derive(Debug, thiserror::Error)]
#[error("{location}: sub-agent `{name}`: {fault}")]
#[non_exhaustive]
pub struct SubAgentError {
    /// The name of the type.
    pub name: String,
    /// Where the type was made.
    pub location: Location,
    /// What is wrong with it.
    pub fault: SubAgentFault,
}

/// What is wrong with a type of sub-agent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SubAgentFault {
    /// Nothing but white space.
    #[error("its `name` is empty")]
    EmptyName,
    /// White space around the name, or a character that cannot be shown in it.
    #[error("its `name` begins or ends with white space, or has a control character")]
    BadName,
    /// Nothing that a model could choose it by.
    #[error("its `description` is empty")]
    EmptyDescription,
    /// Another type of the agent has the name.
    #[error("another sub-agent has its `name`")]
    DuplicateName,
    /// It may start a type that the agent does not have.
    #[error("it `spawns` `{0}`, which is no sub-agent of this agent")]
    UnknownType(String),
    /// Its sessions would lack a host value, as those of the agent need not have it.
    #[error("its registry needs a session value of type `{0}`, which the agent's registry does not declare")]
    MissingHostValue(&'static str),
    /// Its tools, groups or search cannot work.
    #[error(transparent)]
    Tools(BuildErrors),
}
