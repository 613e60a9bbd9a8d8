//! How calls end, and runs that go in circles.

use serde_json::json;
use tool_core::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, Registry, ToolContext, ToolError,
    ToolOutput, ToolPattern, ToolSearch,
};

use super::told_beside_turns;
use crate::support::{Gates, Log, Runs, builder, call, call_with, eager, hidden, poll_once, search, texts};

/// Answers by the id of the call.
struct ById;

impl ApprovalPolicy for ById {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(async move {
            match request.call_id.as_str() {
                "deny" => ApprovalDecision::deny("over the limit"),
                "wait" => ApprovalDecision::Suspend,
                "answer" => ApprovalDecision::Answer(ToolOutput::text("the secret answer")),
                _ => ApprovalDecision::AllowOnce,
            }
        })
    }
}

fn paying(log: &Log) -> Registry {
    Registry::builder()
        .tools([eager("pay"), eager("echo")])
        .approval(ById)
        .require_approval([ToolPattern::new("pay").unwrap()])
        .events(log.clone())
        .build()
        .unwrap()
}

#[tokio::test]
async fn each_call_ends_once() {
    let log = Log::default();
    let failing = builder("failing", "Fails.").handler(async |(): (), _: ToolContext| {
        Err::<(), _>(ToolError::new("no luck").for_model("Try later."))
    });
    let registry = Registry::builder().tools([eager("echo"), failing]).events(log.clone()).build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    texts(&turn, [call("1", "echo")]).await;
    assert_eq!(told_beside_turns(&log), ["1 echo called"]);
    let wrong = call_with("3", "echo", json!({"secret": "hunter2"}));
    texts(&turn, [call("1", "echo"), call("1", "echo"), call("2", "failing"), wrong, call("4", "gone")])
        .await;
    let mut told = told_beside_turns(&log);
    told.sort();
    assert_eq!(
        told,
        [
            "1 echo called",
            "1 echo failed: Failed: duplicate call id",
            "2 failing failed: Failed: no luck",
            "3 echo failed: InvalidArguments: unknown argument `secret`; this tool takes no arguments",
            "4 gone refused: Unknown"
        ]
    );
}

#[tokio::test]
async fn a_call_that_is_dropped_has_failed_as_cancelled() {
    let (log, gates) = (Log::default(), Gates::default());
    let door = gates.clone();
    let slow = builder("slow", "Waits.").handler(move |(): (), _: ToolContext| {
        let door = door.clone();
        async move { door.pass("never").await }
    });
    let registry = Registry::builder().tool(slow).events(log.clone()).build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    let mut calling = Box::pin(turn.call_all([call("1", "slow")]));
    assert!(poll_once(&mut calling).await.is_none());
    drop(calling);
    assert_eq!(told_beside_turns(&log), ["1 slow failed: Cancelled: nobody waited for the call any more"]);
}

#[tokio::test]
async fn a_call_through_the_bridge_that_is_no_call_has_failed() {
    let log = Log::default();
    let registry = Registry::builder()
        .tool(hidden("alpha", "First."))
        .search(ToolSearch::bridge())
        .events(log.clone())
        .build()
        .unwrap();
    let turn = registry.session().turn().await.unwrap();
    texts(&turn, [call("1", "tool_call")]).await;
    assert_eq!(told_beside_turns(&log), ["1 tool_call failed: InvalidArguments: missing argument `name`"]);
}

#[tokio::test]
async fn a_call_from_inside_a_tool_that_is_not_run_has_failed() {
    let log = Log::default();
    let asking = builder("asking", "Asks.")
        .handler(async |(): (), context: ToolContext| context.call("tool_search", "{}").await);
    let registry =
        Registry::builder().tools([asking, hidden("alpha", "First.")]).events(log.clone()).build().unwrap();
    texts(&registry.session().turn().await.unwrap(), [call("1", "asking")]).await;
    let message = "Tool 'tool_search' cannot be called from inside a tool.";
    assert_eq!(
        told_beside_turns(&log),
        [format!("1 tool_search failed: Failed: {message}"), format!("1 asking failed: Failed: {message}")]
    );
}

#[tokio::test]
async fn approvals_are_told_by_what_came_of_them() {
    let log = Log::default();
    let session = paying(&log).session();
    let turn = session.turn().await.unwrap();
    texts(&turn, [call("deny", "pay"), call("answer", "pay"), call("run", "pay")]).await;
    assert_eq!(
        told_beside_turns(&log),
        ["deny pay not approved: over the limit", "answer pay answered", "run pay called"]
    );
    assert!(matches!(turn.call_all([call("wait", "pay")]).await, tool_core::Batch::Suspended(_)));
    assert_eq!(told_beside_turns(&log), ["wait pay suspended"]);
}

#[tokio::test]
async fn arguments_and_outputs_are_in_no_event() {
    let log = Log::default();
    let runs = Runs::default();
    let secret = builder("pay", "Pays.")
        .handler(async |_: std::collections::BTreeMap<String, String>, _: ToolContext| "the secret answer");
    let registry = Registry::builder()
        .tools([secret, runs.hidden("alpha", "First."), runs.hidden("beta", "hunter2 things.")])
        .approval(ById)
        .require_approval([ToolPattern::new("pay").unwrap()])
        .events(log.clone())
        .build()
        .unwrap();
    let session = registry.session();
    let arguments = || json!({"password": "hunter2"});
    let turn = session.turn().await.unwrap();
    texts(&turn, [call_with("1", "pay", arguments()), search("2", "hunter2")]).await;
    texts(&turn, [call_with("deny", "pay", arguments()), call_with("answer", "pay", arguments())]).await;
    turn.call_all([call_with("wait", "pay", arguments()), call_with("3", "nothing", arguments())]).await;
    let events = log.take();
    assert_eq!(events.len(), 9, "{events:#?}");
    let text = format!("{events:?}");
    assert!(!text.contains("hunter2") && !text.contains("secret"), "{text}");
}

#[tokio::test]
async fn circles_are_told_when_the_model_is_told_and_when_the_turn_stops() {
    let log = Log::default();
    let registry = Registry::builder().tool(hidden("alpha", "First.")).events(log.clone()).build().unwrap();
    let session = registry.session();
    let mut circles = Vec::new();
    for _ in 0..6 {
        texts(&session.turn().await.unwrap(), [call("1", "gone")]).await;
        circles.push(told_beside_turns(&log).split_off(1));
    }
    assert_eq!(circles[..4], [const { Vec::<String>::new() }; 4]);
    assert_eq!(circles[4..], [["circling: Refused"], ["stopped: Refused"]]);
    for round in ["searched: alpha of 1", "circling: Searching", "stopped: Searching"] {
        texts(&session.turn().await.unwrap(), [search("1", "alpha")]).await;
        assert!(told_beside_turns(&log).contains(&round.to_owned()), "{round}");
    }
}

#[tokio::test]
async fn calls_of_the_host_are_told_without_an_id() {
    let log = Log::default();
    let session = paying(&log).session();
    session.call("echo", "{}").await.unwrap();
    assert_eq!(told_beside_turns(&log), [" echo called"]);
}
