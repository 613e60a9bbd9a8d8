//! A [`Model`] for tests: it answers from a script and keeps what it was asked.

use std::{
    collections::VecDeque,
    fmt,
    future::{pending, ready},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::{Message, Model, ModelError, ModelErrorKind, ModelFuture, ModelReply, ModelRequest, ToolChoice};
use crate::ToolName;

type Answer = Result<ModelReply, ModelError>;
type Closure = dyn Fn(ModelRequest<'_>) -> Answer + Send + Sync;

/// A model that answers from a script. A clone is another handle of the same one: give one to the agent, and ask the
/// other what it saw.
///
/// A list of replies ([`new`](Self::new)) is for one conversation. For many conversations at the same time,
/// [`answering`](Self::answering) takes a closure that reads off the messages which of them asks, and where it is.
///
/// # Examples
/// ```
/// use tool_core::{Agent, ModelReply, Registry, ScriptedModel};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = ScriptedModel::new([ModelReply::text("Hello!")]);
/// let agent = Agent::builder(model.clone()).registry(Registry::builder().build()?).build()?;
///
/// assert_eq!(agent.run("Hi").await?.text, "Hello!");
/// assert_eq!(model.requests().len(), 1);
/// model.finish()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ScriptedModel {
    state: Arc<Mutex<State>>,
    /// Answers what is beyond the list.
    closure: Option<Arc<Closure>>,
}

#[derive(Default)]
struct State {
    steps: VecDeque<Step>,
    /// Requests that nothing in the script answers.
    beyond: usize,
    seen: Vec<SeenRequest>,
}

enum Step {
    Answer(Answer),
    Compute(Box<dyn FnOnce(ModelRequest<'_>) -> Answer + Send>),
    Never,
}

/// What a [`ScriptedModel`] was asked.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SeenRequest {
    /// The messages as sent.
    pub messages: Vec<Message>,
    /// The names of the tools in the list, in order.
    pub tools: Vec<ToolName>,
    /// The definition of each of them as JSON text.
    pub definitions: Vec<String>,
    /// Whether the model had to call.
    pub choice: ToolChoice,
}

/// The script and what was asked of it do not agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptError {
    /// The model was asked more often than the script answers.
    #[error("the script has no reply for {requests} of the requests")]
    Exhausted {
        /// Requests without a reply.
        requests: usize,
    },
    /// Not all of the script was asked for.
    #[error("{replies} of the script's replies were not asked for")]
    Unfinished {
        /// Replies that nobody asked for.
        replies: usize,
    },
}

impl ScriptedModel {
    /// Answers with these replies, one per request.
    pub fn new(replies: impl IntoIterator<Item = ModelReply>) -> Self {
        let steps = replies.into_iter().map(|reply| Step::Answer(Ok(reply))).collect();
        Self { state: Arc::new(Mutex::new(State { steps, ..State::default() })), closure: None }
    }

    /// Answers each request with `answer`, so it is never exhausted.
    pub fn answering(answer: impl Fn(ModelRequest<'_>) -> Answer + Send + Sync + 'static) -> Self {
        Self { state: Arc::default(), closure: Some(Arc::new(answer)) }
    }

    /// Adds a reply to the list.
    #[must_use]
    pub fn then(self, reply: ModelReply) -> Self {
        self.push(Step::Answer(Ok(reply)))
    }

    /// Adds a failed request to the list.
    #[must_use]
    pub fn then_error(self, error: ModelError) -> Self {
        self.push(Step::Answer(Err(error)))
    }

    /// Adds a reply to the list that is made from the request.
    #[must_use]
    pub fn then_with(self, answer: impl FnOnce(ModelRequest<'_>) -> Answer + Send + 'static) -> Self {
        self.push(Step::Compute(Box::new(answer)))
    }

    /// Adds a request to the list that is never answered, for tests of cancellation.
    #[must_use]
    pub fn then_never(self) -> Self {
        self.push(Step::Never)
    }

    fn push(self, step: Step) -> Self {
        self.lock().steps.push_back(step);
        self
    }

    /// All requests so far, oldest first.
    pub fn requests(&self) -> Vec<SeenRequest> {
        self.lock().seen.clone()
    }

    /// Says whether the list was asked for as a whole, and no request went without a reply.
    ///
    /// # Errors
    /// [`ScriptError`] if replies are left, or requests came after the last one.
    pub fn finish(&self) -> Result<(), ScriptError> {
        let state = self.lock();
        if state.beyond > 0 {
            Err(ScriptError::Exhausted { requests: state.beyond })
        } else if !state.steps.is_empty() {
            Err(ScriptError::Unfinished { replies: state.steps.len() })
        } else {
            Ok(())
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the request and takes the step that answers it.
    fn next_step(&self, request: SeenRequest) -> Option<Step> {
        let mut state = self.lock();
        state.seen.push(request);
        let step = state.steps.pop_front();
        if step.is_none() && self.closure.is_none() {
            state.beyond += 1;
        }
        step
    }

    fn exhausted(&self) -> ModelError {
        let error = ScriptError::Exhausted { requests: self.lock().beyond };
        ModelError::new(ModelErrorKind::Other, error.to_string()).with_source(error)
    }
}

impl Model for ScriptedModel {
    fn respond<'a>(&'a self, request: ModelRequest<'a>) -> ModelFuture<'a> {
        let seen = match SeenRequest::new(request) {
            Ok(seen) => seen,
            Err(error) => return Box::pin(ready(Err(error))),
        };
        let answer = match (self.next_step(seen), &self.closure) {
            (Some(Step::Answer(answer)), _) => answer,
            (Some(Step::Compute(answer)), _) => answer(request),
            (Some(Step::Never), _) => return Box::pin(pending()),
            (None, Some(answer)) => answer(request),
            (None, None) => Err(self.exhausted()),
        };
        Box::pin(ready(answer))
    }
}

impl SeenRequest {
    fn new(request: ModelRequest<'_>) -> Result<Self, ModelError> {
        let definitions: Result<_, serde_json::Error> =
            request.turn.tools().map(serde_json::to_string).collect();
        let unusable = |error: serde_json::Error| {
            ModelError::new(ModelErrorKind::Rejected, error.to_string()).with_source(error)
        };
        Ok(Self {
            messages: request.messages.to_vec(),
            tools: request.turn.tools().map(|definition| definition.name().clone()).collect(),
            definitions: definitions.map_err(unusable)?,
            choice: request.choice,
        })
    }
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("ScriptedModel")
            .field("replies_left", &state.steps.len())
            .field("requests", &state.seen.len())
            .finish_non_exhaustive()
    }
}
