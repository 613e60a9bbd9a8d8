//! A state machine: random conversations against a reference that has sets and vectors and none of the library's code.
//!
//! Each case is a conversation of turns, batches whose calls end in any order, searches, loads, unloads, group loads, late
//! tools, resumes, approvals and decisions. After each step the list, the outcome of each call, and what no text may say are
//! those of the reference, which takes the calls one after the other.

mod reference;
mod run;
mod state;
mod steps;
mod world;

use proptest::test_runner::{Config, TestRunner};
use tool_core::{
    ApprovalDecision, Batch, CallResult, RevealOutcome, Session, SessionSnapshot, ToolOutput, Turn, TurnError,
};

use crate::support::{bytes, names, revealed};

use reference::{Expected, Reference};
use steps::{Decision, Step, steps};
use world::{ALL_NAMES, Call, Mode, World};

/// What the library tells a model that goes in circles; counted elsewhere.
const NOTES: [&str; 3] = [
    "This search was made before and nothing has changed since: call what it found, or answer without it.",
    "Your last turns only searched: call what was found, or answer without it.",
    "Every call of your last turns was refused: call listed tools only, or answer without them.",
];

/// One conversation and what it should be.
struct Machine<'w> {
    world: &'w World,
    session: Session,
    reference: Reference,
}

impl<'w> Machine<'w> {
    fn new(world: &'w World) -> Self {
        let reference = Reference::new(world.mode, world.budget);
        Self { world, session: world.registry.session(), reference }
    }

    async fn step(&mut self, step: &Step) {
        match step {
            Step::Batches(batches) => self.batches(batches).await,
            Step::Reveal(name) => {
                let revealed = matches!(self.session.reveal(name), RevealOutcome::Revealed(_));
                assert_eq!(revealed, self.reference.reveal(name), "reveal {name}");
            }
            Step::Unload(name) => {
                assert_eq!(self.session.unload(name), self.reference.unload(name), "unload {name}");
            }
            Step::LoadGroup(name) => {
                let loaded = self.session.load_group(name).await;
                let loaded = matches!(loaded, tool_core::GroupOutcome::Loaded(_));
                assert_eq!(loaded, self.reference.load_group(name), "load {name}");
            }
            Step::Add => {
                self.session.add(World::late_tools());
                self.reference.add_late();
            }
            Step::Resume => self.resume().await,
            Step::Decide(decisions) => self.decide(decisions).await,
        }
        self.check_state();
    }

    fn check_state(&self) {
        assert_eq!(revealed(&self.session), self.reference.revealed(), "revealed");
        assert_eq!(self.session.loaded_groups(), self.reference.groups(), "groups");
        let waiting: Vec<_> = self.session.undecided().into_iter().map(|request| request.call_id).collect();
        assert_eq!(waiting, self.reference.waiting(), "open calls");
    }

    /// Batches of one turn: the list is that of its start for all of them.
    async fn batches(&mut self, batches: &[Vec<Call>]) {
        let turn = match self.session.turn().await {
            Ok(turn) => turn,
            Err(TurnError::OpenCalls { call_ids }) => {
                assert_eq!(call_ids, self.reference.waiting());
                return;
            }
            Err(error) => panic!("{error}"),
        };
        let listed = self.reference.listed();
        assert_eq!(names(&turn), listed, "the list");
        Self::assert_bytes(&turn, &listed);
        let callable = self.reference.callable();
        for batch in batches {
            let expected = self.reference.batch(&callable, batch);
            let calls = batch.iter().map(|call| call.call(self.world.mode));
            match (turn.call_all(calls).await, expected) {
                (Batch::Done(results), Some(expected)) => assert_results(&results, &expected),
                (Batch::Suspended(requests), None) => {
                    let ids: Vec<_> = requests.into_iter().map(|request| request.call_id).collect();
                    assert_eq!(ids, self.reference.waiting());
                }
                (batch, expected) => panic!("{batch:?}, expected {expected:?}"),
            }
            self.check_state();
        }
    }

    /// Nothing hidden is in the bytes of the request.
    fn assert_bytes(turn: &Turn, listed: &[String]) {
        let bytes = bytes(turn);
        for name in ALL_NAMES.iter().filter(|name| !listed.iter().any(|listed| listed == *name)) {
            assert!(!bytes.contains(&format!("\"{name}\"")), "{name} in {bytes}");
        }
    }

    async fn resume(&mut self) {
        let saved = serde_json::to_string(&self.session.snapshot()).unwrap();
        let snapshot: SessionSnapshot = serde_json::from_str(&saved).unwrap();
        let (session, report) = self.world.registry.resume(snapshot).await.unwrap();
        assert!(report.changed.is_empty() && report.over_budget.is_empty(), "{report:?}");
        self.session = session;
        self.reference.resume();
    }

    async fn decide(&mut self, decisions: &[Decision]) {
        let waiting = self.reference.waiting();
        for (id, decision) in waiting.iter().zip(decisions.iter().cycle()) {
            let decision = match decision {
                Decision::Allow => ApprovalDecision::AllowOnce,
                Decision::AllowForSession => ApprovalDecision::AllowForSession,
                Decision::Deny => ApprovalDecision::deny("no"),
                Decision::Answer => ApprovalDecision::Answer(ToolOutput::text("by hand")),
                Decision::Wait => continue,
            };
            self.session.decide(id, decision).await.unwrap();
        }
        match (self.session.finish().await.unwrap(), self.reference.finish(decisions)) {
            (Batch::Done(results), Some(expected)) => assert_results(&results, &expected),
            (Batch::Suspended(_), None) => {}
            (batch, expected) => panic!("{batch:?}, expected {expected:?}"),
        }
    }
}

fn assert_results(results: &[CallResult], expected: &[Expected]) {
    assert_eq!(results.len(), expected.len());
    for (result, expected) in results.iter().zip(expected) {
        assert_eq!((&result.call_id, &result.name), (&expected.id, &expected.name));
        let text = without_notes(&result.text());
        match &expected.hits {
            None => assert_eq!(text, expected.text, "{}", result.call_id),
            Some(hits) => {
                let list: Vec<serde_json::Value> =
                    serde_json::from_str(text.lines().next().unwrap()).unwrap();
                let shown: Vec<_> = list.iter().map(|hit| hit["name"].as_str().unwrap()).collect();
                assert_eq!(shown, *hits, "{text}");
                let said = |name: &str| {
                    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| word == name)
                };
                for name in ALL_NAMES.iter().filter(|name| said(name)) {
                    assert!(expected.may_say.iter().any(|allowed| allowed == name), "{name} in {text}");
                }
            }
        }
    }
}

fn without_notes(text: &str) -> String {
    let mut text = text.to_owned();
    for note in NOTES {
        for separator in ["\n", " "] {
            if let Some(rest) = text.strip_suffix(&format!("{separator}{note}")) {
                text = rest.to_owned();
            }
        }
    }
    text
}

fn conversations(mode: Mode, budget: Option<usize>, cases: u32) {
    let world = World::new(mode, budget);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&steps(), |steps| {
        runtime.block_on(async {
            let mut machine = Machine::new(&world);
            for step in &steps {
                machine.step(step).await;
            }
        });
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{mode:?}, budget {budget:?}: {failure}");
    }
}

#[test]
fn reveal_on_search_is_as_the_reference() {
    conversations(Mode::Reveal, None, 2_500);
}

#[test]
fn reveal_on_search_with_a_budget_is_as_the_reference() {
    conversations(Mode::Reveal, Some(2), 2_500);
}

#[test]
fn search_then_load_is_as_the_reference() {
    conversations(Mode::Load, Some(2), 2_500);
}

#[test]
fn the_bridge_is_as_the_reference() {
    conversations(Mode::Bridge, Some(3), 2_500);
}
