//! Tools that come from sources: what is listed, when, under which names, and what changes do to conversations.

mod building;
mod changes;
mod life_cycle;
mod listing;
mod suspended;

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::{Map, Value};
use tokio::sync::watch;
use tool_core::{
    Registry, RegistryBuilder, RejectedTool, SourceError, SourceFuture, SourceListing, SourceState,
    SourceTool, ToolContext, ToolFuture, ToolOutput, ToolSource, Toolset,
};

use crate::support::Gates;

pub(crate) const SCHEMA: &str =
    r#"{"type":"object","properties":{"id":{"type":"integer","description":"Number."}}}"#;

/// A source that does what its test says.
#[derive(Clone)]
pub(crate) struct Fake(Arc<State>);

struct State {
    answer: Mutex<Answer>,
    changes: watch::Sender<()>,
    lists: watch::Sender<usize>,
    calls: Mutex<Vec<(String, Value)>>,
    closed: Mutex<usize>,
    gates: Gates,
}

#[derive(Clone)]
pub(crate) enum Answer {
    Tools(SourceListing),
    Fails(String),
    Hangs,
    Panics,
    /// Waits for the gate `list`, then answers.
    Gated(SourceListing),
}

pub(crate) fn tool(name: &str, description: &str) -> SourceTool {
    SourceTool::new(name, description, SCHEMA)
}

impl Fake {
    pub(crate) fn answering(answer: Answer) -> Self {
        Self(Arc::new(State {
            answer: Mutex::new(answer),
            changes: watch::Sender::new(()),
            lists: watch::Sender::new(0),
            calls: Mutex::default(),
            closed: Mutex::default(),
            gates: Gates::default(),
        }))
    }

    pub(crate) fn new(tools: impl IntoIterator<Item = SourceTool>) -> Self {
        Self::answering(Answer::Tools(tools.into_iter().collect::<Vec<_>>().into()))
    }

    pub(crate) fn named(names: &[&str]) -> Self {
        Self::new(names.iter().map(|name| tool(name, &format!("Does {name}."))))
    }

    /// What the next list is, without a word about it.
    pub(crate) fn prepare(&self, answer: Answer) {
        *self.0.answer.lock().unwrap() = answer;
    }

    /// Says that its list changed.
    pub(crate) fn say_changed(&self) {
        self.0.changes.send_replace(());
    }

    /// Changes its list, says so, and waits until it was asked.
    pub(crate) async fn change(&self, answer: Answer) {
        let mut lists = self.0.lists.subscribe();
        lists.mark_unchanged();
        self.prepare(answer);
        self.say_changed();
        lists.changed().await.unwrap();
        settle().await;
    }

    pub(crate) async fn change_to(&self, tools: impl IntoIterator<Item = SourceTool>) {
        self.change(Answer::Tools(tools.into_iter().collect::<Vec<_>>().into())).await;
    }

    pub(crate) fn lists(&self) -> usize {
        *self.0.lists.borrow()
    }

    pub(crate) fn calls(&self) -> Vec<(String, Value)> {
        self.0.calls.lock().unwrap().clone()
    }

    pub(crate) fn closed(&self) -> usize {
        *self.0.closed.lock().unwrap()
    }

    pub(crate) fn gates(&self) -> &Gates {
        &self.0.gates
    }
}

impl ToolSource for Fake {
    fn list(&self) -> SourceFuture<'_, Result<SourceListing, SourceError>> {
        self.0.lists.send_modify(|lists| *lists += 1);
        let answer = self.0.answer.lock().unwrap().clone();
        Box::pin(async move {
            match answer {
                Answer::Tools(listing) => Ok(listing),
                Answer::Fails(reason) => Err(SourceError::new(reason)),
                Answer::Hangs => std::future::pending().await,
                Answer::Panics => panic!("no list today"),
                Answer::Gated(listing) => {
                    self.0.gates.pass("list").await;
                    Ok(listing)
                }
            }
        })
    }

    fn call<'a>(
        &'a self,
        name: &'a str,
        arguments: Map<String, Value>,
        context: &'a ToolContext,
    ) -> ToolFuture<'a> {
        self.0.calls.lock().unwrap().push((name.to_owned(), Value::Object(arguments)));
        Box::pin(async move {
            match name {
                "slow" => self.0.gates.pass("slow").await,
                "endless" => std::future::pending().await,
                "who" => return Ok(ToolOutput::text(context.get::<String>().unwrap().as_str())),
                _ => {}
            }
            Ok(ToolOutput::text(format!("{name} ran")))
        })
    }

    fn changed(&self) -> Option<watch::Receiver<()>> {
        Some(self.0.changes.subscribe())
    }

    fn close(&self) -> SourceFuture<'_, ()> {
        Box::pin(async move { *self.0.closed.lock().unwrap() += 1 })
    }
}

/// A registry with one source, `github`.
pub(crate) fn github(source: &Fake) -> RegistryBuilder {
    Registry::builder().toolset(Toolset::new("github").source(source.clone()))
}

/// A registry whose sources are ready, or have failed.
pub(crate) async fn ready(builder: RegistryBuilder) -> Registry {
    let registry = builder.build().unwrap();
    registry.ready(Duration::from_secs(600)).await;
    registry
}

/// Lets every other task do what it can do without waiting.
pub(crate) async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

/// The states of a registry's sources, in words.
pub(crate) fn states(registry: &Registry) -> Vec<SourceState> {
    registry.sources().into_iter().map(|status| status.state).collect()
}

pub(crate) fn rejected(name: &str, reason: &str) -> RejectedTool {
    RejectedTool::new(name, reason)
}
