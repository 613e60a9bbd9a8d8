//! The tools of the machine, the calls that a model makes of them, and how long each takes.

use serde_json::{Value, json};
use tool_core::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, Arguments, Budget, Catalog,
    FunctionTool, FunctionToolBuilder, RankFuture, Ranked, Ranker, Registry, ToolCall, ToolContext,
    ToolError, ToolGroup, ToolPattern, ToolSearch, Toolset,
};

use crate::support::builder;

/// Which way of discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Reveal,
    Load,
    Bridge,
}

/// Every name of a tool that is hidden at some time, and of those that are never seen.
pub(super) const ALL_NAMES: [&str; 22] = [
    "zq_echo",
    "zq_ask",
    "zq_eager_off",
    "zq_eager_denied",
    "zq_alpha",
    "zq_beta",
    "zq_gamma",
    "zq_pay",
    "box_zq_item",
    "zq_off",
    "zq_denied",
    "user_zq_plan",
    "user_zq_hello",
    "web_read",
    "web_shared",
    "sea_fish",
    "both_own",
    "files_open",
    "files_off",
    "note",
    "zq_item",
    "zq_plan",
];

/// The tools that a search may find, by the number that a query picks them with.
pub(super) const NUMBERED: [(u32, &str); 8] = [
    (1, "zq_alpha"),
    (2, "zq_beta"),
    (3, "zq_gamma"),
    (4, "zq_pay"),
    (5, "box_zq_item"),
    (6, "zq_off"),
    (7, "zq_denied"),
    (8, "user_zq_plan"),
];

pub(super) struct World {
    pub(super) mode: Mode,
    pub(super) budget: Option<usize>,
    pub(super) registry: Registry,
}

fn never(_: &ToolContext) -> bool {
    false
}

/// Takes any arguments, waits for `wait` polls, and says that it ran.
fn tool(builder: FunctionToolBuilder) -> FunctionTool {
    let schema = r#"{"type":"object"}"#;
    builder.raw(schema, async |arguments: Arguments, context: ToolContext| {
        let arguments: Value = serde_json::from_str(&arguments.to_text()).unwrap_or_default();
        wait(arguments["wait"].as_u64().unwrap_or_default()).await;
        format!("{} ran", context.tool_name().unwrap())
    })
}

async fn wait(polls: u64) {
    for _ in 0..polls {
        tokio::task::yield_now().await;
    }
}

fn eager(name: &str) -> FunctionTool {
    tool(builder(name, "In the list."))
}

fn hidden(number: u32, name: &str) -> FunctionToolBuilder {
    builder(name, &format!("Number {number}.")).deferred()
}

/// Finds the numbers of `pick 3 1 wait 2`, in that order, after two polls.
struct Picking;

impl Ranker for Picking {
    fn rank<'a>(&'a self, query: &'a str, catalog: &'a Catalog) -> RankFuture<'a> {
        Box::pin(async move {
            let (picked, polls) = query.split_once(" wait ").unwrap_or((query, "0"));
            wait(polls.parse().unwrap_or_default()).await;
            let Some(numbers) = picked.strip_prefix("pick ") else { return Ok(Vec::new()) };
            let found = numbers.split(' ').filter_map(|number| {
                let description = format!("Number {number}.");
                catalog.iter().position(|document| document.description == description)
            });
            Ok(found.map(|document| Ranked::new(document, 1.0)).collect())
        })
    }
}

/// Decides as the arguments of the call say.
struct AsAsked;

impl ApprovalPolicy for AsAsked {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(async move {
            let arguments: Value = serde_json::from_str(&request.arguments.to_text()).unwrap_or_default();
            match arguments["decide"].as_str() {
                Some("allow") => ApprovalDecision::AllowOnce,
                Some("session") => ApprovalDecision::AllowForSession,
                Some("deny") => ApprovalDecision::deny("no"),
                _ => ApprovalDecision::Suspend,
            }
        })
    }
}

fn lazy(name: &'static str, polls: u64, tools: &'static [&'static str]) -> ToolGroup {
    ToolGroup::lazy(name, format!("The group {name}."), move |context: ToolContext| async move {
        wait(polls).await;
        if name == "both" {
            context.load_group("web").await;
        }
        if name == "bad" {
            return Err(ToolError::new("no luck"));
        }
        Ok(tools.iter().map(|tool| eager(tool)).collect::<Vec<_>>())
    })
}

impl World {
    pub(super) fn new(mode: Mode, budget: Option<usize>) -> Self {
        let search = match mode {
            Mode::Reveal => ToolSearch::new(),
            Mode::Load => ToolSearch::search_then_load(),
            Mode::Bridge => ToolSearch::bridge(),
        };
        let files = [eager("files_open"), tool(builder("files_off", "Off.").enabled(never))];
        let registry = Registry::builder()
            .tools([
                eager("zq_echo"),
                eager("zq_ask"),
                eager("zq_eager_denied"),
                tool(builder("zq_eager_off", "Off.").enabled(never)),
                tool(hidden(1, "zq_alpha")),
                tool(hidden(2, "zq_beta")),
                tool(hidden(3, "zq_gamma")),
                tool(hidden(4, "zq_pay")),
                tool(hidden(6, "zq_off").enabled(never)),
                tool(hidden(7, "zq_denied")),
            ])
            .toolset(Toolset::new("box").prefix("box").tool(tool(hidden(5, "zq_item"))))
            .group(lazy("web", 2, &["web_read", "web_shared", "zq_echo", "zq_alpha", "zq_denied"]))
            .group(lazy("sea", 0, &["sea_fish", "web_shared"]))
            .group(lazy("both", 1, &["both_own"]))
            .group(lazy("bad", 1, &[]))
            .group(ToolGroup::linked("files", "The group files.").tools(files))
            .group(ToolGroup::resident("memory", "The group memory.").tools([eager("note")]))
            .deny(["zq_denied", "zq_eager_denied"].map(|name| ToolPattern::new(name).unwrap()))
            .approval(AsAsked)
            .require_approval(["zq_ask", "zq_pay"].map(|name| ToolPattern::new(name).unwrap()))
            .search(search.ranker(Picking).budget(budget.map_or_else(Budget::unlimited, Budget::tools)))
            .build()
            .unwrap();
        Self { mode, budget, registry }
    }

    pub(super) fn late_tools() -> Toolset {
        Toolset::new("user").prefix("user").tools([eager("zq_hello"), tool(hidden(8, "zq_plan"))])
    }
}

/// A call of the model.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) kind: CallKind,
    /// How many polls it takes.
    pub(super) wait: u64,
}

#[derive(Debug, Clone)]
pub(super) enum CallKind {
    /// Search for the tools of these numbers.
    Pick {
        numbers: Vec<u32>,
        top_k: usize,
    },
    /// Search for a name.
    SearchName(&'static str),
    Load(&'static str),
    Unload(&'static str),
    Clear,
    LoadGroup(&'static str),
    Available,
    /// Call a tool; where somebody is asked, he decides so.
    Tool {
        name: &'static str,
        decide: &'static str,
        bridged: bool,
    },
}

impl Call {
    pub(super) fn call(&self, mode: Mode) -> ToolCall {
        let search = search_tool(mode);
        let (name, arguments) = match &self.kind {
            CallKind::Pick { numbers, top_k } => {
                let picked: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                let query = format!("pick {} wait {}", picked.join(" "), self.wait);
                match mode {
                    Mode::Load => (search, json!({ "query": query })),
                    Mode::Reveal | Mode::Bridge => (search, json!({ "query": query, "top_k": top_k })),
                }
            }
            CallKind::SearchName(name) => (search, json!({ "query": name })),
            CallKind::Load(name) => ("load_tool", json!({ "tool_name": name })),
            CallKind::Unload(name) => ("unload_tool", json!({ "tool_name": name })),
            CallKind::Clear => ("clear_loaded_tools", json!({})),
            CallKind::LoadGroup(name) => ("load_tools", json!({ "name": name })),
            CallKind::Available => ("available_tools", json!({})),
            CallKind::Tool { name, decide, bridged } => {
                let arguments = json!({ "wait": self.wait, "decide": decide });
                if *bridged {
                    ("tool_call", json!({ "name": name, "arguments": arguments }))
                } else {
                    (*name, arguments)
                }
            }
        };
        ToolCall::new(self.id.clone(), name, arguments)
    }
}

pub(super) fn search_tool(mode: Mode) -> &'static str {
    if mode == Mode::Load { "search_tools" } else { "tool_search" }
}
