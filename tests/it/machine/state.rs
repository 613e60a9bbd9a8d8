//! What is revealed, loaded and there for one conversation, and how it changes.

use std::collections::{BTreeMap, BTreeSet};

use super::world::Mode;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Eager,
    Discovery,
    /// Deferred, and a search finds it.
    Hidden,
    /// Of a group, or added to the session: it is in the list once it is in the order.
    Own,
    /// There for nobody.
    Off,
    Denied,
}

/// What changes a conversation.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Reveal(String),
    Unload(String),
    Load(&'static str),
}

/// What is revealed, loaded, and there for this conversation alone.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub(super) budget: Option<usize>,
    pub(super) order: Vec<String>,
    pub(super) groups: Vec<String>,
    /// Tools that only this conversation has, and who holds them.
    pub(super) own: BTreeMap<&'static str, &'static str>,
    /// What an open batch reveals: it has its room already.
    pub(super) kept_free: BTreeSet<String>,
}

pub(super) const LAZY: [(&str, &[&str]); 5] = [
    ("web", &["web_read", "web_shared", "zq_echo", "zq_alpha", "zq_denied"]),
    ("sea", &["sea_fish", "web_shared"]),
    ("both", &["both_own"]),
    ("bad", &[]),
    ("files", &["files_off", "files_open"]),
];

/// What came of the load of a group.
#[derive(Debug, Default)]
pub(super) struct Loaded {
    pub(super) revealed: Vec<&'static str>,
    /// Names that somebody holds, and who.
    pub(super) skipped: Vec<(&'static str, String)>,
    pub(super) groups: Vec<&'static str>,
}

pub(super) fn group_tools(group: &str) -> Option<(&'static str, &'static [&'static str])> {
    LAZY.iter().find(|(name, _)| *name == group).copied()
}

pub(super) fn fold(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl State {
    pub(super) fn has(&self, name: &str) -> bool {
        self.order.iter().any(|revealed| revealed == name)
    }

    pub(super) fn kind(&self, name: &str, mode: Mode) -> Option<Kind> {
        Some(match name {
            "zq_echo" | "zq_ask" | "note" => Kind::Eager,
            "zq_alpha" | "zq_beta" | "zq_gamma" | "zq_pay" | "box_zq_item" => Kind::Hidden,
            "zq_eager_off" | "zq_off" | "files_off" => Kind::Off,
            "zq_denied" | "zq_eager_denied" => Kind::Denied,
            "files_open" => Kind::Own,
            "user_zq_plan" if self.own.contains_key(name) => Kind::Hidden,
            name if self.own.contains_key(name) => Kind::Own,
            name if discovery(mode).contains(&name) => Kind::Discovery,
            _ => return None,
        })
    }

    pub(super) fn is_hidden_kind(&self, name: &str) -> bool {
        // Discovery tools are no hidden ones in any mode.
        self.kind(name, Mode::Reveal) == Some(Kind::Hidden)
    }

    /// The names of the order that a list has.
    pub(super) fn visible(&self) -> impl Iterator<Item = &String> {
        self.order
            .iter()
            .filter(|name| matches!(self.kind(name, Mode::Reveal), Some(Kind::Hidden | Kind::Own)))
    }

    /// The deferred tool that is added to the session, perhaps again: its reveal is back if there is room.
    pub(super) fn return_plan(&mut self) {
        let is_new = self.own.insert("user_zq_plan", "user").is_none();
        let others =
            self.order.iter().filter(|name| *name != "user_zq_plan" && self.is_hidden_kind(name)).count();
        if is_new && self.budget.is_some_and(|budget| others >= budget) {
            self.unload("user_zq_plan");
        }
    }

    /// `Err` is the budget.
    pub(super) fn reveal(&mut self, name: &str) -> Result<bool, usize> {
        if self.has(name) {
            return Ok(false);
        }
        let kept_free = self.kept_free.iter().filter(|kept| *kept != name && !self.has(kept));
        let held = self.order.iter().chain(kept_free).filter(|name| self.is_hidden_kind(name)).count();
        match self.budget {
            Some(budget) if held >= budget => Err(budget),
            _ => {
                self.order.push(name.to_owned());
                Ok(true)
            }
        }
    }

    /// As [`reveal`](Self::reveal); a tool that is to be added again has its place kept.
    fn reveal_or_keep(&mut self, name: &str) {
        if self.kind(name, Mode::Reveal).is_some() {
            let _ = self.reveal(name);
        } else if !self.has(name) {
            self.order.push(name.to_owned());
        }
    }

    pub(super) fn unload(&mut self, name: &str) -> bool {
        let before = self.order.len();
        self.order.retain(|revealed| revealed != name);
        self.order.len() < before
    }

    /// Loads a group that can be loaded; `both` brings `web` along.
    pub(super) fn load(&mut self, group: &str) -> Loaded {
        let mut loaded = Loaded::default();
        let with = (group == "both").then_some("web");
        for group in with.into_iter().chain([group]) {
            let Some((group, tools)) = group_tools(group) else { continue };
            if self.groups.iter().any(|known| known == group) {
                continue;
            }
            self.groups.push(group.to_owned());
            loaded.groups.push(group);
            for tool in tools {
                self.claim(group, tool, &mut loaded);
            }
        }
        loaded
    }

    fn claim(&mut self, group: &'static str, tool: &'static str, loaded: &mut Loaded) {
        match self.kind(tool, Mode::Reveal) {
            Some(Kind::Denied) => return,
            Some(Kind::Own | Kind::Off) if group == "files" => {}
            Some(_) => {
                let holder = self.own.get(tool);
                let by = holder.map_or("the agent's own tools".to_owned(), |holder| format!("'{holder}'"));
                loaded.skipped.push((tool, by));
                return;
            }
            None => drop(self.own.insert(tool, group)),
        }
        if !self.has(tool) {
            self.order.push(tool.to_owned());
            loaded.revealed.push(tool);
        }
    }

    pub(super) fn apply(&mut self, change: &Change) {
        match change {
            Change::Reveal(name) => self.reveal_or_keep(name),
            Change::Unload(name) => drop(self.unload(name)),
            Change::Load(group) => drop(self.load(group)),
        }
    }
}

/// In the order of the list.
pub(super) fn discovery(mode: Mode) -> &'static [&'static str] {
    match mode {
        Mode::Reveal => &["available_tools", "load_tools", "tool_search"],
        Mode::Load => &[
            "available_tools",
            "clear_loaded_tools",
            "load_tool",
            "load_tools",
            "search_tools",
            "unload_tool",
        ],
        Mode::Bridge => &["available_tools", "load_tools", "tool_call", "tool_search"],
    }
}
