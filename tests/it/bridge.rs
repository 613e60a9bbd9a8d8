//! Bridge: `tool_search` with schemas and `tool_call`, over a list that never changes by a byte.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tool_core::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, Batch, FunctionTool, Registry,
    SessionEvent, ToolCall, ToolContext, ToolError, ToolErrorKind, ToolGroup, ToolPattern, ToolSearch,
    Toolset,
};

use crate::support::{Log, builder, bytes, call, call_with, eager, hidden, names, note, search, text, texts};

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

#[tokio::test]
async fn some_schemas_fit_the_budget_and_the_rest_is_named() {
    let tools = [typed(), hidden("charge_back", "Charge it back."), hidden("charge_all", "Charge all.")];
    // Room for the two short schemas, or for the long one alone.
    let search_tool = ToolSearch::bridge().schema_tokens(40);
    let turn = Registry::builder().tools(tools).search(search_tool).build().unwrap().session().turn().await;
    let found = text(&turn.unwrap(), search("1", "charge")).await;
    let list: Vec<Value> = serde_json::from_str(found.split("\n\n").next().unwrap()).unwrap();
    let (with, without): (Vec<_>, Vec<_>) = list.iter().partition(|hit| hit.get("input_schema").is_some());
    let names = |hits: Vec<&Value>| {
        hits.iter().map(|hit| hit["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(without.iter().all(|hit| hit.as_object().unwrap().len() == 2), "{found}");
    let (with, without) = (names(with), names(without));
    assert_eq!((with.len(), without.len()), (2, 1), "{found}");
    let said = format!(
        "Shown without their schemas, to save tokens; search for their names to see them: {}.",
        without.join(", ")
    );
    assert_eq!(note(&found).lines().last().unwrap(), said);
    assert!(note(&found).contains("Callable with tool_call from your next message: charge_"), "{found}");
}

/// Allows `refund` for the session and keeps what it was asked about.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<ApprovalRequest>>>);

impl ApprovalPolicy for Asked {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        self.0.lock().unwrap().push(request.clone());
        let decision = match request.tool.as_str() {
            "refund" => ApprovalDecision::AllowForSession,
            "charge_card" => ApprovalDecision::deny("over the limit"),
            _ => ApprovalDecision::Suspend,
        };
        Box::pin(std::future::ready(decision))
    }
}

#[tokio::test]
async fn approvals_are_asked_for_and_kept_for_the_target() {
    let (asked, log) = (Asked::default(), Log::default());
    let registry = Registry::builder()
        .tools([typed(), hidden("refund", "Give money back."), hidden("wire", "Wire money.")])
        .search(ToolSearch::bridge())
        .approval(asked.clone())
        .require_approval([ToolPattern::new("*").unwrap()])
        .events(log.clone())
        .build()
        .unwrap();
    let session = registry.session();
    for name in ["charge_card", "refund", "wire"] {
        session.reveal(name);
    }
    let turn = session.turn().await.unwrap();
    let calls = [
        bridged("1", "charge_card", json!({"cents": 5})),
        bridged("2", "refund", json!({})),
        call("3", "refund"),
    ];
    let results = turn.call_all([calls[0].clone(), calls[1].clone()]).await.into_results();
    assert_eq!(results[0].text(), "Tool 'charge_card' was not approved: over the limit");
    assert_eq!((results[1].call_id.as_str(), results[1].name.as_str()), ("2", "refund"));
    assert_eq!(results[1].text(), "refund ran");
    let request = asked.0.lock().unwrap()[0].clone();
    assert_eq!((request.call_id.as_str(), request.tool.as_str()), ("1", "charge_card"));
    assert_eq!(request.arguments.to_text(), r#"{"cents":5}"#);
    // What was approved through the bridge is approved for a direct call, and the other way round.
    assert_eq!(texts(&turn, calls[1..].iter().cloned()).await, ["refund ran", "refund ran"]);
    assert_eq!(asked.0.lock().unwrap().len(), 2);
    let Batch::Suspended(waiting) = turn.call_all([bridged("4", "wire", json!({}))]).await else {
        panic!("not suspended")
    };
    assert_eq!((waiting[0].call_id.as_str(), waiting[0].tool.as_str()), ("4", "wire"));
    assert!(log.all().iter().any(|event| matches!(event,
        SessionEvent::Suspended { call_id, tool } if call_id == "4" && *tool == "wire")));
}

#[tokio::test(start_paused = true)]
async fn time_outs_and_failures_are_those_of_the_target() {
    let slow = builder("slow", "Never ends.")
        .deferred()
        .timeout(std::time::Duration::from_secs(5))
        .handler(|(): (), _: ToolContext| std::future::pending::<()>());
    let log = Log::default();
    let registry =
        Registry::builder().tool(slow).search(ToolSearch::bridge()).events(log.clone()).build().unwrap();
    let session = registry.session();
    session.reveal("slow");
    let turn = session.turn().await.unwrap();
    let results = crate::support::ends(turn.call_all([bridged("9", "slow", json!({}))])).await.into_results();
    assert_eq!(results[0].text(), "the tool did not answer within 5s");
    assert_eq!((results[0].call_id.as_str(), results[0].name.as_str()), ("9", "slow"));
    assert!(log.all().iter().any(|event| matches!(event,
        SessionEvent::Failed { call_id, tool, kind: ToolErrorKind::TimedOut, .. } if call_id == "9" && *tool == "slow")));
}

#[tokio::test]
async fn groups_and_added_tools_are_called_through_the_bridge_and_change_no_byte() {
    let web = ToolGroup::lazy("web", "Web.", async |_: ToolContext| Ok::<_, ToolError>([eager("read_page")]));
    let registry = Registry::builder()
        .tools([hidden("refund", "Give money back."), eager("echo")])
        .group(web)
        .search(ToolSearch::bridge())
        .build()
        .unwrap();
    let session = registry.session();
    let first = session.turn().await.unwrap();
    let list = bytes(&first);
    let loaded = text(&first, call_with("1", "load_tools", json!({"name": "web"}))).await;
    assert_eq!(loaded, "Loaded 'web': read_page.");
    session.add(Toolset::new("user").prefix("user").tools([eager("hello"), hidden("plan", "A plan.")]));
    let turn = session.turn().await.unwrap();
    assert_eq!(bytes(&turn), list);
    let calls = ["read_page", "user_hello", "user_plan"].map(|name| bridged(name, name, json!({})));
    let answers = texts(&turn, calls).await;
    assert_eq!(answers[..2], ["read_page ran", "user_hello ran"]);
    assert!(answers[2].starts_with("Tool 'user_plan' is not in your current tool list."), "{}", answers[2]);
    text(&turn, search("2", "plan")).await;
    let turn = session.turn().await.unwrap();
    assert_eq!(bytes(&turn), list);
    assert_eq!(text(&turn, bridged("3", "user_plan", json!({}))).await, "user_plan ran");
    // What goes is refused at the call.
    session.unload("user_plan");
    let turn = session.turn().await.unwrap();
    assert_eq!(bytes(&turn), list);
    let gone = text(&turn, bridged("4", "user_plan", json!({}))).await;
    assert!(gone.starts_with("Tool 'user_plan' is not in your current tool list."), "{gone}");
}
