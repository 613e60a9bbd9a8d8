//! One version of the list of one source, as entries.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use super::{
    Entry, RegisteredSource, RegistryInner,
    read::{NewTool, Read, ReadTool, reject},
    wire_tool::WireTool,
};
use crate::{
    Approval, Loading, RejectedTool, Tool, ToolName, ToolOptions,
    name::folded,
    policy::Subject,
    registry::{Holder, Place, entry::Sourced},
};

/// The tools of a source.
#[derive(Default)]
pub(crate) struct SourceList {
    /// By name, without those that `deny` or `allow` hides.
    entries: Vec<Arc<Entry>>,
    by_name: HashMap<ToolName, Arc<Entry>>,
    /// Names without case and separators: model-facing, and as the source gave them, with and without the prefix.
    by_folded: HashMap<String, Vec<Arc<Entry>>>,
}

/// A list that was made, and what was left out of it.
pub(super) struct Made {
    pub(super) list: SourceList,
    pub(super) listed: usize,
    pub(super) denied: usize,
    pub(super) rejected: Vec<RejectedTool>,
}

impl SourceList {
    pub(crate) fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// All entries, those too that `deny` or `allow` hides.
    pub(super) fn all(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.by_name.values()
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Arc<Entry>> {
        self.by_name.get(name)
    }

    /// Tools that are called so but for case and separators; of a name without letters and digits, exactly so.
    pub(super) fn find_folded(&self, folded: &str, name: &str) -> &[Arc<Entry>] {
        let key = if folded.is_empty() { name } else { folded };
        self.by_folded.get(key).map_or(&[], Vec::as_slice)
    }

    /// Whether both have the same entries.
    pub(super) fn is(&self, other: &Self) -> bool {
        let same = |entry: &Arc<Entry>| {
            other.find(entry.name().as_str()).is_some_and(|known| Arc::ptr_eq(known, entry))
        };
        self.by_name.len() == other.by_name.len() && self.all().all(same)
    }

    /// The list of what was read. A name that is held by a tool of the registry is never shadowed.
    pub(super) fn of(source: &Arc<RegisteredSource>, registry: &RegistryInner, read: Read) -> Made {
        let mut list = Self::default();
        let (mut rejected, mut denied) = (read.rejected, 0);
        for tool in read.tools {
            if let Some(reason) = list.fault(registry, &tool) {
                rejected.push(reject(tool.wire_name(), &reason));
                continue;
            }
            let entry = match tool {
                ReadTool::Known(entry) => entry,
                ReadTool::New(new) => Arc::new(entry(source, registry, *new)),
            };
            list.by_name.insert(entry.name().clone(), Arc::clone(&entry));
            if entry.place == Place::Denied {
                denied += 1;
            } else {
                list.fold(&entry);
                list.entries.push(entry);
            }
        }
        list.entries.sort_by(|a, b| a.name().cmp(b.name()));
        Made { list, listed: read.listed, denied, rejected }
    }

    /// Why a tool cannot have its name.
    fn fault(&self, registry: &RegistryInner, tool: &ReadTool) -> Option<String> {
        let name = tool.name();
        if let Some(first) = self.find(name.as_str()) {
            let first = crate::text::echo(first.wire_name().unwrap_or_default()).into_owned();
            return Some(format!("another tool of its source, '{first}', is called '{name}' already"));
        }
        let holder = registry.by_name.get(name)?;
        Some(format!("its name '{name}' is taken by {}", holder.holder))
    }

    fn fold(&mut self, entry: &Arc<Entry>) {
        let wire_name = entry.wire_name().unwrap_or_default();
        let prefix = entry.prefix.as_deref().unwrap_or_default();
        let mut keys = vec![folded(entry.name().as_str())];
        match folded(wire_name) {
            // Neither letters nor digits.
            empty if empty.is_empty() => keys.push(wire_name.trim().to_owned()),
            bare => keys.extend([folded(prefix) + &bare, bare]),
        }
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            self.by_folded.entry(key).or_default().push(Arc::clone(entry));
        }
    }
}

fn entry(source: &RegisteredSource, registry: &RegistryInner, new: NewTool) -> Entry {
    let NewTool { wire_name, definition, fingerprint } = new;
    let name = definition.name();
    // Both are asked, so that an entry that matches only what the other hides is no warning.
    let by_toolset = source.policy.hides(Subject::Tool, None, name);
    let by_registry = registry.policy.hides(Subject::Tool, None, name);
    let asks = registry.approvals.as_ref().is_some_and(|approvals| approvals.asks_about(None, name));
    let options = ToolOptions {
        loading: if source.place == Place::Deferred { Loading::Deferred } else { Loading::Eager },
        approval: if asks { Approval::Required } else { Approval::NotRequired },
        timeout: Some(source.settings.call_timeout),
        ..ToolOptions::default()
    };
    let tool: Arc<dyn Tool> = Arc::new(WireTool {
        definition: definition.clone(),
        options: options.clone(),
        source: Arc::clone(&source.source),
        wire_name: Arc::clone(&wire_name),
    });
    Entry {
        tool: registry.layers.iter().fold(tool, |tool, layer| layer(tool)),
        definition,
        options,
        namespace: source.namespace.clone(),
        prefix: Some(Cow::clone(&source.prefix)),
        place: if by_toolset || by_registry { Place::Denied } else { source.place },
        holder: Holder::Toolset(source.namespace.clone()),
        scope: source.scope,
        budget: source.budget.clone(),
        built_in: None,
        fingerprint: OnceLock::from(fingerprint),
        sourced: Some(Sourced::new(wire_name)),
        document: OnceLock::new(),
    }
}
