//! Named types of agents that a model starts for a task: each run has a session and groups of its own, and nothing but
//! its last text and its usage comes back.
//!
//! [`SubAgent`] is the declaration; `build` checks it and makes an agent of it, `spawn` is the tool that starts one, and
//! `spawning` holds what the runs of one tree share: limits and usage.

mod build;
mod error;
mod spawn;
mod spawning;

use std::{fmt, sync::Arc};

pub(super) use build::{Built, SubAgentType, build};
pub use error::{SubAgentError, SubAgentFault};
pub(super) use spawning::{Observer, Spawning};

use super::{Model, RunLimits};
use crate::{Location, Registry, ToolGroup, ToolSearch, ToolSelector, policy::Policy};

/// A type of agent that the model of another agent can give a task to, with the tool `spawn(type, task)`.
///
/// Unless it has a registry of its own, it has the tools of the agent, narrowed by [`deny`](Self::deny) and
/// [`allow`](Self::allow), without its groups; each of its runs reveals them anew. It inherits the host values of the
/// session that starts it. What it does stays inside: the model that started it reads its last text, the host gets its
/// usage. A call that would wait for a person is denied inside of it.
///
/// # Examples
/// ```
/// use tool_core::{Agent, FunctionTool, Registry, SubAgent, ToolContext};
/// # use tool_core::{Message, Model, ModelFuture, ModelReply, ModelRequest, ToolCall};
/// # /// Calls a tool with the input, and answers with the result.
/// # #[derive(Clone)]
/// # struct Calls(&'static str);
/// # impl Model for Calls {
/// #     fn respond<'a>(&'a self, request: ModelRequest<'a>) -> ModelFuture<'a> {
/// #         let arguments = serde_json::json!({"type": "meteorologist", "task": "Weather in Oslo?"});
/// #         let reply = match request.messages.last() {
/// #             Some(Message::Tool { output, .. }) => ModelReply::text(output.to_text()),
/// #             _ if self.0 == "spawn" => ModelReply::calls([ToolCall::new("1", self.0, arguments)]),
/// #             _ => ModelReply::calls([ToolCall::new("1", self.0, "{}")]),
/// #         };
/// #         Box::pin(async move { Ok(reply) })
/// #     }
/// # }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (big_model, small_model) = (Calls("spawn"), Calls("weather"));
/// let weather = FunctionTool::builder("weather", "Weather of a city.")
///     .handler(async |_: (), _: ToolContext| "rain");
/// let registry = Registry::builder().tool(weather).build()?;
/// let agent = Agent::builder(big_model)
///     .registry(registry)
///     .sub_agent(SubAgent::new("meteorologist", "Knows the weather of all cities.").model(small_model))
///     .build()?;
///
/// let result = agent.run("Do I need an umbrella in Oslo?").await?;
/// assert_eq!(result.text, "rain");
/// assert_eq!(result.messages.len(), 4, "input, call, what the meteorologist said, answer");
/// # Ok(())
/// # }
/// ```
#[must_use = "a type does nothing until `AgentBuilder::sub_agent`"]
pub struct SubAgent {
    name: String,
    description: String,
    instructions: Option<String>,
    model: Option<Arc<dyn Model>>,
    registry: Option<Registry>,
    policy: Policy,
    groups: Vec<ToolGroup>,
    search: Search,
    limits: RunLimits,
    spawns: Vec<String>,
    location: Location,
}

/// How a type finds its tools.
enum Search {
    /// As its registry says.
    Inherited,
    With(ToolSearch),
    Without,
}

impl SubAgent {
    /// A type under the name that the model chooses it by, with what the model reads about it.
    #[track_caller]
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            instructions: None,
            model: None,
            registry: None,
            policy: Policy::default(),
            groups: Vec::new(),
            search: Search::Inherited,
            limits: RunLimits::DEFAULT,
            spawns: Vec::new(),
            location: Location::caller(),
        }
    }

    /// What its model reads before the task. Those of the agent are not inherited.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// The model of this type, instead of the agent's.
    pub fn model(mut self, model: impl Model) -> Self {
        self.model = Some(Arc::new(model));
        self
    }

    /// The tools of this type, with their groups, instead of the agent's. Host values that its registry has not are
    /// inherited.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = Some(registry);
        self
    }

    /// Hides tools from this type: they are not listed, not found, and refused like unknown ones. Deny wins over allow.
    pub fn deny(mut self, selectors: impl IntoIterator<Item = impl Into<ToolSelector>>) -> Self {
        self.policy.deny(selectors);
        self
    }

    /// Hides all tools from this type but these, and those that its registry hides anyway.
    pub fn allow(mut self, selectors: impl IntoIterator<Item = impl Into<ToolSelector>>) -> Self {
        self.policy.allow(selectors);
        self
    }

    /// Adds a group that each run of this type loads and builds for itself.
    pub fn group(mut self, group: ToolGroup) -> Self {
        self.groups.push(group);
        self
    }

    /// Sets up the search of this type, instead of the registry's own.
    pub fn search(mut self, search: ToolSearch) -> Self {
        self.search = Search::With(search);
        self
    }

    /// Leaves the search tool out; deferred tools then need another way to be found.
    pub fn without_search(mut self) -> Self {
        self.search = Search::Without;
        self
    }

    /// Limits of each run of this type. Those of the runs above hold as well.
    pub fn limits(mut self, limits: RunLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Lets this type start sub-agents, its own type among them if it is named. What they may do is not narrowed by what
    /// this type may do.
    pub fn spawns(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.spawns.extend(names.into_iter().map(Into::into));
        self
    }
}

impl fmt::Debug for SubAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SubAgent")
            .field("name", &self.name)
            .field("description", &self.description)
            .field("limits", &self.limits)
            .field("spawns", &self.spawns)
            .finish_non_exhaustive()
    }
}
