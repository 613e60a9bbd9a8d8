//! The ledger: what the definitions of a turn cost, as the host counts them.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use tool_core::{
    Agent, Ledger, ModelReply, Registry, RunOptions, ScriptedModel, ToolCall, ToolContext, ToolDefinition,
    ToolGroup, ToolTokens, Toolset,
};

use crate::support::{builder, eager, hidden, search, texts};

/// Ten tokens a letter of the name.
fn by_name(tool: &ToolDefinition) -> usize {
    tool.name().as_str().len() * 10
}

fn lines(tools: &[ToolTokens]) -> Vec<(&str, usize)> {
    tools.iter().map(|line| (line.tool.as_str(), line.tokens)).collect()
}

fn totals(ledger: &Ledger) -> (usize, usize) {
    (ledger.sent_tokens(), ledger.hidden_tokens())
}

fn shop() -> Registry {
    Registry::builder()
        .tools([eager("echo"), hidden("pay", "Pays."), hidden("refund", "Refunds.")])
        .build()
        .unwrap()
}

#[tokio::test]
async fn each_tool_is_sent_or_hidden_and_counted_by_the_host() {
    let session = shop().session();
    let turn = session.turn().await.unwrap();
    let ledger = turn.ledger(by_name);
    assert_eq!(lines(ledger.sent()), [("echo", 40), ("tool_search", 110)]);
    assert_eq!(lines(ledger.hidden()), [("pay", 30), ("refund", 60)]);
    assert_eq!(totals(&ledger), (150, 90));
    texts(&turn, [search("1", "refund")]).await;
    let next = session.turn().await.unwrap();
    assert_eq!(totals(&next.ledger(by_name)), (210, 30));
    assert_eq!(turn.ledger(by_name), ledger, "a turn does not change");
}

#[tokio::test]
async fn tools_of_groups_and_of_the_session_count_and_those_it_cannot_have_do_not() {
    fn never(_: &ToolContext) -> bool {
        false
    }
    let off = builder("off", "Off.").deferred().enabled(never).handler(async |(): (), _: ToolContext| "");
    let group = ToolGroup::linked("web", "Web.").tools([eager("search_web")]);
    let registry = Registry::builder()
        .tools([off, hidden("pay", "Pays."), hidden("denied", "Denied.")])
        .deny([tool_core::ToolPattern::new("denied").unwrap()])
        .group(group)
        .build()
        .unwrap();
    let session = registry.session();
    session.add(Toolset::new("user").tool(hidden("plan", "A plan.")));
    let turn = session.turn().await.unwrap();
    assert_eq!(lines(turn.ledger(by_name).hidden()), [("pay", 30), ("search_web", 100), ("plan", 40)]);
    session.load_group("web").await;
    let turn = session.turn().await.unwrap();
    assert_eq!(lines(turn.ledger(by_name).hidden()), [("pay", 30), ("plan", 40)]);
    assert_eq!(turn.ledger(by_name).sent().last().unwrap().tool.as_str(), "search_web");
}

#[tokio::test]
async fn a_run_has_a_ledger_a_turn_and_counts_each_definition_once() {
    let script = || {
        let search = ToolCall::new("1", "tool_search", json!({"query": "refund"}));
        ScriptedModel::new([ModelReply::calls([search]), ModelReply::text("Done.")])
    };
    let counted = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&counted);
    let agent = Agent::builder(script()).registry(shop()).build().unwrap();
    let options = RunOptions::new().ledger(move |tool| {
        count.fetch_add(1, Ordering::SeqCst);
        by_name(tool)
    });
    let result = agent.run("Refund it.").options(options).await.unwrap();
    assert_eq!(result.ledgers.iter().map(totals).collect::<Vec<_>>(), [(150, 90), (210, 30)]);
    assert_eq!(counted.load(Ordering::SeqCst), 4);

    let agent = Agent::builder(script()).registry(shop()).build().unwrap();
    assert!(agent.run("Refund it.").await.unwrap().ledgers.is_empty());
}
