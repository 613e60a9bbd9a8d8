//! What became of a tool list from one turn to the next: providers cache prompts by their beginning, so a list that only
//! grows costs less than one that changes inside.

use std::sync::Arc;

use crate::{ToolName, registry::Entry};

/// A turn's list beside that of the turn before.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListChange {
    /// There was no turn before, in this process.
    First,
    /// The same, byte for byte.
    Unchanged,
    /// The list before, then these.
    Appended {
        /// What is new, in list order.
        tools: Vec<ToolName>,
    },
    /// The list differs before the end of the one before: a prompt cache is good for its beginning only.
    Rewritten {
        /// How many tools at the beginning are as before.
        kept: usize,
        /// What happened to the first one that is not.
        why: Rewrite,
    },
}

/// What happened at the first place where two lists differ.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rewrite {
    /// A tool is gone: unloaded, disabled, or vanished.
    Removed(ToolName),
    /// A tool came, or came back to its old place.
    Inserted(ToolName),
    /// A tool has another definition.
    Redefined(ToolName),
    /// A tool stands elsewhere.
    Moved(ToolName),
}

impl ListChange {
    /// From the list of the turn before to this one.
    pub(crate) fn between(before: &[Arc<Entry>], now: &[Arc<Entry>]) -> Self {
        let is_same = |(old, new): &(&Arc<Entry>, &Arc<Entry>)| {
            Arc::ptr_eq(old, new) || old.fingerprint() == new.fingerprint()
        };
        let kept = before.iter().zip(now).take_while(is_same).count();
        let has = |list: &[Arc<Entry>], name: &ToolName| list.iter().any(|entry| entry.name() == name);
        let why = match (before.get(kept), now.get(kept)) {
            (None, None) => return Self::Unchanged,
            (None, Some(_)) => {
                let tools = now.iter().skip(kept).map(|entry| entry.name().clone()).collect();
                return Self::Appended { tools };
            }
            (Some(old), Some(new)) if old.name() == new.name() => Rewrite::Redefined(new.name().clone()),
            (Some(old), _) if !has(now, old.name()) => Rewrite::Removed(old.name().clone()),
            (Some(_), Some(new)) if !has(before, new.name()) => Rewrite::Inserted(new.name().clone()),
            (Some(old), _) => Rewrite::Moved(old.name().clone()),
        };
        Self::Rewritten { kept, why }
    }
}
