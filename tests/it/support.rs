//! Small tools, and looks into sessions, that all tests share.

mod ways;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    task::Poll,
};

use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tool_core::{
    EventContext, EventSink, FunctionTool, FunctionToolBuilder, RefusalReason, Session, SessionEvent,
    ToolCall, ToolContext, Turn,
};

pub(crate) use ways::{WAYS, Way, in_every_way};

/// Which tools ran, in order of their starts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Runs(Arc<Mutex<Vec<String>>>);

impl Runs {
    pub(crate) fn add(&self, name: impl Into<String>) {
        self.0.lock().unwrap().push(name.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// A tool without arguments that is counted and answers `<name> ran`.
    pub(crate) fn tool(&self, builder: FunctionToolBuilder) -> FunctionTool {
        let runs = self.clone();
        builder.handler(move |(): (), context: ToolContext| {
            let runs = runs.clone();
            async move {
                let name = context.tool_name().unwrap().to_string();
                runs.add(name.clone());
                format!("{name} ran")
            }
        })
    }

    /// [`tool`](Self::tool), in every list.
    pub(crate) fn eager(&self, name: &str) -> FunctionTool {
        self.tool(builder(name, "Does what it says."))
    }

    /// [`tool`](Self::tool), hidden until it is revealed.
    pub(crate) fn hidden(&self, name: &str, description: &str) -> FunctionTool {
        self.tool(builder(name, description).deferred())
    }
}

pub(crate) fn builder(name: &str, description: &str) -> FunctionToolBuilder {
    FunctionTool::builder(name.to_owned(), description.to_owned())
}

/// A tool in every list that answers `<name> ran`.
pub(crate) fn eager(name: &str) -> FunctionTool {
    Runs::default().eager(name)
}

/// A hidden tool that answers `<name> ran`.
pub(crate) fn hidden(name: &str, description: &str) -> FunctionTool {
    Runs::default().hidden(name, description)
}

/// Doors that the test opens, one pass each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gates(Arc<Mutex<HashMap<String, Arc<Semaphore>>>>);

impl Gates {
    fn gate(&self, name: &str) -> Arc<Semaphore> {
        let mut gates = self.0.lock().unwrap();
        Arc::clone(gates.entry(name.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(0))))
    }

    pub(crate) async fn pass(&self, name: &str) {
        self.gate(name).acquire().await.unwrap().forget();
    }

    pub(crate) fn open(&self, name: &str) {
        self.gate(name).add_permits(1);
    }
}

/// Keeps every event.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<SessionEvent>>>);

impl Log {
    pub(crate) fn all(&self) -> Vec<SessionEvent> {
        self.0.lock().unwrap().clone()
    }

    /// What came since the last time.
    pub(crate) fn take(&self) -> Vec<SessionEvent> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    /// `name: reason` of each refusal.
    pub(crate) fn refusals(&self) -> Vec<(String, RefusalReason)> {
        let events = self.all().into_iter();
        let refusals = events.filter_map(|event| match event {
            SessionEvent::Refused { name, reason, .. } => Some((name, reason)),
            _ => None,
        });
        refusals.collect()
    }

    pub(crate) fn revealed(&self) -> Vec<String> {
        let events = self.all().into_iter();
        let revealed = events.filter_map(|event| match event {
            SessionEvent::Revealed { tool } => Some(tool.to_string()),
            _ => None,
        });
        revealed.collect()
    }
}

impl EventSink for Log {
    fn on_event(&self, event: &SessionEvent, _: &EventContext<'_>) {
        self.0.lock().unwrap().push(event.clone());
    }
}

pub(crate) fn call(id: &str, name: &str) -> ToolCall {
    ToolCall::new(id, name, "{}")
}

pub(crate) fn call_with(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(id, name, arguments)
}

pub(crate) fn search(id: &str, query: &str) -> ToolCall {
    ToolCall::new(id, "tool_search", json!({ "query": query }))
}

/// The names of a turn's list, in order.
pub(crate) fn names(turn: &Turn) -> Vec<String> {
    turn.tools().map(|tool| tool.name().to_string()).collect()
}

/// What a host would send.
pub(crate) fn bytes(turn: &Turn) -> String {
    serde_json::to_string(&turn.tools().collect::<Vec<_>>()).unwrap()
}

/// Calls one after the other in one batch and returns what the model reads of each.
pub(crate) async fn texts(turn: &Turn, calls: impl IntoIterator<Item = ToolCall>) -> Vec<String> {
    turn.call_all(calls).await.into_results().iter().map(|result| result.text().into_owned()).collect()
}

/// What the model reads of one call.
pub(crate) async fn text(turn: &Turn, call: ToolCall) -> String {
    texts(turn, [call]).await.remove(0)
}

/// The names in the JSON list of a search result, in order.
pub(crate) fn hits(text: &str) -> Vec<String> {
    let list: Vec<Value> = serde_json::from_str(list(text)).unwrap();
    list.iter().map(|hit| hit["name"].as_str().unwrap().to_owned()).collect()
}

/// The JSON list of a search result.
pub(crate) fn list(text: &str) -> &str {
    text.split_once("\n\n").map_or(text, |(list, _)| list)
}

/// What stands below the list of a search result.
pub(crate) fn note(text: &str) -> &str {
    text.split_once("\n\n").map_or("", |(_, note)| note)
}

/// All orders of some items.
pub(crate) fn permutations<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for index in 0..items.len() {
        let mut rest = items.to_vec();
        let first = rest.remove(index);
        for mut tail in permutations(&rest) {
            tail.insert(0, first.clone());
            all.push(tail);
        }
    }
    all
}

/// Polls a future once.
pub(crate) async fn poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    std::future::poll_fn(|task| match std::pin::Pin::new(&mut *future).poll(task) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => Poll::Ready(None),
    })
    .await
}

/// Runs a future to its end, for tests that have no runtime of their own.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

/// Compares a text with a file of `tests/golden`; with `UPDATE_GOLDEN` set, writes it.
pub(crate) fn golden(file: &str, text: &str) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(file);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{} differs; run `just refresh` and read the diff\n{text}", path.display());
}

/// The names that a session has revealed, in order.
pub(crate) fn revealed(session: &Session) -> Vec<String> {
    session.revealed().iter().map(ToString::to_string).collect()
}

/// A future that is expected to end, with the clock stopped: one that hangs fails its test.
pub(crate) async fn ends<F: Future>(future: F) -> F::Output {
    tokio::time::timeout(std::time::Duration::from_secs(7 * 86_400), future).await.expect("it hangs")
}
