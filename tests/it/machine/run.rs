//! One batch as the reference takes it: each call after the ones before it, on a provisional state.

use std::{collections::BTreeSet, fmt::Write};

use super::{
    reference::{Expected, Reference, plain},
    state::{Change, Kind, LAZY, State, discovery, fold, group_tools},
    world::{Call, CallKind, Mode, NUMBERED, search_tool},
};

/// A call that waits: place in the batch, id and tool.
pub(super) type Waiting = (usize, String, &'static str);

/// One batch, on a provisional state.
pub(super) struct Run<'r> {
    reference: &'r mut Reference,
    callable: &'r [String],
    provisional: State,
    changes: Vec<Change>,
    waiting: Vec<Waiting>,
}

impl<'r> Run<'r> {
    pub(super) fn new(provisional: State, reference: &'r mut Reference, callable: &'r [String]) -> Self {
        Self { reference, callable, provisional, changes: Vec::new(), waiting: Vec::new() }
    }

    /// What changes, and what waits.
    pub(super) fn end(self) -> (Vec<Change>, Vec<Waiting>) {
        (self.changes, self.waiting)
    }

    /// What a call gives; nothing where it waits.
    pub(super) fn call(
        &mut self,
        index: usize,
        call: &Call,
        repeated: bool,
        approved: &BTreeSet<&'static str>,
    ) -> Option<Expected> {
        let mode = self.reference.mode;
        let outer = match &call.kind {
            CallKind::Pick { .. } | CallKind::SearchName(_) => search_tool(mode),
            CallKind::Load(_) => "load_tool",
            CallKind::Unload(_) => "unload_tool",
            CallKind::Clear => "clear_loaded_tools",
            CallKind::LoadGroup(_) => "load_tools",
            CallKind::Available => "available_tools",
            CallKind::Tool { bridged: true, .. } => "tool_call",
            CallKind::Tool { name, .. } => name,
        };
        let answer = |name: &str, text: String| Some(plain(call.id.clone(), name, text));
        if !self.can_call(outer) {
            return answer(outer, self.refusal(outer));
        }
        let CallKind::Tool { name, decide, bridged } = &call.kind else {
            if repeated {
                return answer(outer, "duplicate call id".to_owned());
            }
            return self.discover(call, outer);
        };
        let is_discovery = discovery(mode).contains(name);
        if *bridged && (is_discovery || !self.can_call(name)) {
            return answer(name, self.refusal(name));
        }
        if *name == "tool_call" {
            return answer(name, "missing argument `name`".to_owned());
        }
        if repeated {
            return answer(name, "duplicate call id".to_owned());
        }
        if is_discovery {
            return answer(name, format!("missing argument `{}`", first_argument(name)));
        }
        let needs_approval = matches!(*name, "zq_ask" | "zq_pay") && !approved.contains(name);
        match *decide {
            "deny" if needs_approval => answer(name, format!("Tool '{name}' was not approved: no")),
            "suspend" if needs_approval => {
                self.waiting.push((index, call.id.clone(), name));
                None
            }
            decide => {
                if needs_approval && decide == "session" {
                    self.reference.approved.insert(name);
                }
                answer(name, format!("{name} ran"))
            }
        }
    }

    fn can_call(&self, name: &str) -> bool {
        self.callable.iter().any(|callable| callable == name)
    }

    fn refusal(&self, name: &str) -> String {
        let ways = match self.reference.mode {
            Mode::Reveal | Mode::Bridge => " Call tool_search to find tools.",
            Mode::Load => " Call search_tools, then load_tool.",
        };
        let respelled = self.callable.iter().find(|listed| *listed != name && fold(listed) == fold(name));
        let suggestion = respelled.map_or(String::new(), |listed| format!(" Did you mean '{listed}'?"));
        format!(
            "Tool '{name}' is not in your current tool list. Call available_tools to see groups, then \
             load_tools.{ways}{suggestion}"
        )
    }

    fn change(&mut self, change: Change) {
        self.provisional.apply(&change);
        self.changes.push(change);
    }

    fn discover(&mut self, call: &Call, tool: &str) -> Option<Expected> {
        let text = match &call.kind {
            CallKind::Pick { numbers, top_k } => {
                let picked = numbers.iter().filter_map(|number| NUMBERED.iter().find(|(of, _)| of == number));
                let picked: Vec<&str> = picked.map(|(_, name)| *name).collect();
                let top_k = if self.reference.mode == Mode::Load { 5 } else { *top_k };
                return Some(self.search(call, tool, &picked, top_k));
            }
            CallKind::SearchName(name) => {
                let name = self.full_name(name);
                return Some(self.search(call, tool, &[name], 5));
            }
            CallKind::Load(name) => self.load_tool(name),
            CallKind::Unload(name) => self.unload_tool(name),
            CallKind::Clear => self.clear(),
            CallKind::LoadGroup(name) => self.load_tools(name),
            CallKind::Available => self.available(),
            CallKind::Tool { .. } => return None,
        };
        Some(plain(call.id.clone(), tool, text))
    }

    /// The tool that a name without its prefix means.
    fn full_name<'n>(&self, name: &'n str) -> &'n str {
        match name {
            "zq_item" => "box_zq_item",
            "zq_plan" if self.provisional.is_hidden_kind("user_zq_plan") => "user_zq_plan",
            name => name,
        }
    }

    fn search(&mut self, call: &Call, tool: &str, picked: &[&str], top_k: usize) -> Expected {
        let mut found: Vec<String> = Vec::new();
        for name in picked {
            if self.provisional.is_hidden_kind(name) && !found.iter().any(|known| known == name) {
                found.push((*name).to_owned());
            }
        }
        found.truncate(top_k);
        let mut hits = found.clone();
        if self.reference.mode != Mode::Load {
            hits.retain(|name| {
                let fits = self.provisional.clone().reveal(name).is_ok();
                if fits {
                    self.provisional.apply(&Change::Reveal(name.clone()));
                    self.changes.push(Change::Reveal(name.clone()));
                }
                fits
            });
        }
        let visible = self.provisional.visible().cloned();
        let may_say = self.reference.base().into_iter().chain(found).chain(visible).collect();
        let (id, name) = (call.id.clone(), tool.to_owned());
        Expected { id, name, text: String::new(), hits: Some(hits), may_say }
    }

    fn load_tool(&mut self, sent: &str) -> String {
        let answer = |status: &str, name: &str| format!(r#"{{"status":"{status}","tool_name":"{name}"}}"#);
        let name = self.full_name(sent);
        if matches!(name, "zq_echo" | "zq_ask") {
            return answer("already_loaded", name);
        }
        if !self.provisional.is_hidden_kind(name) {
            let text = answer("not_found", sent);
            return if sent == "zq-alpha" { format!("{text}\n\nDid you mean 'zq_alpha'?") } else { text };
        }
        match self.provisional.clone().reveal(name) {
            // Revealed again when the batch ends, if somebody unloads it until then.
            Ok(false) => {
                self.change(Change::Reveal(name.to_owned()));
                answer("already_loaded", name)
            }
            Ok(true) => {
                self.change(Change::Reveal(name.to_owned()));
                answer("loaded", name)
            }
            Err(budget) => {
                format!(r#"{{"status":"limit_reached","tool_name":"{name}","max_loaded_tools":{budget}}}"#)
            }
        }
    }

    fn unload_tool(&mut self, sent: &str) -> String {
        let name = self.full_name(sent);
        let goes = matches!(self.provisional.kind(name, self.reference.mode), None | Some(Kind::Hidden))
            && self.provisional.has(name);
        if goes {
            self.change(Change::Unload(name.to_owned()));
        }
        let status = if goes { "unloaded" } else { "not_loaded" };
        format!(r#"{{"status":"{status}","tool_name":"{name}"}}"#)
    }

    fn clear(&mut self) -> String {
        let mode = self.reference.mode;
        let goes = |name: &&String| matches!(self.provisional.kind(name, mode), None | Some(Kind::Hidden));
        let names: Vec<String> = self.provisional.order.iter().filter(goes).cloned().collect();
        let count = names.len();
        for name in names {
            self.change(Change::Unload(name));
        }
        format!(r#"{{"status":"cleared","count":{count}}}"#)
    }

    fn load_tools(&mut self, name: &'static str) -> String {
        if name == "memory" {
            return "'memory' is resident: its tools are already in your tool list.".to_owned();
        }
        let is_loaded = |name: &str| self.provisional.groups.iter().any(|loaded| loaded == name);
        if is_loaded(name) {
            return format!("'{name}' is already loaded.");
        }
        let Some((name, tools)) = group_tools(name) else {
            let loadable = LAZY.iter().map(|(name, _)| *name).filter(|name| !is_loaded(name));
            let loadable: Vec<_> = loadable.collect();
            return format!("No tool group named '{name}'. Loadable: {}.", loadable.join(", "));
        };
        if name == "bad" {
            return "Could not load 'bad': no luck".to_owned();
        }
        let loaded = self.provisional.clone().load(name);
        self.change(Change::Load(name));
        let visible: Vec<&String> = self.provisional.visible().collect();
        let is_visible = |tool: &str| {
            matches!(tool, "zq_echo" | "zq_ask" | "note") || visible.iter().any(|name| *name == tool)
        };
        let new: Vec<&str> =
            loaded.revealed.iter().copied().filter(|tool| tools.contains(tool) && is_visible(tool)).collect();
        let skipped: Vec<_> = loaded.skipped.iter().filter(|(tool, _)| tools.contains(tool)).collect();
        let mut text = match (new.is_empty(), skipped.is_empty()) {
            (false, _) => format!("Loaded '{name}': {}.", new.join(", ")),
            (true, false) => format!("Loaded '{name}': no new tools."),
            (true, true) => format!("Loaded '{name}': it provides no tools right now."),
        };
        let taken: Vec<_> = skipped
            .iter()
            .filter(|(tool, _)| is_visible(tool))
            .map(|(tool, by)| format!("{tool} (by {by})"))
            .collect();
        if !taken.is_empty() {
            write!(text, "\nNot loaded, because the name is already taken: {}.", taken.join(", ")).unwrap();
        }
        for with in loaded.groups.iter().filter(|group| **group != name) {
            write!(text, "\nLoaded with it: '{with}'.").unwrap();
        }
        text
    }

    fn available(&self) -> String {
        let line = |name: &str| {
            let status = match name {
                "memory" => "resident",
                name if self.provisional.groups.iter().any(|loaded| loaded == name) => "loaded",
                _ => "loadable",
            };
            format!("{name} [{status}]: The group {name}.")
        };
        let lines: Vec<_> = LAZY.iter().map(|(name, _)| *name).chain(["memory"]).map(line).collect();
        lines.join("\n")
    }
}

/// What the first argument of a discovery tool is called; those without one take whatever comes as unknown.
fn first_argument(tool: &str) -> &'static str {
    match tool {
        "tool_search" | "search_tools" => "query",
        "load_tool" | "unload_tool" => "tool_name",
        _ => "name",
    }
}
