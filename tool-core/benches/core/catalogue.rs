//! The hidden tools: made up, or from a file.

use std::{collections::HashSet, sync::OnceLock};

use serde::Deserialize;
use serde_json::value::RawValue;
use tool_core::{Arguments, FunctionTool, Registry, ToolContext, ToolName};

use crate::tools::ANNOTATED;

const SMALL: usize = 100;
const LARGE: usize = 10_000;

/// One tool as a server describes it.
#[derive(Deserialize)]
struct Described {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(alias = "inputSchema", alias = "parameters")]
    schema: Box<RawValue>,
}

/// How many hidden tools the benchmarks run with: few, and as many as there are.
pub(crate) fn sizes() -> [usize; 2] {
    let all = source().len();
    [SMALL.min(all), all]
}

/// The first `size` hidden tools.
pub(crate) fn hidden(size: usize) -> Vec<FunctionTool> {
    let described = source().iter().take(size);
    described
        .map(|tool| {
            FunctionTool::builder(tool.name.as_str().to_owned(), tool.description.clone())
                .deferred()
                .raw(tool.schema.get(), async |arguments: Arguments, _: ToolContext| {
                    arguments.to_text().into_owned()
                })
        })
        .collect()
}

/// The name of some hidden tool.
pub(crate) fn hidden_name(size: usize) -> &'static str {
    &source()[size / 2].name
}

/// The annotated tools, which every turn lists, and `size` hidden ones.
pub(crate) fn registry(size: usize) -> Registry {
    Registry::builder().tools(ANNOTATED).tools(hidden(size)).build().expect("the catalogue is valid")
}

fn source() -> &'static [Described] {
    static SOURCE: OnceLock<Vec<Described>> = OnceLock::new();
    SOURCE.get_or_init(|| match std::env::var_os("TOOL_BENCH_CATALOG") {
        Some(path) => read(&std::fs::read_to_string(path).expect("TOOL_BENCH_CATALOG is a readable file")),
        None => made_up().take(LARGE).collect(),
    })
}

/// The tools of a `{"tools": […]}` answer or of a bare list, the first of each name.
fn read(text: &str) -> Vec<Described> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum File {
        Answer { tools: Vec<serde_json::Value> },
        List(Vec<serde_json::Value>),
    }
    let (File::Answer { tools } | File::List(tools)) =
        serde_json::from_str(text).expect("TOOL_BENCH_CATALOG is a list of tools");
    let mut names = HashSet::new();
    let described = tools.into_iter().filter_map(|tool| serde_json::from_str(&tool.to_string()).ok());
    described
        .map(|tool: Described| Described { name: ToolName::from_wire("", &tool.name).to_string(), ..tool })
        .filter(|tool| !tool.description.trim().is_empty() && names.insert(tool.name.clone()))
        .collect()
}

const SERVICES: [&str; 20] = [
    "billing", "calendar", "catalog", "chat", "cluster", "crm", "deploy", "docs", "fleet", "forum", "inbox",
    "ledger", "maps", "media", "payroll", "queue", "sensor", "storage", "survey", "tracker",
];
const VERBS: [&str; 25] = [
    "add", "approve", "archive", "assign", "cancel", "clone", "close", "count", "create", "delete", "export",
    "fetch", "import", "list", "lock", "merge", "move", "publish", "rename", "restore", "search", "share",
    "tag", "update", "watch",
];
const NOUNS: [&str; 20] = [
    "account", "alert", "asset", "batch", "contract", "device", "event", "folder", "image", "invoice",
    "label", "message", "order", "plan", "policy", "record", "report", "route", "schedule", "ticket",
];

fn made_up() -> impl Iterator<Item = Described> {
    // Services change fastest, so that a small catalogue has some of each.
    NOUNS.iter().flat_map(|noun| {
        VERBS.iter().flat_map(move |verb| SERVICES.iter().map(move |service| describe(service, verb, noun)))
    })
}

fn describe(service: &str, verb: &str, noun: &str) -> Described {
    let schema = format!(
        r#"{{"type":"object","properties":{{"{noun}_id":{{"type":"string","description":"Which {noun} to {verb}."}},"dry_run":{{"type":"boolean","description":"Only say what would happen in the {service}."}}}},"required":["{noun}_id"],"additionalProperties":false}}"#
    );
    Described {
        name: format!("{service}_{verb}_{noun}"),
        description: format!("Use this to {verb} one {noun} of the {service} and get its new state."),
        schema: RawValue::from_string(schema).expect("the text above is JSON"),
    }
}
