//! Approvals: a policy's answers, suspended batches, decisions, and calls that run at most once.

use serde_json::json;
use tool_core::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, Batch, Registry, Session,
    SessionSnapshot, ToolCall, ToolContext, ToolOutput, ToolPattern, TurnError,
};

use crate::support::{Gates, Log, Runs, builder, call, names, poll_once, search, texts};

/// Answers by the name of the tool.
struct Named(fn(&str) -> ApprovalDecision);

impl ApprovalPolicy for Named {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(async move { (self.0)(request.tool.as_str()) })
    }
}

fn registry(runs: &Runs, policy: impl ApprovalPolicy) -> Registry {
    let all = ToolPattern::new("pay_*").unwrap();
    Registry::builder()
        .tools([
            runs.eager("pay_one"),
            runs.eager("pay_two"),
            runs.eager("echo"),
            runs.hidden("pay_later", "Pay later."),
        ])
        .approval(policy)
        .require_approval([all])
        .build()
        .unwrap()
}

fn suspended(batch: Batch) -> Vec<String> {
    match batch {
        Batch::Suspended(requests) => requests.into_iter().map(|request| request.call_id).collect(),
        other => panic!("not suspended: {other:?}"),
    }
}

async fn suspend(session: &Session) -> Vec<String> {
    let turn = session.turn().await.unwrap();
    suspended(
        turn.call_all([call("1", "pay_one"), call("2", "echo"), search("3", "later"), call("4", "pay_two")])
            .await,
    )
}

#[tokio::test]
async fn allowed_once_runs_and_is_asked_again_allowed_for_the_session_is_not() {
    static ASKED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let runs = Runs::default();
    let policy = Named(|name| {
        ASKED.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        if name == "pay_one" { ApprovalDecision::AllowOnce } else { ApprovalDecision::AllowForSession }
    });
    let session = registry(&runs, policy).session();
    for _ in 0..2 {
        let turn = session.turn().await.unwrap();
        texts(&turn, [call("1", "pay_one"), call("2", "pay_two"), call("3", "echo")]).await;
    }
    assert_eq!(runs.all().len(), 6);
    assert_eq!(ASKED.load(std::sync::atomic::Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_denied_call_reads_its_reason_and_nothing_runs() {
    let runs = Runs::default();
    let session = registry(&runs, Named(|_| ApprovalDecision::deny("over the limit"))).session();
    let answers = texts(&session.turn().await.unwrap(), [call("1", "pay_one"), call("2", "echo")]).await;
    assert_eq!(answers, ["Tool 'pay_one' was not approved: over the limit", "echo ran"]);
    assert_eq!(runs.all(), ["echo"]);
}

#[tokio::test]
async fn a_hidden_tool_that_needs_approval_is_refused_and_nobody_is_asked() {
    let runs = Runs::default();
    let session = registry(&runs, Named(|_| panic!("asked"))).session();
    let answers =
        texts(&session.turn().await.unwrap(), [call("1", "pay_later"), call("2", "pay_nothing")]).await;
    let usual = |name: &str| {
        format!("Tool '{name}' is not in your current tool list. Call tool_search to find tools.")
    };
    assert_eq!(answers, [usual("pay_later"), usual("pay_nothing")]);
}

#[tokio::test]
async fn a_request_shows_a_person_what_a_terminal_would_hide() {
    let session = registry(&Runs::default(), Named(|_| ApprovalDecision::Suspend)).session();
    let arguments = "{\"note\":\"lunch\u{1b}[2K\r\",\n\"to\":\"\u{202e}evil\u{200b}\u{9b}\"}";
    let calls = [ToolCall::new("1", "pay_one", arguments), call("2", "pay_two")];
    session.turn().await.unwrap().call_all(calls).await;
    let shown: Vec<_> = session.undecided().iter().map(ToString::to_string).collect();
    let expected = r#"pay_one {"note":"lunch\u{1b}[2K\r",\n"to":"\u{202e}evil\u{200b}\u{9b}"}"#;
    assert_eq!(shown, [expected, "pay_two {}"]);
}

#[tokio::test]
async fn a_policy_that_panics_or_is_late_means_deny() {
    struct Late;
    impl ApprovalPolicy for Late {
        fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
            Box::pin(std::future::pending())
        }
    }
    tokio::time::pause();
    let runs = Runs::default();
    for session in [registry(&runs, Named(|_| panic!("broken"))).session(), registry(&runs, Late).session()] {
        let answers = texts(&session.turn().await.unwrap(), [call("1", "pay_one")]).await;
        assert_eq!(answers, ["Tool 'pay_one' was not approved: the approval could not be asked for"]);
    }
    assert!(runs.all().is_empty());
}

#[tokio::test]
async fn a_policy_that_denies_a_discovery_tool_builds_and_reveals_nothing() {
    let runs = Runs::default();
    let registry = Registry::builder()
        .tool(runs.hidden("secret", "Secret."))
        .approval(Named(|_| ApprovalDecision::deny("not now")))
        .require_approval([ToolPattern::new("tool_search").unwrap()])
        .build()
        .unwrap();
    let session = registry.session();
    let answers = texts(&session.turn().await.unwrap(), [search("1", "secret")]).await;
    assert_eq!(answers, ["Tool 'tool_search' was not approved: not now"]);
    assert!(session.revealed().is_empty());
}

#[tokio::test]
async fn a_suspended_batch_keeps_its_results_and_ends_as_a_whole() {
    let runs = Runs::default();
    let session = registry(&runs, Named(|_| ApprovalDecision::Suspend)).session();
    assert_eq!(suspend(&session).await, ["1", "4"]);
    assert_eq!(runs.all(), ["echo"]);
    // What the batch revealed waits with it, and so does the next turn.
    assert!(session.revealed().is_empty());
    let open = session.turn().await.unwrap_err();
    assert_eq!(open, TurnError::OpenCalls { call_ids: vec!["1".into(), "4".into()] });
    session.decide("1", ApprovalDecision::AllowOnce).await.unwrap();
    // A partial decision: what was decided runs, the rest waits on.
    assert_eq!(suspended(session.finish().await.unwrap()), ["4"]);
    assert_eq!(runs.all(), ["echo", "pay_one"]);
    session.decide("4", ApprovalDecision::Answer(ToolOutput::text("done by hand"))).await.unwrap();
    let results = session.finish().await.unwrap().into_results();
    let texts: Vec<_> = results.iter().map(|result| result.text().into_owned()).collect();
    assert_eq!(texts[0], "pay_one ran");
    assert_eq!(texts[1], "echo ran");
    assert!(texts[2].starts_with(r#"[{"name":"pay_later""#), "{texts:?}");
    assert_eq!(texts[3], "done by hand");
    assert_eq!(runs.all(), ["echo", "pay_one"], "each at most once");
    assert_eq!(session.revealed(), ["pay_later"]);
    assert!(names(&session.turn().await.unwrap()).contains(&"pay_later".to_owned()));
    assert!(session.finish().await.unwrap().into_results().is_empty());
    assert!(session.decide("4", ApprovalDecision::AllowOnce).await.is_err());
}

#[tokio::test]
async fn a_suspended_batch_goes_on_in_another_process_with_its_reveals() {
    let runs = Runs::default();
    let registry = registry(&runs, Named(|_| ApprovalDecision::Suspend));
    let session = registry.session();
    suspend(&session).await;
    let saved = serde_json::to_string(&session.snapshot()).unwrap();
    drop(session);
    let snapshot: SessionSnapshot = serde_json::from_str(&saved).unwrap();
    let (session, report) = registry.resume(snapshot).await.unwrap();
    assert!(report.is_complete(), "{report:?}");
    assert_eq!(session.undecided().len(), 2);
    session.decide("1", ApprovalDecision::AllowOnce).await.unwrap();
    session.decide("4", ApprovalDecision::deny("no")).await.unwrap();
    let results = session.finish().await.unwrap().into_results();
    assert_eq!(results.len(), 4);
    assert_eq!(results[0].text(), "pay_one ran");
    assert_eq!(results[3].text(), "Tool 'pay_two' was not approved: no");
    assert_eq!(session.revealed(), ["pay_later"]);
}

#[tokio::test]
async fn what_changed_or_is_denied_since_is_refused_at_the_end() {
    let runs = Runs::default();
    let session = registry(&runs, Named(|_| ApprovalDecision::Suspend)).session();
    suspend(&session).await;
    let other = Registry::builder()
        .tools([
            runs.tool(crate::support::builder("pay_one", "Something else now.")),
            runs.eager("echo"),
            runs.hidden("pay_later", "Pay later."),
        ])
        .approval(Named(|_| ApprovalDecision::Suspend))
        .build()
        .unwrap();
    let (session, _) = other.resume(session.snapshot()).await.unwrap();
    session.decide("1", ApprovalDecision::AllowOnce).await.unwrap();
    session.decide("4", ApprovalDecision::AllowOnce).await.unwrap();
    let results = session.finish().await.unwrap().into_results();
    assert!(results[0].refused() && results[3].refused(), "{results:?}");
    assert_eq!(runs.all(), ["echo"]);
}

#[tokio::test]
async fn a_finish_that_is_dropped_midway_leaves_the_call_to_the_host_and_never_runs_it_twice() {
    let starts = Runs::default();
    let counted = starts.clone();
    let stuck = crate::support::builder("pay_stuck", "Never ends.").handler(move |(): (), _: ToolContext| {
        counted.add("pay_stuck");
        std::future::pending::<String>()
    });
    let registry = Registry::builder()
        .tool(stuck)
        .approval(Named(|_| ApprovalDecision::Suspend))
        .require_approval([ToolPattern::new("pay_*").unwrap()])
        .events(Log::default())
        .build()
        .unwrap();
    let session = registry.session();
    suspended(session.turn().await.unwrap().call_all([call("1", "pay_stuck")]).await);
    session.decide("1", ApprovalDecision::AllowOnce).await.unwrap();
    let mut finishing = Box::pin(session.finish());
    assert!(poll_once(&mut finishing).await.is_none());
    drop(finishing);
    // The approval is consumed: another finish runs nothing.
    assert_eq!(suspended(session.finish().await.unwrap()), ["1"]);
    assert_eq!(starts.all(), ["pay_stuck"]);
    session
        .decide("1", ApprovalDecision::Answer(ToolOutput::text("looked it up: it was paid")))
        .await
        .unwrap();
    assert_eq!(session.finish().await.unwrap().into_results()[0].text(), "looked it up: it was paid");
    assert_eq!(json!(starts.all()), json!(["pay_stuck"]));
}

#[tokio::test]
async fn a_call_that_a_finish_runs_is_not_decided_again_until_that_ends_or_is_dropped() {
    let (runs, gates) = (Runs::default(), Gates::default());
    let (counted, doors) = (runs.clone(), gates.clone());
    let pay = builder("pay", "Pays.").handler(move |(): (), _: ToolContext| {
        let (runs, gates) = (counted.clone(), doors.clone());
        async move {
            runs.add("pay");
            gates.pass("pay").await;
            "paid"
        }
    });
    let registry = Registry::builder()
        .tool(pay)
        .approval(Named(|_| ApprovalDecision::Suspend))
        .require_approval([ToolPattern::new("pay").unwrap()])
        .build()
        .unwrap();
    let session = registry.session();
    session.turn().await.unwrap().call_all([call("1", "pay")]).await;
    session.decide("1", ApprovalDecision::AllowOnce).await.unwrap();
    let mut first = Box::pin(session.finish());
    assert!(poll_once(&mut first).await.is_none());
    assert!(session.undecided().is_empty());
    assert!(session.decide("1", ApprovalDecision::AllowOnce).await.is_err());
    drop(first);
    // Nobody knows how far it came: the host decides.
    assert_eq!(session.undecided().len(), 1);
    session.decide("1", ApprovalDecision::AllowOnce).await.unwrap();
    gates.open("pay");
    assert_eq!(session.finish().await.unwrap().into_results()[0].text(), "paid");
    assert_eq!(runs.all(), ["pay", "pay"], "once for each decision");
}

#[tokio::test]
async fn what_two_finishes_of_one_batch_reveal_is_committed_together() {
    let runs = Runs::default();
    let registry = Registry::builder()
        .tools([runs.hidden("alpha", "First."), runs.hidden("beta", "Second.")])
        .approval(Named(|_| ApprovalDecision::Suspend))
        .require_approval([ToolPattern::new("tool_search").unwrap()])
        .build()
        .unwrap();
    let session = registry.session();
    session.turn().await.unwrap().call_all([search("1", "alpha"), search("2", "beta")]).await;
    for id in ["1", "2"] {
        assert!(session.revealed().is_empty());
        session.decide(id, ApprovalDecision::AllowOnce).await.unwrap();
        session.finish().await.unwrap();
    }
    assert_eq!(session.revealed(), ["alpha", "beta"]);
}
