//! What hosts that keep their own state save and give back: names of revealed tools, as a list or in a map.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Session;
use crate::{RevealOutcome, ToolName};

/// The keys of a host's map of state begin so; the namespace of a toolset follows.
const LOADED_TOOLS: &str = "tool_search.loaded_tools.";

/// What came of [`Session::import`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ImportReport {
    /// Revealed now, by model-facing name.
    pub revealed: Vec<ToolName>,
    /// Revealed before, or listed twice.
    pub repeated: Vec<String>,
    /// Names that no deferred tool of the namespace has.
    pub unknown: Vec<String>,
    /// Names that the budget has no room for.
    pub over_budget: Vec<ToolName>,
    /// How many items were no strings; 1 if the value was no list.
    pub invalid: usize,
}

impl Session {
    /// Reveals the tools that a host kept as a list of names, model-facing or bare: what existed is revealed, the rest
    /// reported. The value may be anything; what is no string is counted.
    pub fn import(&self, namespace: &str, names: &Value) -> ImportReport {
        let mut report = ImportReport::default();
        self.import_into(&mut report, namespace, names);
        report
    }

    /// The revealed tools of a toolset, in order, as [`import`](Self::import) reads them.
    pub fn export(&self, namespace: &str) -> Vec<ToolName> {
        let reveals = self.core.state.reveals();
        let mine = reveals.entries(&self.core.registry).filter(|entry| entry.namespace == namespace);
        mine.map(|entry| entry.name().clone()).collect()
    }

    /// As [`import`](Self::import), from a host's map of state: of each key `tool_search.loaded_tools.<namespace>` the list of
    /// names. Other keys are the host's own and left alone.
    pub fn import_map(&self, state: &Value) -> ImportReport {
        let mut report = ImportReport::default();
        let Value::Object(state) = state else {
            report.invalid = usize::from(!state.is_null());
            return report;
        };
        // In an order that no feature of serde_json changes.
        let state: BTreeMap<_, _> = state.iter().collect();
        for (key, names) in state {
            if let Some(namespace) = key.strip_prefix(LOADED_TOOLS) {
                self.import_into(&mut report, namespace, names);
            }
        }
        report
    }

    /// The revealed tools of all toolsets, as [`import_map`](Self::import_map) reads them.
    pub fn export_map(&self) -> BTreeMap<String, Vec<ToolName>> {
        let reveals = self.core.state.reveals();
        let mut state = BTreeMap::<_, Vec<ToolName>>::new();
        for entry in reveals.entries(&self.core.registry) {
            state.entry(format!("{LOADED_TOOLS}{}", entry.namespace)).or_default().push(entry.name().clone());
        }
        state
    }

    fn import_into(&self, report: &mut ImportReport, namespace: &str, names: &Value) {
        let Value::Array(names) = names else {
            report.invalid += usize::from(!names.is_null());
            return;
        };
        for name in names {
            let Value::String(name) = name else {
                report.invalid += 1;
                continue;
            };
            self.import_one(namespace, name.trim(), report);
        }
    }

    fn import_one(&self, namespace: &str, name: &str, report: &mut ImportReport) {
        let registry = &self.core.registry;
        self.core.sync();
        let reveals = self.core.state.reveals();
        let all = registry.deferred().chain(reveals.sources().deferred());
        let mut mine = all.filter(|entry| entry.namespace == namespace);
        let Some(entry) = mine.find(|entry| *entry.name() == name || entry.bare_name() == name) else {
            report.unknown.push(name.to_owned());
            return;
        };
        match self.reveal(entry.name().as_str()) {
            RevealOutcome::Revealed(name) => report.revealed.push(name),
            RevealOutcome::AlreadyVisible(_) => report.repeated.push(name.to_owned()),
            RevealOutcome::LimitReached { tool, .. } => report.over_budget.push(tool),
            _ => report.unknown.push(name.to_owned()),
        }
    }
}
