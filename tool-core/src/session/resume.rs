//! A session from its snapshot: what exists is restored, the rest reported.

use std::sync::Arc;

use super::{
    Session, SessionCore, SessionSnapshot,
    change::Content,
    groups,
    open_calls::OpenCalls,
    reveals::{Operation, Reveals},
    snapshot::{Origin, ResumeError, SavedCalls, SavedOperation, SavedTool},
};
use crate::{
    GroupOutcome, Limit, Registry, SessionEvent, ToolName,
    registry::{Entry, Place},
};

/// What was not restored as it was saved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ResumeReport {
    /// Revealed tools that the registry does not have any more.
    pub missing: Vec<ToolName>,
    /// Revealed tools of a toolset, group or source that is not here yet: visible when `session.add` brings them back, the
    /// group is loaded, or the source lists them as they were.
    pub pending: Vec<ToolName>,
    /// Revealed tools whose definition changed: still revealed, with the new one; approvals are lost.
    pub changed: Vec<ToolName>,
    /// Revealed tools that their source changed: hidden again, and calls need a new approval.
    pub revoked: Vec<ToolName>,
    /// Revealed tools that the budget has no room for.
    pub over_budget: Vec<(ToolName, Limit)>,
    /// Groups that could not be loaded, and why.
    pub groups: Vec<(String, String)>,
}

impl ResumeReport {
    /// Whether everything is as it was saved.
    pub fn is_complete(&self) -> bool {
        *self == Self::default()
    }
}

impl Registry {
    /// A session from its snapshot; [`Session::resume`] is for one that needs host values first.
    ///
    /// # Errors
    /// [`ResumeError`] where a later version of the library wrote the snapshot.
    pub async fn resume(&self, snapshot: SessionSnapshot) -> Result<(Session, ResumeReport), ResumeError> {
        self.session().resume(snapshot).await
    }
}

impl Session {
    /// Restores a snapshot into this session, which should be new. Groups are built before it returns.
    ///
    /// # Errors
    /// [`ResumeError`] where a later version of the library wrote the snapshot; nothing is lost.
    pub async fn resume(self, snapshot: SessionSnapshot) -> Result<(Self, ResumeReport), ResumeError> {
        let (content, report) = self.core.restored(snapshot).await?;
        self.core.state.restore(content);
        for tool in &report.changed {
            self.core.emit(|| SessionEvent::Changed { tool: tool.clone() });
        }
        for tool in &report.revoked {
            self.core.emit(|| SessionEvent::Revoked { tool: tool.clone() });
        }
        for (tool, limit) in &report.over_budget {
            self.core.emit(|| SessionEvent::OverBudget { tool: tool.clone(), limit: *limit });
        }
        Ok((self, report))
    }
}

impl SessionCore {
    /// What a snapshot means here. Groups are built before it returns.
    pub(super) async fn restored(
        self: &Arc<Self>,
        snapshot: SessionSnapshot,
    ) -> Result<(Content, ResumeReport), ResumeError> {
        snapshot.check()?;
        let mut report = ResumeReport::default();
        let sources = self.registry.inner().sources.as_ref();
        let listed = sources.map(|sources| sources.listed()).unwrap_or_default();
        let mut reveals = Reveals::over(Arc::clone(&listed));
        let mut built = Reveals::over(listed);
        for operation in self.state.added() {
            built.apply(&self.registry, &operation);
        }
        for name in &snapshot.groups {
            match load_group(self, &built, name).await {
                Ok(operation) => drop(built.apply(&self.registry, &operation)),
                Err(NotLoaded { error, cause }) => {
                    report.groups.push((name.clone(), error));
                    if cause == Cause::Build {
                        built.keep_unbuilt(name.clone());
                    }
                }
            }
        }
        reveals.adopt_groups(&built);
        for saved in snapshot.revealed {
            restore(self, &mut reveals, saved, &mut report);
        }
        // What a group has gained since is appended.
        reveals.append_missing(&built);
        let open = match snapshot.open {
            None => None,
            Some(SavedCalls { id, results, waiting, operations: saved }) => {
                let mut operations = Vec::new();
                for operation in saved {
                    operations.extend(restore_operation(self, &reveals, operation, &mut report).await);
                }
                Some(OpenCalls { id, results, waiting, operations })
            }
        };
        let approved = snapshot.approvals.into_iter().map(|saved| (saved.tool, saved.fingerprint)).collect();
        let reveals = Arc::new(reveals);
        Ok((Content { reveals, approved, open, unknown: snapshot.unknown }, report))
    }
}

/// Why a group was not loaded again.
struct NotLoaded {
    error: String,
    cause: Cause,
}

#[derive(PartialEq, Eq)]
enum Cause {
    /// The registry is another one now.
    Registry,
    /// Its build failed: the next one may not.
    Build,
}

async fn load_group(core: &Arc<SessionCore>, built: &Reveals, name: &str) -> Result<Operation, NotLoaded> {
    groups::load(core, built, &[], name).await.map_err(|outcome| {
        let (error, cause) = match outcome {
            GroupOutcome::NotFound => ("the registry has no such group".to_owned(), Cause::Registry),
            GroupOutcome::Resident => ("the group is resident now".to_owned(), Cause::Registry),
            GroupOutcome::Failed { error } => (error, Cause::Build),
            GroupOutcome::AlreadyLoaded | GroupOutcome::Loaded(_) | GroupOutcome::BatchEnded => {
                ("loaded twice".to_owned(), Cause::Registry)
            }
        };
        NotLoaded { error, cause }
    })
}

fn restore(core: &SessionCore, reveals: &mut Reveals, saved: SavedTool, report: &mut ResumeReport) {
    let registry = &core.registry;
    let Some(entry) = reveals.find(registry, saved.name.as_str()).cloned() else {
        if may_come(registry, reveals, &saved) {
            report.pending.push(saved.name.clone());
            reveals.keep_pending(saved.name, saved.namespace, saved.fingerprint);
        } else {
            report.missing.push(saved.name);
        }
        return;
    };
    match entry.place {
        Place::Denied => report.missing.push(saved.name),
        // Eager now: it is in the list anyway.
        Place::Eager | Place::Discovery => {}
        Place::Deferred | Place::Grouped | Place::Dormant => {
            restore_entry(registry, reveals, &entry, saved, report);
        }
    }
}

/// Whether a tool that is not here may still come, with its source, its group or `session.add`.
fn may_come(registry: &Registry, reveals: &Reveals, saved: &SavedTool) -> bool {
    if registry.group(&saved.namespace).is_some() {
        return reveals.unbuilt().contains(&saved.namespace);
    }
    let is_known = || registry.entries().iter().any(|entry| *entry.namespace == *saved.namespace);
    saved.origin == Origin::Late || !is_known()
}

fn restore_entry(
    registry: &Registry,
    reveals: &mut Reveals,
    entry: &Arc<Entry>,
    saved: SavedTool,
    report: &mut ResumeReport,
) {
    if reveals.contains(saved.name.as_str()) {
        return;
    }
    let changed = *entry.fingerprint() != saved.fingerprint;
    if changed && entry.sourced.is_some() {
        report.revoked.push(saved.name);
        return;
    }
    if let Err(limit) = reveals.fits(registry, entry, &[]) {
        report.over_budget.push((saved.name, limit));
        return;
    }
    if changed {
        report.changed.push(saved.name.clone());
    }
    reveals.append(saved.name);
}

async fn restore_operation(
    core: &Arc<SessionCore>,
    reveals: &Reveals,
    saved: SavedOperation,
    report: &mut ResumeReport,
) -> Option<Operation> {
    match saved {
        SavedOperation::Reveal(saved) => restore_reveal(&core.registry, reveals, saved, report),
        SavedOperation::Unload(name) => Some(Operation::Unload(name)),
        SavedOperation::LoadGroup(name) => match load_group(core, reveals, &name).await {
            Ok(operation) => Some(operation),
            Err(NotLoaded { error, .. }) => {
                report.groups.push((name, error));
                None
            }
        },
    }
}

/// What a suspended batch has revealed, judged as what was revealed before it.
fn restore_reveal(
    registry: &Registry,
    reveals: &Reveals,
    saved: SavedTool,
    report: &mut ResumeReport,
) -> Option<Operation> {
    let Some(entry) = reveals.find(registry, saved.name.as_str()) else {
        if may_come(registry, reveals, &saved) {
            report.pending.push(saved.name.clone());
            return Some(Operation::RevealPending(saved));
        }
        report.missing.push(saved.name);
        return None;
    };
    let changed = *entry.fingerprint() != saved.fingerprint;
    match entry.place {
        Place::Deferred if changed && entry.sourced.is_some() => report.revoked.push(saved.name),
        Place::Deferred => {
            report.changed.extend(changed.then_some(saved.name));
            return Some(Operation::Reveal(Arc::clone(entry)));
        }
        // In the list anyway.
        Place::Eager | Place::Discovery => {}
        Place::Denied | Place::Grouped | Place::Dormant => report.missing.push(saved.name),
    }
    None
}
