//! The arguments of `#[function_tool(…)]` as written: each key's value in its form, nothing judged yet.
//!
//! [`model.rs`](crate::model) looks at what they mean together.

use proc_macro2::{Ident, TokenStream};
use syn::{LitStr, Path};

use crate::{
    diagnostics::Faults,
    keys::{self, Entry, Flag},
};

/// What the user wrote, key by key.
#[derive(Default)]
pub(crate) struct ToolArgs {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<LitStr>,
    pub(crate) title: Option<LitStr>,
    pub(crate) defer_loading: Option<Flag>,
    pub(crate) group: Option<LitStr>,
    pub(crate) keywords: Option<Vec<LitStr>>,
    pub(crate) read_only: Option<Flag>,
    pub(crate) destructive: Option<Flag>,
    pub(crate) idempotent: Option<Flag>,
    pub(crate) open_world: Option<Flag>,
    pub(crate) requires_approval: Option<Flag>,
    pub(crate) blocking: Option<Flag>,
    pub(crate) timeout: Option<LitStr>,
    pub(crate) enabled: Option<Path>,
    pub(crate) discovery: Option<Flag>,
    pub(crate) handle: Option<Ident>,
    pub(crate) crate_path: Option<Path>,
    /// The description was written, be it under a misspelt key or in a wrong form: it is not missing as well.
    pub(crate) description_meant: bool,
    /// All keys as written.
    pub(crate) written: Vec<Ident>,
}

const KEYS: [&str; 17] = [
    "name",
    "description",
    "title",
    "defer_loading",
    "group",
    "keywords",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "requires_approval",
    "blocking",
    "timeout",
    "enabled",
    "discovery",
    "handle",
    "crate",
];

impl ToolArgs {
    /// Reads the arguments; every fault is reported, every good key is kept.
    pub(crate) fn parse(tokens: TokenStream, faults: &mut Faults) -> Self {
        let mut args = Self::default();
        for entry in keys::entries(tokens, faults) {
            if args.written.contains(&entry.key) {
                let what = format!("the key `{}` is written twice", entry.key);
                faults.add(&entry.key, what, "keep one of the two");
                continue;
            }
            args.written.push(entry.key.clone());
            args.set(entry, faults);
        }
        args
    }

    fn set(&mut self, entry: Entry, faults: &mut Faults) {
        let key = keys::key_text(&entry.key);
        self.description_meant |= key == "description";
        match key.as_str() {
            "name" => self.name = entry.name(faults),
            "description" => self.description = entry.text("Charge a credit card.", faults),
            "title" => self.title = entry.text("Charge a card", faults),
            "defer_loading" => self.defer_loading = entry.flag(faults),
            "group" => self.group = entry.text("web", faults),
            "keywords" => self.keywords = entry.texts("\"refund\", \"pay\"", faults),
            "read_only" => self.read_only = entry.flag(faults),
            "destructive" => self.destructive = entry.flag(faults),
            "idempotent" => self.idempotent = entry.flag(faults),
            "open_world" => self.open_world = entry.flag(faults),
            "requires_approval" => self.requires_approval = entry.flag(faults),
            "blocking" => self.blocking = entry.flag(faults),
            "timeout" => self.timeout = entry.text("30s", faults),
            "enabled" => self.enabled = entry.path("is_enabled", faults),
            "discovery" => self.discovery = entry.flag(faults),
            "handle" => self.handle = entry.ident("`handle = OtherName` or `handle = none`", faults),
            "crate" => self.crate_path = entry.path("::renamed_tool_core", faults),
            unknown => {
                let meant = keys::nearest(unknown, KEYS.into_iter());
                self.description_meant |= meant == Some("description");
                let help = match meant {
                    Some(key) => format!("did you mean `{key}`?"),
                    None => format!("the keys are {}", listed(&KEYS)),
                };
                faults.add(&entry.key, format_args!("unknown key `{unknown}`"), help);
            }
        }
    }
}

impl Entry {
    /// A name may be blank here: [`name.rs`](crate::name) has better words for it.
    fn name(&self, faults: &mut Faults) -> Option<LitStr> {
        match self.value.as_ref().map(|value| syn::parse2::<LitStr>(value.clone())) {
            Some(Ok(literal)) => Some(literal),
            _ => self.text("charge_card", faults),
        }
    }
}

fn listed(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
}
