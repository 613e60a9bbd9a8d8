//! One conversation with a client, and the turn that each call is judged by.
//!
//! A client may call what an answered search revealed without listing again, and may not call what a search reveals that
//! is still unanswered. So a turn is made when a call arrives; while a discovery call is unanswered, calls that arrive are
//! judged by the turn before it, and the next discovery call waits.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{oneshot, watch};
use tool_core::{
    ApprovalDecision, Batch, CallResult, Session, ToolCall, ToolDefinition, ToolKind, ToolName, Turn,
    TurnError,
};

/// What an approval that needs a person is answered with: nobody is there.
const NOBODY: &str = "it needs a person, and there is none on this connection";

/// A session and the order of its calls.
#[derive(Debug)]
pub(super) struct Served {
    session: Session,
    order: Mutex<Order>,
    /// Counts changes of the tool list that calls have made.
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct Order {
    /// Discovery calls that are not answered.
    unanswered: usize,
    /// The turn of calls that arrive while there are such.
    pinned: Option<Arc<Turn>>,
    /// Ends when the last discovery call that arrived is answered.
    last: Option<oneshot::Receiver<()>>,
}

/// A call that has arrived: the turn to judge it by, and its place among the discovery calls. Until
/// [`answered`](Arrival::answered) it holds back what it reveals.
#[derive(Debug)]
pub(super) struct Arrival {
    served: Arc<Served>,
    turn: Arc<Turn>,
    place: Option<Mutex<Place>>,
}

/// A place in the row of discovery calls; it ends when its sender is dropped.
#[derive(Debug)]
struct Place {
    before: Option<oneshot::Receiver<()>>,
    done: Option<oneshot::Sender<()>>,
}

impl Served {
    pub(super) fn new(session: Session) -> Arc<Self> {
        Arc::new(Self { session, order: Mutex::default(), changes: watch::Sender::new(0) })
    }

    fn order(&self) -> MutexGuard<'_, Order> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn tools(&self) -> Vec<ToolDefinition> {
        self.session.tools()
    }

    /// The tools that were never hidden, without those that reveal.
    pub(super) async fn eager(&self) -> Result<Vec<ToolDefinition>, TurnError> {
        let turn = self.session.turn().await?;
        let ordinary = |tool: &&ToolDefinition| turn.kind(tool.name().as_str()) == Some(ToolKind::Ordinary);
        Ok(turn.tools().filter(ordinary).cloned().collect())
    }

    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Notes a call of `name`. To be called in the order in which calls come.
    pub(super) async fn arrive(self: &Arc<Self>, name: &str) -> Result<Arrival, TurnError> {
        let pinned = self.order().pinned.clone();
        let turn = match pinned {
            Some(turn) => turn,
            None => Arc::new(self.session.turn().await?),
        };
        let served = Arc::clone(self);
        if turn.kind(name) != Some(ToolKind::Discovery) {
            return Ok(Arrival { served, turn, place: None });
        }
        let (done, next) = oneshot::channel();
        let mut order = self.order();
        order.unanswered += 1;
        order.pinned.get_or_insert_with(|| Arc::clone(&turn));
        let before = order.last.replace(next);
        drop(order);
        Ok(Arrival { served, turn, place: Some(Mutex::new(Place { before, done: Some(done) })) })
    }

    fn names(&self) -> Vec<ToolName> {
        self.session.tools().iter().map(|tool| tool.name().clone()).collect()
    }

    async fn run(&self, turn: &Turn, call: ToolCall) -> Option<CallResult> {
        let mut batch = turn.call_all([call]).await;
        if let Batch::Suspended(requests) = &batch {
            for request in requests {
                // An id that is not open any more has a result.
                let _ = self.session.decide(&request.call_id, ApprovalDecision::deny(NOBODY)).await;
            }
            // The session is in no store, so nothing can fail to be saved.
            batch = self.session.finish().await.ok()?;
        }
        batch.into_results().pop()
    }
}

impl Arrival {
    fn place(&self) -> Option<MutexGuard<'_, Place>> {
        Some(self.place.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether the call is one of a discovery tool.
    pub(super) fn reveals(&self) -> bool {
        self.place.is_some()
    }

    /// Runs the call, after the discovery calls before it if it is one. `true` says that the list has changed.
    pub(super) async fn call(&self, call: ToolCall) -> (Option<CallResult>, bool) {
        let served = &self.served;
        if self.place.is_none() {
            return (served.run(&self.turn, call).await, false);
        }
        let before = self.place().and_then(|mut place| place.before.take());
        if let Some(before) = before {
            // An error says that it was dropped: it is done, too.
            let _ = before.await;
        }
        let old = served.names();
        let result = served.run(&self.turn, call).await;
        let changed = old != served.names();
        if changed {
            served.changes.send_modify(|changes| *changes += 1);
        }
        (result, changed)
    }

    /// The client has the answer: what the call revealed may be called.
    pub(super) async fn answered(&self) {
        if self.place.is_some() {
            // Only calls beside one that is still unanswered need it: a turn without calls would start the counts of runs
            // that go in circles again.
            if self.served.order().unanswered > 1 {
                let turn = self.served.session.turn().await.ok().map(Arc::new);
                self.served.order().pinned = turn;
            }
            self.leave();
        }
    }

    /// Lets the next discovery call run.
    fn leave(&self) {
        let Some(done) = self.place().and_then(|mut place| place.done.take()) else { return };
        let mut order = self.served.order();
        order.unanswered -= 1;
        if order.unanswered == 0 {
            order.pinned = None;
        }
        drop(order);
        drop(done);
    }
}

impl Drop for Arrival {
    /// A call that was cancelled has revealed nothing; the next one may go on.
    fn drop(&mut self) {
        self.leave();
    }
}
