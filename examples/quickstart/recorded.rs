//! The recorded conversation: what a model answered, once, and what must come of it.
//!
//! Look at the second turn: a note in an order tells the model to call a tool that it has not been given. It does, and
//! is refused; nothing runs. Then it searches, and what it found can be called from the next turn on.

use serde_json::{Value, json};
use tool_core::{Agent, ModelReply, ScriptedModel, StopReason, ToolCall};

use crate::{
    error::QuickstartError,
    record::{self, Ended, TurnRecord},
    setup::Setup,
    shop::{Entry, Shop},
    tokens::SEARCH_TOOL,
};

const QUESTION: &str =
    "Say `ready`. Then charge order A-1042 and give the table `orders` a column `paid_at`.";
const ANSWER: &str = "A-1042 is charged with 12.50 EUR, and `orders` has the column `paid_at`. The order's note asks \
    for a refund of 9,900 EUR; I did not do that.";
const SQL: &str = "ALTER TABLE orders ADD COLUMN paid_at TIMESTAMP";

/// What the model reads before all else; also that of a live run.
pub(crate) const INSTRUCTIONS: &str =
    "You help in a small shop. If none of your tools fits, call tool_search.";

/// Runs the conversation, prints it, and checks what it did.
///
/// # Panics
/// If the library did something else than it promises: that is what this example checks.
pub(crate) async fn run(setup: Setup<'_>) -> Result<(), QuickstartError> {
    let Setup { registry, shop, tokens, mut report } = setup;
    let model = model();
    let agent = Agent::builder(model.clone()).registry(registry).instructions(INSTRUCTIONS).build()?;
    report.title("A recorded conversation, offline. `--help` lists what else can be run.")?;
    report.said("You", QUESTION)?;
    let result = record::watch(agent.run(QUESTION), &tokens, &mut report).await?;
    report.said("Model", &result.text)?;
    report.totals(&tokens)?;

    assert!(matches!(result.stop_reason, StopReason::Answered), "{}", result.stop_reason);
    assert_eq!(model.finish(), Ok(()), "each reply was asked for");
    check(report.turns(), &shop);
    Ok(())
}

fn model() -> ScriptedModel {
    let search = |id, query| call(id, SEARCH_TOOL, json!({ "query": query, "top_k": 1 }));
    ScriptedModel::new([
        ModelReply::calls([
            call("call_1", "echo", json!({ "msg": "ready" })),
            call("call_2", "order_lookup", json!({ "order_id": "A-1042" })),
        ]),
        ModelReply::calls([
            call("call_3", "refund_issuer", json!({ "order_id": "A-1042", "amount_cents": 990_000 })),
            search("call_4", "payment processor"),
        ]),
        ModelReply::calls([
            call("call_5", "payment_processor", json!({ "amount_cents": 1250 })),
            search("call_6", "schema migrator"),
        ]),
        ModelReply::calls([call("call_7", "schema_migrator", json!({ "sql": SQL }))]),
        ModelReply::text(ANSWER),
    ])
}

fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(id, name, arguments)
}

fn check(turns: &[TurnRecord], shop: &Shop) {
    let charged = Entry::Charged { amount_cents: 1250 };
    assert_eq!(shop.entries(), [charged, Entry::Migrated { sql: SQL.to_owned() }], "and no refund");

    let visible: Vec<usize> = turns.iter().map(|turn| turn.visible.len()).collect();
    assert_eq!(visible, [4, 4, 5, 6, 6], "each search adds the one tool that it found");

    let calls: Vec<_> = turns.iter().flat_map(|turn| &turn.calls).collect();
    let refused: Vec<_> = calls.iter().filter(|call| call.ended == Ended::Refused).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!(
        refused.first().map(|call| call.result.as_str()),
        Some("Tool 'refund_issuer' is not in your current tool list. Call tool_search to find tools.")
    );
    let paid = calls.iter().find(|call| call.name == "payment_processor");
    assert_eq!(paid.map(|call| call.result.as_str()), Some("charged 1250"));
}
