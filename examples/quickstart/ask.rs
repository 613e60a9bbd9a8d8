//! A search with the user's own words, without a model: what the search tool answers, and what the next turn lists.

use serde::Deserialize;
use serde_json::json;
use tool_core::{Session, ToolCall, Turn};

use crate::{
    error::QuickstartError,
    record::TurnRecord,
    setup::Setup,
    tokens::{SEARCH_TOOL, TokenCounts},
};

/// One hit as the search tool writes it for the model.
#[derive(Debug, Deserialize)]
pub(crate) struct Hit {
    pub(crate) name: String,
    pub(crate) description: String,
}

/// Two turns: one whose only call is the search, and the one after it.
pub(crate) async fn run(setup: Setup<'_>, question: &str) -> Result<(), QuickstartError> {
    let Setup { registry, tokens, mut report, .. } = setup;
    let session = registry.session();
    let (turn, mut record) = open(1, &session, &tokens).await?;
    let call = ToolCall::new("call_1", SEARCH_TOOL, json!({ "query": question }));
    let mut answer = String::new();
    for result in turn.call_all([call.clone()]).await.into_results() {
        record.add(&call, &result);
        answer = result.text().into_owned();
    }
    let (hits, note) = read(&answer);
    report.title("A search without a model, as one would call it.")?;
    report.said("You", question)?;
    report.hits(&hits, note)?;
    let first = hits.first().and_then(|hit| registry.definition(&hit.name));
    if let Some(first) = first
        && let Ok(schema) = first.input_schema()
    {
        report.definition(first, schema)?;
    }
    report.count(record)?;
    report.count(open(2, &session, &tokens).await?.1)?;
    report.totals(&tokens)?;
    Ok(())
}

async fn open(
    number: usize,
    session: &Session,
    tokens: &TokenCounts,
) -> Result<(Turn, TurnRecord), QuickstartError> {
    let turn = session.turn().await?;
    let visible = turn.tools().map(|tool| tool.name().clone()).collect();
    let record = TurnRecord::new(number, visible, tokens);
    Ok((turn, record))
}

/// The answer is a JSON list, a blank line, and a note.
fn read(answer: &str) -> (Vec<Hit>, &str) {
    let (list, note) = answer.split_once("\n\n").unwrap_or((answer, ""));
    match serde_json::from_str(list) {
        Ok(hits) => (hits, note),
        Err(_) => (Vec::new(), answer),
    }
}
