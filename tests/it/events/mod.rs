//! Events: each comes exactly once, with the right content, and to the right session.

mod calls;
mod dead_ends;
mod lists;
mod reveals;
mod sessions;

use tool_core::{ListChange, Rewrite, SessionEvent, ToolName};

use crate::support::Log;

/// What came since the last time, a line an event. Whole sequences are compared: nothing comes twice, nothing is missing.
fn told(log: &Log) -> Vec<String> {
    log.take().iter().map(line).collect()
}

/// What came since the last time, without the beginnings of turns.
fn told_beside_turns(log: &Log) -> Vec<String> {
    let events = log.take();
    events.iter().filter(|event| !matches!(event, SessionEvent::TurnStarted { .. })).map(line).collect()
}

fn joined(names: &[ToolName]) -> String {
    names.iter().map(ToolName::as_str).collect::<Vec<_>>().join(", ")
}

fn list(change: &ListChange) -> String {
    match change {
        ListChange::First => "first".to_owned(),
        ListChange::Unchanged => "unchanged".to_owned(),
        ListChange::Appended { tools } => format!("appended {}", joined(tools)),
        ListChange::Rewritten { kept, why } => {
            let why = match why {
                Rewrite::Removed(tool) => format!("removed {tool}"),
                Rewrite::Inserted(tool) => format!("inserted {tool}"),
                Rewrite::Redefined(tool) => format!("redefined {tool}"),
                Rewrite::Moved(tool) => format!("moved {tool}"),
                other => panic!("{other:?}"),
            };
            format!("kept {kept}, {why}")
        }
        other => panic!("{other:?}"),
    }
}

fn line(event: &SessionEvent) -> String {
    match event {
        SessionEvent::TurnStarted { turn, tools, list: change } => {
            format!("turn {turn}: {tools} tools, {}", list(change))
        }
        SessionEvent::Searched { hits, matched, degraded } => {
            format!("searched: {} of {matched}{}", joined(hits), degraded.as_deref().unwrap_or_default())
        }
        SessionEvent::Degraded { reason } => format!("degraded: {reason}"),
        SessionEvent::Revealed { tool } => format!("revealed {tool}"),
        SessionEvent::OverBudget { tool, limit } => format!("over budget {tool}: {limit:?}"),
        SessionEvent::Unloaded { tool } => format!("unloaded {tool}"),
        SessionEvent::Changed { tool } => format!("changed {tool}"),
        SessionEvent::GroupLoaded { group } => format!("group {group}"),
        SessionEvent::GroupFailed { group, error } => format!("group {group} failed: {error}"),
        SessionEvent::NotApproved { call_id, tool, reason } => {
            format!("{call_id} {tool} not approved: {reason}")
        }
        SessionEvent::Suspended { call_id, tool } => format!("{call_id} {tool} suspended"),
        SessionEvent::Answered { call_id, tool } => format!("{call_id} {tool} answered"),
        SessionEvent::Refused { call_id, name, reason } => format!("{call_id} {name} refused: {reason:?}"),
        SessionEvent::Called { call_id, tool, .. } => format!("{call_id} {tool} called"),
        SessionEvent::Failed { call_id, tool, kind, message, .. } => {
            format!("{call_id} {tool} failed: {kind:?}: {message}")
        }
        SessionEvent::LeftOut { tool, reason } => format!("left out {tool}: {reason}"),
        SessionEvent::Disabled { tool } => format!("disabled {tool}"),
        SessionEvent::DeadEnd { tool, cause } => format!("dead end {tool}: {cause:?}"),
        SessionEvent::Circling { doing } => format!("circling: {doing:?}"),
        SessionEvent::Stopped { reason } => format!("stopped: {reason:?}"),
        other => panic!("{other:?}"),
    }
}
