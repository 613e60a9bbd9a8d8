//! What a conversation should be: sets, vectors, and the calls one after the other.

use std::collections::BTreeSet;

use super::{
    run::{Run, Waiting},
    state::{Change, Kind, State, discovery},
    steps::Decision,
    world::{Call, Mode},
};

/// What one call should give.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) text: String,
    /// The hits of a search, which has no other text to compare.
    pub(super) hits: Option<Vec<String>>,
    /// The names that the answer of a search may have.
    pub(super) may_say: Vec<String>,
}

/// A batch that waits.
#[derive(Debug)]
struct Open {
    results: Vec<Option<Expected>>,
    waiting: Vec<Waiting>,
    changes: Vec<Change>,
}

pub(super) struct Reference {
    pub(super) mode: Mode,
    state: State,
    pub(super) approved: BTreeSet<&'static str>,
    open: Option<Open>,
}

impl Reference {
    pub(super) fn new(mode: Mode, budget: Option<usize>) -> Self {
        let state = State { budget, ..State::default() };
        Self { mode, state, approved: BTreeSet::new(), open: None }
    }

    pub(super) fn base(&self) -> Vec<String> {
        let eager = ["note", "zq_ask", "zq_echo"];
        eager.iter().chain(discovery(self.mode)).map(|name| (*name).to_owned()).collect()
    }

    pub(super) fn listed(&self) -> Vec<String> {
        if self.mode == Mode::Bridge { self.base() } else { self.callable() }
    }

    pub(super) fn callable(&self) -> Vec<String> {
        self.base().into_iter().chain(self.state.visible().cloned()).collect()
    }

    pub(super) fn revealed(&self) -> Vec<String> {
        let there = |name: &&String| self.state.kind(name, self.mode).is_some();
        self.state.order.iter().filter(there).cloned().collect()
    }

    pub(super) fn groups(&self) -> &[String] {
        &self.state.groups
    }

    pub(super) fn waiting(&self) -> Vec<String> {
        let open = self.open.iter().flat_map(|open| &open.waiting);
        open.map(|(_, id, _)| id.clone()).collect()
    }

    pub(super) fn reveal(&mut self, name: &str) -> bool {
        self.state.is_hidden_kind(name) && self.state.reveal(name) == Ok(true)
    }

    pub(super) fn unload(&mut self, name: &str) -> bool {
        matches!(self.state.kind(name, self.mode), None | Some(Kind::Hidden)) && self.state.unload(name)
    }

    pub(super) fn load_group(&mut self, name: &str) -> bool {
        name != "bad" && !self.state.load(name).groups.is_empty()
    }

    pub(super) fn add_late(&mut self) {
        self.state.own.insert("user_zq_hello", "user");
        self.state.return_plan();
        if !self.state.has("user_zq_hello") {
            self.state.order.push("user_zq_hello".to_owned());
        }
    }

    /// What was added is gone until it is added again; its places are kept.
    pub(super) fn resume(&mut self) {
        self.state.own.retain(|_, holder| *holder != "user");
    }

    /// Budgets count what the open batch reveals.
    fn keep_free(&mut self) {
        let changes = self.open.iter().flat_map(|open| &open.changes);
        let reveals = changes.filter_map(|change| match change {
            Change::Reveal(name) => Some(name.clone()),
            _ => None,
        });
        self.state.kept_free = reveals.collect();
    }

    /// The results of a batch, or nothing where it waits.
    pub(super) fn batch(&mut self, callable: &[String], calls: &[Call]) -> Option<Vec<Expected>> {
        let asked_before = self.approved.clone();
        let mut run = Run::new(self.state.clone(), self, callable);
        let mut seen = BTreeSet::new();
        let mut results = Vec::new();
        for (index, call) in calls.iter().enumerate() {
            let repeated = !seen.insert(&call.id);
            results.push(run.call(index, call, repeated, &asked_before));
        }
        let (changes, waiting) = run.end();
        if !waiting.is_empty() && self.open.is_none() {
            self.open = Some(Open { results, waiting, changes });
            self.keep_free();
            return None;
        }
        for (index, id, tool) in waiting {
            let text = format!("Tool '{tool}' was not approved: other calls wait for a decision");
            results[index] = Some(plain(id, tool, text));
        }
        for change in &changes {
            self.state.apply(change);
        }
        Some(results.into_iter().map(Option::unwrap).collect())
    }

    /// The results of the open batch, or nothing where it still waits.
    pub(super) fn finish(&mut self, decisions: &[Decision]) -> Option<Vec<Expected>> {
        let Some(mut open) = self.open.take() else { return Some(Vec::new()) };
        let mut left = Vec::new();
        for ((index, id, tool), decision) in open.waiting.into_iter().zip(decisions.iter().cycle()) {
            let text = match decision {
                Decision::Wait => {
                    left.push((index, id, tool));
                    continue;
                }
                Decision::Allow => format!("{tool} ran"),
                Decision::AllowForSession => {
                    self.approved.insert(tool);
                    format!("{tool} ran")
                }
                Decision::Deny => format!("Tool '{tool}' was not approved: no"),
                Decision::Answer => "by hand".to_owned(),
            };
            open.results[index] = Some(plain(id, tool, text));
        }
        open.waiting = left;
        if open.waiting.is_empty() {
            self.keep_free();
            for change in &open.changes {
                self.state.apply(change);
            }
            return Some(open.results.into_iter().map(Option::unwrap).collect());
        }
        self.open = Some(open);
        None
    }
}

pub(super) fn plain(id: String, name: &str, text: String) -> Expected {
    Expected { id, name: name.to_owned(), text, hits: None, may_say: Vec::new() }
}
