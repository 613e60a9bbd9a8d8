//! Bridge: `tool_search` with schemas and `tool_call`, over a list that never changes by a byte.

use serde_json::{Value, json};
use tool_core::{FunctionTool, Registry, SessionEvent, ToolCall, ToolContext, ToolSearch};

use crate::support::{Log, bytes, call, call_with, eager, hidden, names, note, search, text, texts};

#[allow(clippy::needless_pass_by_value, reason = "made where it is given")]
fn bridged(id: &str, name: &str, arguments: Value) -> ToolCall {
    call_with(id, "tool_call", json!({"name": name, "arguments": arguments}))
}

fn typed() -> FunctionTool {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Amount {
        cents: u64,
    }
    FunctionTool::builder("charge_card", "Charge a card.")
        .deferred()
        .handler(async |amount: Amount, _: ToolContext| format!("charged {}", amount.cents))
}

fn registry(log: &Log) -> Registry {
    let tools = [typed(), hidden("refund", "Give money back."), eager("echo")];
    Registry::builder().tools(tools).search(ToolSearch::bridge()).events(log.clone()).build().unwrap()
}

#[tokio::test]
async fn a_search_shows_schemas_and_what_it_revealed_is_called_through_the_bridge() {
    let session = registry(&Log::default()).session();
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn), ["echo", "tool_call", "tool_search"]);
    let found = text(&turn, search("1", "charge card")).await;
    let list: Value = serde_json::from_str(found.split("\n\n").next().unwrap()).unwrap();
    assert_eq!(list[0]["input_schema"]["required"], json!(["cents"]));
    assert!(note(&found).contains("Callable with tool_call from your next message: charge_card."), "{found}");
    let next = session.turn().await.unwrap();
    assert_eq!(bytes(&next), bytes(&turn));
    let results = next.call_all([bridged("2", "charge_card", json!({"cents": 5}))]).await.into_results();
    assert_eq!((results[0].call_id.as_str(), results[0].name.as_str()), ("2", "charge_card"));
    assert_eq!(results[0].text(), "charged 5");
    // A direct call of a revealed name runs too.
    assert_eq!(text(&next, call_with("3", "charge_card", json!({"cents": 6}))).await, "charged 6");
}

#[tokio::test]
async fn schemas_past_the_token_budget_are_left_out_and_the_note_says_so() {
    let registry =
        Registry::builder().tool(typed()).search(ToolSearch::bridge().schema_tokens(1)).build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    let found = text(&turn, search("1", "charge")).await;
    assert!(!found.contains("input_schema"), "{found}");
    assert!(note(&found).contains("Shown without their schemas"), "{found}");
}

#[tokio::test]
async fn hidden_and_discovery_names_are_refused_and_eager_ones_work() {
    let session = registry(&Log::default()).session();
    let turn = session.turn().await.unwrap();
    let usual = |name: &str| {
        format!("Tool '{name}' is not in your current tool list. Call tool_search to find tools.")
    };
    for name in ["charge_card", "nothing", "tool_search", "tool_call"] {
        assert_eq!(text(&turn, bridged("1", name, json!({}))).await, usual(name));
    }
    assert_eq!(text(&turn, bridged("2", "echo", json!({}))).await, "echo ran");
    let both = texts(&turn, [search("3", "refund"), bridged("4", "refund", json!({}))]).await;
    assert_eq!(both[1], usual("refund"));
}

#[tokio::test]
async fn bad_arguments_read_as_in_a_direct_call() {
    let session = registry(&Log::default()).session();
    session.reveal("charge_card");
    let turn = session.turn().await.unwrap();
    for arguments in [json!({}), json!({"cents": "x"}), json!({"cent": 1})] {
        let direct = text(&turn, call_with("1", "charge_card", arguments.clone())).await;
        assert_eq!(text(&turn, bridged("2", "charge_card", arguments)).await, direct);
    }
    assert_eq!(text(&turn, call("3", "tool_call")).await, "missing argument `name`");
}

#[tokio::test]
async fn events_carry_the_name_of_the_target() {
    let log = Log::default();
    let session = registry(&log).session();
    session.reveal("refund");
    texts(&session.turn().await.unwrap(), [bridged("9", "refund", json!({}))]).await;
    assert!(log.all().iter().any(|event| matches!(event,
        SessionEvent::Called { call_id, tool, .. } if call_id == "9" && *tool == "refund")));
}

#[tokio::test]
async fn many_reveals_and_a_resume_change_no_byte() {
    let tools: Vec<_> = (0..30).map(|n| hidden(&format!("tool_{n}"), "One of many.")).collect();
    let registry =
        Registry::builder().tools(tools).tool(eager("echo")).search(ToolSearch::bridge()).build().unwrap();
    let session = registry.session();
    let first = bytes(&session.turn().await.unwrap());
    for n in 0..30 {
        session.reveal(&format!("tool_{n}"));
        assert_eq!(bytes(&session.turn().await.unwrap()), first);
    }
    let (resumed, report) = registry.resume(session.snapshot()).await.unwrap();
    assert!(report.is_complete());
    let turn = resumed.turn().await.unwrap();
    assert_eq!(bytes(&turn), first);
    assert_eq!(text(&turn, bridged("1", "tool_7", json!({}))).await, "tool_7 ran");
}

#[tokio::test]
async fn a_tool_call_that_is_no_call_is_not_counted_as_refused() {
    let registry =
        Registry::builder().tool(hidden("pay", "Pay.")).search(ToolSearch::bridge()).build().unwrap();
    let session = registry.session();
    for _ in 0..8 {
        let turn = session.turn().await.unwrap();
        assert_eq!(text(&turn, call_with("1", "tool_call", json!({}))).await, "missing argument `name`");
        assert_eq!(turn.stop_reason(), None);
    }
}
