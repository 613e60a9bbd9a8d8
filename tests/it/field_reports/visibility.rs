//! Revealed, and then visible and callable: whoever drives the loop, on whatever thread, after whatever was lost.

use std::task::{Context, Poll, Waker};

use serde_json::json;
use tool_core::{
    Agent, ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, Message, ModelReply, Registry,
    RunOptions, ScriptedModel, SessionEvent, ToolCall, ToolContext, ToolName, ToolPattern, ToolSearch,
};

use crate::support::{Log, Runs, builder, bytes, call, call_with, eager, hidden, names, search, text, texts};

/// The results of a run, as the model reads them.
fn results(messages: &[Message]) -> Vec<String> {
    let results = messages.iter().filter_map(|message| match message {
        Message::Tool { output, .. } => Some(output.to_text().into_owned()),
        _ => None,
    });
    results.collect()
}

/// timothy-agent/timothy#732: what was loaded could be called in the next conversation turn, not in the next request.
/// mastra-ai/mastra#19145: every search hit counted as loaded.
#[tokio::test]
async fn what_is_loaded_is_in_the_very_next_request_of_the_run_and_what_is_only_found_is_not() {
    let registry = Registry::builder()
        .tools([hidden("send_mail", "Sends mail."), hidden("read_mail", "Reads mail."), eager("echo")])
        .search(ToolSearch::search_then_load())
        .build()
        .unwrap();
    let model = ScriptedModel::new([
        ModelReply::calls([call_with("1", "search_tools", json!({"query": "mail"}))]),
        ModelReply::calls([call_with("2", "load_tool", json!({"tool_name": "send_mail"}))]),
        ModelReply::calls([call("3", "send_mail"), call("4", "read_mail")]),
        ModelReply::text("Sent."),
    ]);
    let agent = Agent::builder(model.clone()).registry(registry).build().unwrap();
    let result = agent.run("Send it").await.unwrap();
    let requests = model.requests();
    let has = |request: usize, name: &str| requests[request].tools.iter().any(|tool| *tool == name);
    assert!(!has(0, "send_mail") && !has(1, "send_mail") && has(2, "send_mail") && has(3, "send_mail"));
    assert!(requests.iter().all(|request| !request.tools.iter().any(|tool| *tool == "read_mail")));
    assert_eq!(
        results(&result.messages)[1..],
        [
            r#"{"status":"loaded","tool_name":"send_mail"}"#,
            "send_mail ran",
            "Tool 'read_mail' is not in your current tool list. Call search_tools, then load_tool.",
        ]
    );
}

/// Polls a future to its end, each time on a thread that has never seen it.
fn on_a_thread_each<F: Future + Send>(future: F) -> F::Output
where
    F::Output: Send,
{
    let mut future = Box::pin(future);
    loop {
        let polled = std::thread::scope(|scope| {
            let poll = || future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            scope.spawn(poll).join().unwrap()
        });
        if let Poll::Ready(output) = polled {
            return output;
        }
    }
}

/// bytedance/deer-flow#3342: deferred state stood in a context variable that another task did not see.
#[test]
fn a_run_that_is_polled_on_ever_other_threads_sends_the_same_requests() {
    let yielding = || {
        let builder = builder("wait", "Waits.");
        builder.handler(async |(): (), _: ToolContext| {
            tokio::task::yield_now().await;
            "waited"
        })
    };
    let requests = |drive: fn(&Agent)| {
        let registry = Registry::builder()
            .tools([yielding(), hidden("pay", "Moves money."), hidden("secret", "Another.")])
            .build()
            .unwrap();
        let model = ScriptedModel::new([
            ModelReply::calls([search("1", "money"), call("2", "wait")]),
            ModelReply::calls([call("3", "pay"), call("4", "wait")]),
            ModelReply::text("Paid."),
        ]);
        let agent = Agent::builder(model.clone()).registry(registry).build().unwrap();
        drive(&agent);
        model.finish().unwrap();
        model.requests()
    };
    let moved = requests(|agent| {
        on_a_thread_each(async { agent.run("Pay").await.unwrap() });
    });
    let still = requests(|agent| {
        crate::support::block_on(async { agent.run("Pay").await.unwrap() });
    });
    assert_eq!(moved, still);
    assert_eq!(moved[0].tools, ["wait", "tool_search"]);
    assert_eq!(moved[2].tools, ["wait", "tool_search", "pay"]);
}

/// bytedance/deer-flow#2884: each build of the list made the reveals anew. spring-projects/spring-ai#7034, openai/codex#34719:
/// what was revealed, and the search tool, went with the messages that were trimmed.
#[tokio::test]
async fn reveals_do_not_live_in_messages_so_trimming_all_of_them_changes_no_list() {
    let registry = Registry::builder().tools([hidden("pay", "Moves money."), eager("echo")]).build().unwrap();
    let model = ScriptedModel::new([
        ModelReply::calls([search("1", "money")]),
        ModelReply::calls([call("2", "echo")]),
        ModelReply::calls([call("3", "pay")]),
        ModelReply::text("Paid."),
    ]);
    let agent = Agent::builder(model.clone()).registry(registry).build().unwrap();
    let forget = RunOptions::new().before_request(|messages| {
        messages.drain(..messages.len().saturating_sub(1));
    });
    let result = agent.run("Pay").options(forget).await.unwrap();
    let requests = model.requests();
    assert!(requests[1..].iter().all(|request| request.definitions == requests[1].definitions));
    assert_eq!(requests[3].tools, ["echo", "tool_search", "pay"]);
    assert_eq!(results(&result.messages)[2], "pay ran");
}

/// pydantic/pydantic-ai#7189: a tool that was revealed before was neither visible nor found again.
#[tokio::test]
async fn what_is_revealed_is_still_found_and_said_to_be_callable() {
    let registry = Registry::builder().tool(hidden("pay", "Moves money.")).build().unwrap();
    let session = registry.session();
    text(&session.turn().await.unwrap(), search("1", "money")).await;
    let (resumed, _) = registry.resume(session.snapshot()).await.unwrap();
    let again = text(&resumed.turn().await.unwrap(), search("2", "money now")).await;
    assert_eq!(again, "[{\"name\":\"pay\",\"description\":\"Moves money.\"}]\n\nCallable now: pay.");
}

/// pydantic/pydantic-ai#7271: calls were judged by a list that the model had not seen.
#[tokio::test]
async fn a_call_is_judged_by_the_list_that_its_reply_was_made_from() {
    let registry = Registry::builder().tools([hidden("pay", "Moves money."), eager("echo")]).build().unwrap();
    let session = registry.session();
    session.reveal("pay");
    let with = session.turn().await.unwrap();
    session.unload("pay");
    let without = session.turn().await.unwrap();
    assert_eq!(text(&with, call("1", "pay")).await, "pay ran");
    assert!(
        text(&without, call("2", "pay")).await.starts_with("Tool 'pay' is not in your current tool list.")
    );
}

/// omnara-ai/omnara#535: a saved schema was used after the tool had changed.
#[tokio::test]
async fn a_tool_that_changed_since_it_was_saved_is_listed_as_it_is_now_and_the_host_is_told() {
    let before = Registry::builder().tools([hidden("pay", "Moves money."), hidden("ask", "Asks.")]).build();
    let session = before.unwrap().session();
    session.reveal("pay");
    session.reveal("ask");
    let log = Log::default();
    let now = Registry::builder()
        .tools([hidden("pay", "Moves money and keeps a receipt."), hidden("ask", "Asks.")])
        .events(log.clone())
        .build()
        .unwrap();
    let (resumed, report) = now.resume(session.snapshot()).await.unwrap();
    let pay = ToolName::new("pay").unwrap();
    assert_eq!(report.changed.as_slice(), std::slice::from_ref(&pay));
    assert_eq!(log.all(), [SessionEvent::Changed { tool: pay }]);
    let turn = resumed.turn().await.unwrap();
    assert_eq!(names(&turn), ["tool_search", "pay", "ask"]);
    assert!(bytes(&turn).contains("Moves money and keeps a receipt."));
    assert_eq!(text(&turn, call("1", "pay")).await, "pay ran");
}

/// Suspends all that it is asked about.
struct Later;

impl ApprovalPolicy for Later {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(std::future::ready(ApprovalDecision::Suspend))
    }
}

/// What was found before a call had to wait is there when it is decided, and after.
#[tokio::test]
async fn reveals_outlive_a_suspension_and_its_resume() {
    let runs = Runs::default();
    let registry = Registry::builder()
        .tools([runs.hidden("pay", "Moves money."), runs.hidden("refund", "Gives it back.")])
        .approval(Later)
        .require_approval([ToolPattern::new("pay").unwrap()])
        .build()
        .unwrap();
    let session = registry.session();
    texts(&session.turn().await.unwrap(), [search("1", "money")]).await;
    session.turn().await.unwrap().call_all([call("2", "pay"), search("3", "back")]).await;
    let (session, report) = registry.resume(session.snapshot()).await.unwrap();
    assert!(report.is_complete());
    assert_eq!(session.revealed(), ["pay"], "what the open batch found waits with it");
    decide(&session, "2").await;
    assert_eq!(runs.all(), ["pay"]);
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn), ["tool_search", "pay", "refund"]);
    assert_eq!(text(&turn, ToolCall::new("4", "refund", "{}")).await, "refund ran");
}

async fn decide(session: &tool_core::Session, call_id: &str) {
    session.decide(call_id, ApprovalDecision::AllowOnce).await.unwrap();
    session.finish().await.unwrap();
}
