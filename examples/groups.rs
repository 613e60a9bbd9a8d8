//! Groups: tools that the model loads as a whole, built for each session when they are first needed.
//!
//! Look at `registry` for the four kinds: built by async code, built by code that blocks, declared on the functions
//! with `group = "…"`, and resident. Then at a build that fails and works the next time, and at a load by the host.

use std::{
    io::Write,
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

use examples::Outcome;
use serde_json::json;
use tool_core::{
    BuildErrors, FunctionTool, GroupOutcome, Registry, Session, ToolCall, ToolContext, ToolError, ToolGroup,
    function_tool, tools,
};

/// Note something down.
#[function_tool]
fn note(text: &str) -> String {
    format!("noted: {text}")
}

/// Draw numbers as a bar chart.
#[function_tool(group = "charts")]
fn plot(values: Vec<u8>) -> String {
    values.into_iter().map(|value| "█".repeat(value.into()) + "\n").collect()
}

/// The mean of numbers.
#[function_tool(group = "charts")]
fn mean(values: Vec<f64>) -> f64 {
    values.into_iter().zip(1_u32..).fold(0.0, |mean, (value, n)| mean + (value - mean) / f64::from(n))
}

/// What a build may reach: host values come through its context.
struct Network {
    is_up: AtomicBool,
}

/// Connects, asks the server what it has, and makes a tool of each answer.
async fn connect(context: ToolContext) -> Result<Vec<FunctionTool>, ToolError> {
    let network = context.get::<Network>().ok_or_else(|| ToolError::new("no network was given"))?;
    // The first try comes too early.
    if !network.is_up.swap(true, Ordering::SeqCst) {
        return Err(ToolError::new("the network is down"));
    }
    let search = FunctionTool::new("search_web", "Search the web.", async |(): (), _: ToolContext| "3 pages");
    Ok(vec![search])
}

fn registry() -> Result<Registry, BuildErrors> {
    let read_disk = |_: ToolContext| {
        let read = |(): (), _: ToolContext| std::fs::read_dir(".").map(Iterator::count);
        Ok::<_, ToolError>([FunctionTool::builder("count_files", "Count the files here.").blocking(read)])
    };
    Registry::builder()
        .linked()
        .state(Network { is_up: AtomicBool::new(false) })
        .group(
            ToolGroup::lazy("web", "Search the web.", connect).guidance("Prefer search_web over guessing."),
        )
        .group(ToolGroup::lazy_blocking("disk", "Look at files.", read_disk))
        .group(ToolGroup::linked("charts", "Numbers and charts."))
        .group(ToolGroup::resident("notes", "Notes.").tools(tools![note]))
        .build()
}

/// One turn with one call: prints it, and returns what the model reads.
async fn ask(
    session: &Session,
    out: &mut dyn Write,
    name: &str,
    arguments: serde_json::Value,
) -> Result<String, Box<dyn std::error::Error>> {
    let turn = session.turn().await?;
    let results = turn.call_all([ToolCall::new("call_1", name, arguments.clone())]).await.into_results();
    let answer: String = results.iter().map(|result| result.text().into_owned()).collect();
    writeln!(out, "{name} {arguments}\n    {}", answer.replace('\n', "\n    "))?;
    Ok(answer)
}

async fn run(out: &mut dyn Write) -> Outcome {
    let registry = registry()?;
    let session = registry.session();
    let listing = ask(&session, out, "available_tools", json!({})).await?;
    assert!(listing.contains("web [loadable]") && listing.contains("notes [resident]"));
    assert!(ask(&session, out, "mean", json!({"values": [1, 2]})).await?.contains("load_tools"));

    // A build that fails leaves the group loadable.
    let failed = ask(&session, out, "load_tools", json!({"name": "web"})).await?;
    assert_eq!(failed, "Could not load 'web': the network is down");
    let loaded = ask(&session, out, "load_tools", json!({"name": "web"})).await?;
    assert_eq!(loaded, "Loaded 'web': search_web.\nPrefer search_web over guessing.");
    assert_eq!(ask(&session, out, "search_web", json!({})).await?, "3 pages");

    assert_eq!(
        ask(&session, out, "load_tools", json!({"name": "charts"})).await?,
        "Loaded 'charts': mean, plot."
    );
    assert_eq!(ask(&session, out, "mean", json!({"values": [1, 2, 6]})).await?, "3.0");

    // The host loads without asking a model, and reads what came of it as a value.
    let GroupOutcome::Loaded(disk) = session.load_group("disk").await else {
        return Err("the group was not loaded".into());
    };
    writeln!(out, "the host loaded: {:?}", disk.tools)?;
    assert_eq!(disk.tools, ["count_files"]);
    assert_eq!(session.load_group("disk").await, GroupOutcome::AlreadyLoaded);

    // Another session over the same registry has loaded nothing.
    assert_eq!(session.loaded_groups(), ["web", "charts", "disk"]);
    assert!(registry.session().loaded_groups().is_empty());
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    examples::without_options("Groups: tools that the model loads as a whole.", run).await
}
