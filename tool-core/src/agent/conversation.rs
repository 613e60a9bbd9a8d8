//! A session with its messages.

use super::{Message, history};
use crate::{CallResult, Session};

/// A session with its messages: what a run goes on with.
///
/// The messages serialise; the session does not, as it holds host values. Keep [`messages`](Self::messages), and give
/// them back with [`with_messages`](Self::with_messages), beside the session's snapshot.
///
/// # Examples
/// ```
/// # use tool_core::{Agent, Message, Model, ModelFuture, ModelReply, ModelRequest, Registry};
/// # struct Yes;
/// # impl Model for Yes {
/// #     fn respond<'a>(&'a self, _: ModelRequest<'a>) -> ModelFuture<'a> {
/// #         Box::pin(async { Ok(ModelReply::text("yes")) })
/// #     }
/// # }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let registry = Registry::builder().build()?;
/// # let agent = Agent::builder(Yes).registry(registry.clone()).build()?;
/// let mut conversation = agent.conversation(registry.session())?;
/// agent.continue_run(&mut conversation, "Are you there?").await?;
/// let stored = serde_json::to_string(conversation.messages())?;
///
/// let messages: Vec<Message> = serde_json::from_str(&stored)?;
/// let again = agent.conversation(registry.session())?.with_messages(messages);
/// assert_eq!(again.messages(), conversation.messages());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Conversation {
    pub(super) session: Session,
    pub(super) messages: Vec<Message>,
}

/// The session belongs to another registry than the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the session belongs to another registry than the agent's; make it with `agent.registry().session()`"
)]
#[non_exhaustive]
pub struct ForeignSession;

impl Conversation {
    pub(super) fn new(session: Session) -> Self {
        Self { session, messages: Vec::new() }
    }

    /// Sets the messages so far. Broken arguments in them are repaired, as in those of a run.
    #[must_use]
    pub fn with_messages(mut self, messages: impl IntoIterator<Item = Message>) -> Self {
        self.messages = messages.into_iter().collect();
        history::repair_messages(&mut self.messages);
        self
    }

    /// All messages so far, oldest first. The agent's instructions are the first one, once a run has started.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The session: its reveals and host values.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Answers the calls of a batch that was suspended and has ended since, whoever called `finish`; gives its results.
    /// Says how many messages that added.
    pub(super) fn take_finished(&mut self) -> (Vec<CallResult>, usize) {
        let results = self.session.take_finished();
        let added = history::answer_last_calls(&mut self.messages, &results);
        (results, added)
    }

    /// Puts the instructions in their place before all other messages, whatever agent was here before.
    pub(super) fn set_instructions(&mut self, instructions: &str) {
        match self.messages.first_mut() {
            Some(Message::System { text }) if text == instructions => {}
            Some(Message::System { text }) => instructions.clone_into(text),
            _ => self.messages.insert(0, Message::System { text: instructions.to_owned() }),
        }
    }
}
