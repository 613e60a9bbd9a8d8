//! Loads groups into a session: finds the tools, makes their entries, leaves claiming names to the reveals.

use std::{borrow::Cow, sync::Arc};

use super::{
    SessionCore,
    reveals::{Operation, Reveals},
};
use crate::{
    GroupOutcome, SessionEvent, SkipReason, SkippedTool, ToolContext,
    context::ContextInner,
    group::Origin,
    registry::{Entry, Group, GroupState, GroupStatus, Holder, LateFault, LateTool, Place},
};

/// Starts the build of a lazy group, so that it runs while other things are waited for.
pub(crate) fn start(core: &Arc<SessionCore>, name: &str) {
    if let Some(group) = core.registry.group(name)
        && let Origin::Lazy(builder) = &group.origin
        && !core.state.reveals().groups().iter().any(|loaded| loaded == name)
    {
        // A failure to start is told by the load itself.
        let _ = core.state.builds().start(core, group, builder, &[]);
    }
}

/// The change that loads a group, or why there is none. `chain` are the builds that this one is part of.
pub(crate) async fn load(
    core: &Arc<SessionCore>,
    reveals: &Reveals,
    chain: &[String],
    name: &str,
) -> Result<Operation, GroupOutcome> {
    let group = core.registry.group(name).ok_or(GroupOutcome::NotFound)?;
    if matches!(group.origin, Origin::Resident) {
        return Err(GroupOutcome::Resident);
    }
    if reveals.groups().iter().any(|loaded| loaded == name) {
        return Err(GroupOutcome::AlreadyLoaded);
    }
    let Origin::Lazy(builder) = &group.origin else {
        let entries = group.entries.clone();
        return Ok(Operation::LoadGroup {
            group: name.to_owned(),
            with: Vec::new(),
            entries,
            skipped: Vec::new(),
        });
    };
    let builds = core.state.builds();
    let failed = |error: String| GroupOutcome::Failed { error };
    if chain.iter().any(|building| building == name) {
        return Err(failed(format!("the build would wait for itself: {} → {name}", chain.join(" → "))));
    }
    let outcome = builds.start(core, group, builder, chain).map_err(|error| {
        tell_failure(core, name, &error);
        failed(error)
    })?;
    let built = builds.wait(core, chain.last().map(String::as_str), name, outcome).await.map_err(failed)?;
    let mut with = Vec::new();
    for other in builds.loaded_with(name) {
        if let Ok(Operation::LoadGroup { group, with: deeper, entries, .. }) =
            Box::pin(load(core, reveals, &[], &other)).await
        {
            with.extend(deeper);
            with.push((group, entries));
        }
    }
    let (entries, skipped) = (built.entries.clone(), built.skipped.clone());
    Ok(Operation::LoadGroup { group: name.to_owned(), with, entries, skipped })
}

/// What a builder does that loads another group: waits for its build; both are claimed together.
pub(crate) async fn load_from_builder(context: &ContextInner, name: &str) -> GroupOutcome {
    let core = &context.session;
    match load(core, &core.state.reveals(), &context.building, name).await {
        Ok(Operation::LoadGroup { entries, .. }) => {
            if let Some(building) = context.building.last() {
                core.state.builds().loaded_by(building, name);
            }
            let tools = entries.iter().map(|entry| entry.name().clone()).collect();
            GroupOutcome::Loaded(crate::LoadedGroup { tools, ..Default::default() })
        }
        Ok(_) => GroupOutcome::NotFound,
        Err(outcome) => outcome,
    }
}

pub(super) fn building_context(core: &Arc<SessionCore>, chain: &[String], name: &str) -> ToolContext {
    let mut inner = ContextInner::new(Arc::clone(core), String::new());
    inner.building = chain.iter().cloned().chain([name.to_owned()]).collect();
    ToolContext::new(inner)
}

/// Where the tools of a lazy group belong.
pub(super) fn late_tools_of(group: &Group) -> LateTool {
    LateTool {
        namespace: group.name.clone(),
        prefix: None,
        place: Place::Grouped,
        holder: Holder::Group(group.name.clone()),
        scope: None,
        budget: None,
    }
}

/// Tells the host that a group could not be built.
pub(super) fn tell_failure(core: &SessionCore, group: &str, error: &str) {
    core.emit(|| SessionEvent::GroupFailed { group: group.to_owned(), error: error.to_owned() });
}

/// The entries of late tools, and those that cannot work.
pub(crate) fn late_entries(
    core: &Arc<SessionCore>,
    tools: impl IntoIterator<Item = Arc<dyn crate::Tool>>,
    late: &LateTool,
) -> (Vec<Arc<Entry>>, Vec<SkippedTool>) {
    let (mut entries, mut skipped) = (Vec::new(), Vec::new());
    for tool in tools {
        match core.registry.late_entry(tool, late) {
            Ok(entry) => entries.push(Arc::new(entry)),
            Err(LateFault::Denied) => {}
            Err(LateFault::Unusable { name, fault }) => {
                skipped.push(SkippedTool { name, reason: SkipReason::Unusable { fault } });
            }
        }
    }
    (entries, skipped)
}

/// All groups as a session sees them, in the order of the registry.
pub(crate) fn states<'a>(core: &'a SessionCore, reveals: &Reveals) -> Vec<GroupState<'a>> {
    let state = |group: &'a Group| {
        let status = match group.origin {
            Origin::Resident => GroupStatus::Resident,
            _ if reveals.groups().iter().any(|loaded| *loaded == group.name) => GroupStatus::Loaded,
            _ => GroupStatus::Loadable,
        };
        let mut tools: Vec<_> = group.entries.iter().map(|entry| entry.name().clone()).collect();
        for name in reveals.tools_of_group(&core.registry, &group.name) {
            if !tools.contains(&name) {
                tools.push(name);
            }
        }
        GroupState {
            name: &group.name,
            description: &group.description,
            note: group.note.as_deref(),
            status,
            tools,
        }
    };
    core.registry.inner().groups.iter().map(state).collect()
}

/// What the model reads when it loads a group.
pub(crate) fn guidance<'a>(core: &'a SessionCore, name: &str) -> Option<Cow<'a, str>> {
    core.registry.group(name)?.guidance.as_deref().map(Cow::Borrowed)
}
