//! A run loop over a session: model request, calls, model request, until the model answers.
//!
//! An [`Agent`] is configuration without run state; each run has a [`Conversation`] of its own, or borrows one. A run
//! and its event stream are the same state machine (`drive`), awaited to its end or pulled event by event. What goes
//! into the messages goes through `history`, which keeps them acceptable to a provider whatever the model sent.

mod builder;
mod conversation;
mod drive;
mod event;
mod history;
mod message;
mod model;
mod options;
mod result;
mod run;
#[cfg(feature = "test-util")]
mod scripted;
mod stream;
mod sub_agent;

use std::{fmt, sync::Arc};

pub use builder::{AgentBuildError, AgentBuilder};
pub use conversation::{Conversation, ForeignSession};
pub use event::AgentEvent;
pub use message::{Message, ResultStatus};
pub use model::{
    FinishReason, Model, ModelError, ModelErrorKind, ModelFuture, ModelIdentity, ModelReply, ModelRequest,
    ToolChoice, Usage,
};
pub use options::{RunLimits, RunOptions};
pub use result::{RunError, RunResult, StopReason};
pub use run::{Run, RunFuture};
#[cfg(feature = "test-util")]
pub use scripted::{ScriptError, ScriptedModel, SeenRequest};
pub use stream::AgentStream;
pub use sub_agent::{SubAgent, SubAgentError, SubAgentFault};

use crate::{Registry, Session, Warning};

/// Instructions, registry, model and limits of runs. Holds no run state: a clone is cheap, and any number of runs may
/// share one agent at the same time.
///
/// # Examples
/// ```
/// use tool_core::{Agent, Model, ModelFuture, ModelReply, ModelRequest, Registry, StopReason};
///
/// struct Polite;
///
/// impl Model for Polite {
///     fn respond<'a>(&'a self, request: ModelRequest<'a>) -> ModelFuture<'a> {
///         let count = request.messages.len();
///         Box::pin(async move { Ok(ModelReply::text(format!("I read {count} messages."))) })
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::builder().build()?;
/// let agent = Agent::builder(Polite).registry(registry.clone()).instructions("Be brief.").build()?;
///
/// let answer = agent.run("Hello").await?;
/// assert_eq!(answer.text, "I read 2 messages.");
/// assert!(matches!(answer.stop_reason, StopReason::Answered));
///
/// let mut conversation = agent.conversation(registry.session())?;
/// agent.continue_run(&mut conversation, "Hello").await?;
/// let answer = agent.continue_run(&mut conversation, "And now?").await?;
/// assert_eq!(answer.text, "I read 4 messages.");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Agent(Arc<AgentInner>);

struct AgentInner {
    name: Option<String>,
    model: Arc<dyn Model>,
    registry: Registry,
    instructions: Option<String>,
    limits: RunLimits,
    warnings: Vec<Warning>,
    sub_agents: Arc<[sub_agent::SubAgentType]>,
}

impl Agent {
    /// Starts the configuration of an agent that asks `model`.
    pub fn builder(model: impl Model) -> AgentBuilder {
        AgentBuilder::new(Arc::new(model))
    }

    /// The registry whose sessions this agent runs: the one that it was given, or, with sub-agents, one that has `spawn`
    /// beside it.
    pub fn registry(&self) -> &Registry {
        &self.0.registry
    }

    /// The name that was given.
    pub fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// What the model reads before all else.
    pub fn instructions(&self) -> Option<&str> {
        self.0.instructions.as_deref()
    }

    /// What works, but hardly as meant, such as instructions that name a hidden tool, here or in a sub-agent. Worth
    /// logging at start, beside [`Registry::warnings`].
    pub fn warnings(&self) -> &[Warning] {
        &self.0.warnings
    }

    /// Runs `input` in a conversation of its own, with a new session.
    pub fn run(&self, input: impl Into<String>) -> Run<'static> {
        let conversation = Conversation::new(self.0.registry.session());
        Run::new(self.clone(), drive::Target::Own(conversation), Some(input.into()))
    }

    /// The events of [`run`](Self::run), pulled: nothing happens unless the stream is polled.
    pub fn stream(&self, input: impl Into<String>) -> AgentStream<'static> {
        self.run(input).stream()
    }

    /// A conversation over a session that has its host values, reveals or resumed state already.
    ///
    /// # Errors
    /// [`ForeignSession`] if the session belongs to another registry than [`registry`](Self::registry).
    pub fn conversation(&self, session: Session) -> Result<Conversation, ForeignSession> {
        self.owns(&session).then(|| Conversation::new(session)).ok_or(ForeignSession)
    }

    /// Goes on with `conversation`: calls that a dropped run left open are answered `cancelled`, `input` is appended,
    /// and the model is asked. Calls that wait for the host and are not all decided are
    /// [`RunError::Undecided`], and nothing is changed; where they are, they are run first.
    ///
    /// The events of the run are `agent.continue_run(…).stream()`.
    pub fn continue_run<'c>(&self, conversation: &'c mut Conversation, input: impl Into<String>) -> Run<'c> {
        Run::new(self.clone(), drive::Target::Borrowed(conversation), Some(input.into()))
    }

    /// Goes on with `conversation` where it stands, without input: after decisions, a model error, a cancellation or a
    /// limit.
    ///
    /// Calls that were decided run first; while others wait, it stops with [`StopReason::AwaitingApproval`] again.
    /// Nothing is asked if the last message is an answer already; it is the result then.
    ///
    /// # Examples
    /// The calls may be decided in another process: keep the messages and the session's snapshot.
    /// ```
    /// # use tool_core::*;
    /// # struct AskSomebody;
    /// # impl ApprovalPolicy for AskSomebody {
    /// #     fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
    /// #         Box::pin(async { ApprovalDecision::Suspend })
    /// #     }
    /// # }
    /// # struct PayThenAnswer;
    /// # impl Model for PayThenAnswer {
    /// #     fn respond<'a>(&'a self, request: ModelRequest<'a>) -> ModelFuture<'a> {
    /// #         let reply = match request.messages.last() {
    /// #             Some(Message::Tool { output, .. }) => ModelReply::text(output.to_text()),
    /// #             _ => ModelReply::calls([ToolCall::new("1", "pay", "{}")]),
    /// #         };
    /// #         Box::pin(async move { Ok(reply) })
    /// #     }
    /// # }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let pay = FunctionTool::builder("pay", "Pays.").requires_approval()
    /// #     .handler(async |_: (), _: ToolContext| "paid");
    /// # let registry = Registry::builder().tool(pay).approval(AskSomebody).build()?;
    /// # let agent = Agent::builder(PayThenAnswer).registry(registry.clone()).build()?;
    /// let result = agent.run("Pay.").await?;
    /// let StopReason::AwaitingApproval(requests) = result.stop_reason else { panic!() };
    /// let mut conversation = result.conversation.unwrap();
    /// for request in requests {
    ///     conversation.session().decide(&request.call_id, ApprovalDecision::AllowOnce).await?;
    /// }
    /// assert_eq!(agent.resume(&mut conversation).await?.text, "paid");
    /// # Ok(())
    /// # }
    /// ```
    pub fn resume<'c>(&self, conversation: &'c mut Conversation) -> Run<'c> {
        Run::new(self.clone(), drive::Target::Borrowed(conversation), None)
    }

    fn owns(&self, session: &Session) -> bool {
        self.0.registry.is(session.registry())
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("instructions", &self.0.instructions)
            .field("limits", &self.0.limits)
            .finish_non_exhaustive()
    }
}
