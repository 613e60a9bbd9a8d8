//! Search, then load: the model looks for tools, loads the ones it needs, and unloads others to make room.
//!
//! Look at `registry` for a toolset with discovery tools, prefix and cap of its own, and one under the common search with
//! a token budget; then at the list that is printed for each turn.

use std::{error::Error, io::Write, process::ExitCode};

use examples::Outcome;
use serde_json::{Value, json};
use tool_core::{
    Budget, BuildErrors, Registry, Session, ToolCall, ToolSearch, Toolset, function_tool, tools,
};

/// Name of the repository and how it is doing.
#[function_tool(read_only)]
fn repository() -> &'static str {
    "acme/shop: 2 open pull requests"
}

/// List the open pull requests.
#[function_tool(read_only)]
fn list_pulls() -> &'static str {
    "#7 Fix the cart"
}

/// Merge a pull request.
#[function_tool]
fn merge_pull(number: u32) -> String {
    format!("merged #{number}")
}

/// Open an issue.
#[function_tool]
fn create_issue(title: &str) -> String {
    format!("opened: {title}")
}

/// Send an e-mail.
#[function_tool]
fn send(to: &str) -> String {
    format!("sent to {to}")
}

/// Move an e-mail to the archive.
#[function_tool]
fn archive(id: u64) -> String {
    format!("archived {id}")
}

fn registry() -> Result<Registry, BuildErrors> {
    // Four tools of its own: github_search_tools, github_load_tool, and so on. At most two loaded tools.
    let github = Toolset::new("github")
        .prefix("github")
        .deferred()
        .tools(tools![list_pulls, merge_pull, create_issue])
        .always_available(tools![repository])
        .search(ToolSearch::search_then_load().top_k(3).budget(Budget::tools(2)));
    // Covered by the registry's search, with room for one of the two.
    let mail = Toolset::new("mail")
        .prefix("mail")
        .deferred()
        .tools(tools![send, archive])
        .budget(Budget::tokens(40));
    Registry::builder().toolset(github).toolset(mail).search(ToolSearch::search_then_load()).build()
}

/// One turn: prints the list, makes the calls, and returns what the model reads of each.
async fn turn<const N: usize>(
    session: &Session,
    out: &mut dyn Write,
    calls: [(&str, Value); N],
) -> Result<[String; N], Box<dyn Error>> {
    let turn = session.turn().await?;
    let names: Vec<_> = turn.tools().map(|tool| tool.name().as_str()).collect();
    writeln!(out, "\n{} tools: {}", names.len(), names.join(", "))?;
    let calls = calls.into_iter().zip(1..);
    let calls = calls.map(|((name, arguments), id)| ToolCall::new(format!("call_{id}"), name, arguments));
    let mut answers = Vec::new();
    for result in turn.call_all(calls).await.into_results() {
        writeln!(out, "  {} → {}", result.name, result.text().replace('\n', "\n    "))?;
        answers.push(result.text().into_owned());
    }
    answers.try_into().map_err(|_| "a call has no result".into())
}

async fn run(out: &mut dyn Write) -> Outcome {
    let session = registry()?.session();
    let search = ("github_search_tools", json!({"query": "merge pull request"}));
    let [found] = turn(&session, out, [search]).await?;
    assert!(found.contains("github_merge_pull"), "one name everywhere, prefix included");

    // The bare name does where only one tool has it. What is loaded here is callable from the next turn on.
    let load = |name: &str| ("github_load_tool", json!({ "tool_name": name }));
    let list = || ("github_list_pulls", json!({}));
    let [loaded, too_early] = turn(&session, out, [load("list_pulls"), list()]).await?;
    assert_eq!(loaded, r#"{"status":"loaded","tool_name":"github_list_pulls"}"#);
    assert!(too_early.contains("not in your current tool list"));

    let [pulls, _, third] = turn(&session, out, [list(), load("merge_pull"), load("create_issue")]).await?;
    assert_eq!(pulls, "#7 Fix the cart");
    assert!(third.contains("limit_reached"), "nothing is evicted: the model unloads");

    let unload = ("github_unload_tool", json!({"tool_name": "github_list_pulls"}));
    let [_, third] = turn(&session, out, [unload, load("create_issue")]).await?;
    assert!(third.contains(r#""loaded""#), "the loads and unloads of a batch act in call order");

    // The other toolset has a budget of its own; its second tool does not fit.
    let load = |name: &str| ("load_tool", json!({ "tool_name": name }));
    let merge = ("github_merge_pull", json!({"number": 7}));
    let [merged, _, second] = turn(&session, out, [merge, load("mail_send"), load("mail_archive")]).await?;
    assert_eq!(merged, "merged #7");
    assert!(second.contains(r#""max_loaded_tokens":40"#));

    let [cleared] = turn(&session, out, [("github_clear_loaded_tools", json!({}))]).await?;
    assert_eq!(cleared, r#"{"status":"cleared","count":2}"#);
    assert_eq!(session.revealed(), ["mail_send"], "each namespace is cleared by its own tool");
    let [] = turn(&session, out, []).await?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    examples::without_options("Search, then load: prints the tool list of each turn.", run).await
}
