//! Two hundred conversations at the same time over one registry: none sees what another found, nor another's values.
//!
//! Look at `session_state` and `with`: the registry says which value each session brings, and tools borrow it. Then at
//! `check`: whatever thread a run was on, its lists, its reveals and its answer are those it would have had alone.

use std::{io::Write, process::ExitCode};

use examples::Outcome;
use serde_json::json;
use tool_core::{Agent, Message, ModelReply, Registry, ScriptedModel, SeenRequest, ToolCall, function_tool};

const RUNS: usize = 200;
const TOOLS: [&str; 4] = ["ledger", "parcels", "coupons", "prices"];

/// Whose conversation it is.
struct Tenant {
    number: usize,
}

/// Who is asking.
#[function_tool(read_only)]
fn whoami(#[context] tenant: &Tenant) -> usize {
    tenant.number
}

/// Bookings of this year.
#[function_tool(defer_loading, read_only)]
async fn ledger(#[context] tenant: &Tenant) -> String {
    look_up("ledger", tenant).await
}

/// Parcels on their way.
#[function_tool(defer_loading, read_only)]
async fn parcels(#[context] tenant: &Tenant) -> String {
    look_up("parcels", tenant).await
}

/// Discount codes that are valid now.
#[function_tool(defer_loading, read_only)]
async fn coupons(#[context] tenant: &Tenant) -> String {
    look_up("coupons", tenant).await
}

/// Prices of all articles.
#[function_tool(defer_loading, read_only)]
async fn prices(#[context] tenant: &Tenant) -> String {
    look_up("prices", tenant).await
}

async fn look_up(what: &str, tenant: &Tenant) -> String {
    // Others go on in the middle of each call.
    tokio::task::yield_now().await;
    format!("{what} of tenant {}", tenant.number)
}

/// Searches the tool that the input names, calls it, and answers what it said.
fn model() -> ScriptedModel {
    ScriptedModel::answering(|request| {
        Ok(match request.messages {
            [Message::User { text }] => {
                let query = json!({"query": text, "top_k": 1});
                ModelReply::calls([ToolCall::new("call_1", "tool_search", query)])
            }
            [Message::User { text }, _, _] => ModelReply::calls([ToolCall::new("call_2", text, "{}")]),
            [.., Message::Tool { output, .. }] => ModelReply::text(output.to_text()),
            _ => ModelReply::text("lost"),
        })
    })
}

/// What one run ended with.
struct Ended {
    number: usize,
    wanted: &'static str,
    answer: String,
    revealed: Vec<String>,
}

async fn converse(agent: Agent, number: usize, wanted: &'static str) -> Result<Ended, String> {
    let session = agent.registry().session().with(Tenant { number });
    let mut conversation = agent.conversation(session).map_err(|error| error.to_string())?;
    let result = agent.continue_run(&mut conversation, wanted).await.map_err(|error| error.to_string())?;
    let revealed = conversation.session().revealed().iter().map(ToString::to_string).collect();
    Ok(Ended { number, wanted, answer: result.text, revealed })
}

fn check(ended: &Ended) {
    assert_eq!(ended.answer, format!("{} of tenant {}", ended.wanted, ended.number));
    assert_eq!(ended.revealed, [ended.wanted]);
}

/// Each request lists the eager tool, the search, and what its own conversation has found.
fn check_list(request: &SeenRequest) {
    let Some(Message::User { text: wanted }) = request.messages.first() else { return };
    let found = (request.messages.len() > 1).then_some(wanted.as_str());
    let expected: Vec<_> = ["whoami", "tool_search"].into_iter().chain(found).collect();
    assert_eq!(request.tools, expected);
}

async fn run(out: &mut dyn Write) -> Outcome {
    let registry = Registry::builder().linked().session_state::<Tenant>().build()?;
    let model = model();
    let agent = Agent::builder(model.clone()).registry(registry.clone()).build()?;
    let runs: Vec<_> = TOOLS
        .into_iter()
        .cycle()
        .take(RUNS)
        .enumerate()
        .map(|(number, wanted)| tokio::spawn(converse(agent.clone(), number, wanted)))
        .collect();
    for run in runs {
        check(&run.await??);
    }
    let requests = model.requests();
    assert_eq!(requests.len(), 3 * RUNS);
    requests.iter().for_each(check_list);
    // A session that forgot its value is told so, before any request.
    let Err(forgotten) = registry.session().turn().await else { return Err("the tenant is missing".into()) };
    writeln!(out, "{RUNS} runs, {} requests: each saw its own tools and values only", requests.len())?;
    writeln!(out, "without a tenant: {forgotten}")?;
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    examples::without_options("Two hundred conversations at a time over one registry.", run).await
}
