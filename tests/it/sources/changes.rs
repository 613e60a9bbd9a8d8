//! What a source that changes its list does to conversations.

use serde_json::json;
use tool_core::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, Batch, Budget, RefusalReason,
    Registry, SessionEvent, SourceTool, ToolContext, ToolPattern, ToolSearch, Toolset,
};

use super::{Answer, Fake, SCHEMA, github, ready, tool};
use crate::support::{Log, bytes, call, call_with, hits, names, poll_once, revealed, search, text, texts};

/// Kind and name of each event about tools that a source changed.
fn told(log: &Log) -> Vec<String> {
    let events = log.all().into_iter().filter_map(|event| match event {
        SessionEvent::Vanished { tool } => Some(format!("vanished {tool}")),
        SessionEvent::Returned { tool } => Some(format!("returned {tool}")),
        SessionEvent::Revoked { tool } => Some(format!("revoked {tool}")),
        SessionEvent::OverBudget { tool, .. } => Some(format!("over budget {tool}")),
        _ => None,
    });
    events.collect()
}

#[tokio::test(start_paused = true)]
async fn a_new_list_replaces_the_old_one() {
    let source = Fake::new([tool("old", "Old work."), tool("both", "Work.")]);
    let session = ready(github(&source)).await.session();
    source.change_to([tool("both", "Work."), tool("new", "New work.")]).await;
    let found = text(&session.turn().await.unwrap(), search("1", "work")).await;
    let mut found = hits(&found);
    found.sort();
    assert_eq!(found, ["github_both", "github_new"]);
}

#[tokio::test(start_paused = true)]
async fn a_turn_pins_one_version_and_refuses_what_is_gone_or_changed() {
    let source = Fake::new([tool("gone", "A."), tool("other", "B."), tool("same", "C.")]);
    let log = Log::default();
    let session = ready(github(&source).events(log.clone())).await.session();
    for name in ["github_gone", "github_other", "github_same"] {
        session.reveal(name);
    }
    let turn = session.turn().await.unwrap();
    let before = bytes(&turn);
    source.change_to([tool("other", "Changed."), tool("same", "C."), tool("new", "D.")]).await;
    assert_eq!(bytes(&turn), before);
    let refused =
        |name| format!("Tool '{name}' is not in your current tool list. Call tool_search to find tools.");
    assert_eq!(
        texts(&turn, [call("1", "github_gone"), call("2", "github_other"), call("3", "github_same")]).await,
        [refused("github_gone"), refused("github_other"), "same ran".to_owned()]
    );
    assert_eq!(
        log.refusals(),
        [
            ("github_gone".to_owned(), RefusalReason::Changed),
            ("github_other".to_owned(), RefusalReason::Changed)
        ]
    );
    assert_eq!(source.calls().len(), 1);
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search", "github_same"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_in_flight_is_not_disturbed() {
    let source = Fake::named(&["slow"]);
    let session = ready(github(&source)).await.session();
    session.reveal("github_slow");
    let turn = session.turn().await.unwrap();
    let mut calling = Box::pin(text(&turn, call("1", "github_slow")));
    assert!(poll_once(&mut calling).await.is_none());
    source.change_to([]).await;
    source.gates().open("slow");
    assert_eq!(calling.await, "slow ran");
}

#[tokio::test(start_paused = true)]
async fn what_vanishes_is_invisible_and_back_at_its_old_place() {
    let three = || [tool("a", "A."), tool("b", "B."), tool("c", "C.")];
    let source = Fake::new(three());
    let log = Log::default();
    let session = ready(github(&source).events(log.clone())).await.session();
    for name in ["github_c", "github_a", "github_b"] {
        session.reveal(name);
    }
    source.change_to([tool("b", "B."), tool("c", "C.")]).await;
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn), ["tool_search", "github_c", "github_b"]);
    assert!(text(&turn, call("1", "github_a")).await.contains("is not in your current tool list"));
    assert!(session.call("github_a", "{}").await.is_err());
    assert_eq!(revealed(&session), ["github_c", "github_b"]);
    source.change_to(three()).await;
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn), ["tool_search", "github_c", "github_a", "github_b"]);
    assert_eq!(text(&turn, call("2", "github_a")).await, "a ran");
    assert_eq!(told(&log), ["vanished github_a", "returned github_a"]);
}

#[tokio::test(start_paused = true)]
async fn what_comes_back_between_two_turns_was_never_away() {
    let source = Fake::new([tool("a", "A.")]);
    let log = Log::default();
    let session = ready(github(&source).events(log.clone())).await.session();
    session.reveal("github_a");
    session.turn().await.unwrap();
    source.change_to([]).await;
    source.change_to([tool("a", "A.")]).await;
    let turn = session.turn().await.unwrap();
    assert_eq!(text(&turn, call("1", "github_a")).await, "a ran");
    assert!(told(&log).is_empty());
}

#[tokio::test(start_paused = true)]
async fn any_change_of_a_tool_revokes_its_reveal() {
    let whole = || {
        tool("a", "Does it.")
            .with_title("It")
            .with_annotations(json!({"readOnlyHint": true, "x": 1}))
            .with_output_schema(SCHEMA)
    };
    let changes = [
        tool("a", "Does that.").with_title("It"),
        whole().with_title("That"),
        whole().with_annotations(json!({"readOnlyHint": false, "x": 1})),
        whole().with_annotations(json!({"readOnlyHint": true, "x": 2})),
        whole().with_output_schema(r#"{"type":"object"}"#),
    ];
    for changed in changes {
        let source = Fake::new([whole()]);
        let log = Log::default();
        let session = ready(github(&source).events(log.clone())).await.session();
        session.reveal("github_a");
        source.change_to([changed.clone()]).await;
        let turn = session.turn().await.unwrap();
        assert_eq!(names(&turn), ["tool_search"], "{changed:?}");
        assert!(text(&turn, call("1", "github_a")).await.contains("is not in your current tool list"));
        assert_eq!(told(&log), ["revoked github_a"]);
        source.change_to([whole()]).await;
        assert_eq!(names(&session.turn().await.unwrap()), ["tool_search"], "it must be found again");
        text(&session.turn().await.unwrap(), search("2", "github_a")).await;
        assert_eq!(names(&session.turn().await.unwrap()), ["tool_search", "github_a"]);
    }
}

#[tokio::test(start_paused = true)]
async fn the_order_of_members_in_a_schema_is_no_change() {
    let schema = |text: &str| [SourceTool::new("a", "A.", text)];
    let source = Fake::new(schema(r#"{"type":"object","properties":{"x":{},"y":{}}}"#));
    let session = ready(github(&source)).await.session();
    session.reveal("github_a");
    let before = bytes(&session.turn().await.unwrap());
    source.change_to(schema(r#"{ "properties": {"y":{}, "x":{}}, "type":"object" }"#)).await;
    assert_eq!(bytes(&session.turn().await.unwrap()), before);
}

struct Always(ApprovalDecision);

impl ApprovalPolicy for Always {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(async { self.0.clone() })
    }
}

fn with_approval(source: &Fake, decision: ApprovalDecision) -> tool_core::RegistryBuilder {
    github(source).approval(Always(decision)).require_approval([ToolPattern::new("github_*").unwrap()])
}

#[tokio::test(start_paused = true)]
async fn a_change_revokes_an_approval_for_good() {
    let source = Fake::new([tool("drop", "Drops.")]);
    let session = ready(with_approval(&source, ApprovalDecision::AllowForSession)).await.session();
    session.reveal("github_drop");
    text(&session.turn().await.unwrap(), call("1", "github_drop")).await;
    assert!(serde_json::to_string(&session.snapshot()).unwrap().contains("\"approvals\""));
    source.change_to([tool("drop", "Drops all.")]).await;
    session.turn().await.unwrap();
    source.change_to([tool("drop", "Drops.")]).await;
    session.turn().await.unwrap();
    assert!(!serde_json::to_string(&session.snapshot()).unwrap().contains("\"approvals\""));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_a_decision_is_refused_if_its_tool_changes() {
    let source = Fake::new([tool("drop", "Drops.")]);
    let session = ready(with_approval(&source, ApprovalDecision::Suspend)).await.session();
    session.reveal("github_drop");
    let turn = session.turn().await.unwrap();
    let Batch::Suspended(requests) = turn.call_all([call("1", "github_drop")]).await else {
        panic!("it waits")
    };
    source.change_to([tool("drop", "Drops all.")]).await;
    session.decide(&requests[0].call_id, ApprovalDecision::AllowOnce).await.unwrap();
    let results = session.finish().await.unwrap().into_results();
    assert!(results[0].text().contains("is not in your current tool list"), "{}", results[0].text());
    assert!(source.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_vanished_is_not_counted_and_returns_only_if_there_is_room() {
    let source = Fake::new([tool("a", "A."), tool("b", "B.")]);
    let log = Log::default();
    let budget = ToolSearch::new().budget(Budget::tools(1));
    let session = ready(github(&source).search(budget).events(log.clone())).await.session();
    session.reveal("github_a");
    source.change_to([tool("b", "B.")]).await;
    session.turn().await.unwrap();
    session.reveal("github_b");
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search", "github_b"]);
    source.change_to([tool("a", "A."), tool("b", "B.")]).await;
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search", "github_b"]);
    assert_eq!(told(&log), ["vanished github_a", "over budget github_a"]);
    session.unload("github_b");
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search"], "its reveal is gone");
}

#[tokio::test(start_paused = true)]
async fn a_vanished_tool_can_be_unloaded() {
    let source = Fake::named(&["a"]);
    let builder = Registry::builder()
        .toolset(Toolset::new("github").source(source.clone()))
        .search(ToolSearch::search_then_load());
    let session = ready(builder).await.session();
    session.reveal("github_a");
    source.change_to([]).await;
    let turn = session.turn().await.unwrap();
    let unload = call_with("1", "unload_tool", json!({"tool_name": "github_a"}));
    assert_eq!(text(&turn, unload).await, r#"{"status":"unloaded","tool_name":"github_a"}"#);
    source.change_to([tool("a", "Does a.")]).await;
    assert!(!names(&session.turn().await.unwrap()).contains(&"github_a".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_vanishes_while_its_batch_runs_waits_for_its_return() {
    let source = Fake::named(&["a", "slow"]);
    let log = Log::default();
    let session = ready(github(&source).events(log.clone())).await.session();
    session.reveal("github_slow");
    let turn = session.turn().await.unwrap();
    let mut calling = Box::pin(texts(&turn, [search("1", "github_a"), call("2", "github_slow")]));
    assert!(poll_once(&mut calling).await.is_none());
    source.change_to([tool("slow", "Does slow.")]).await;
    source.gates().open("slow");
    calling.await;
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search", "github_slow"]);
    source.change_to([tool("a", "Does a."), tool("slow", "Does slow.")]).await;
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search", "github_slow", "github_a"]);
    assert_eq!(told(&log), ["vanished github_a", "returned github_a"]);
}

#[tokio::test(start_paused = true)]
async fn the_list_of_the_bridge_stays_equal_in_bytes_whatever_a_source_does() {
    let source = Fake::named(&["a", "b"]);
    let eager = Fake::named(&["x"]);
    let builder = github(&source)
        .toolset(Toolset::new("always").always_available_source(eager.clone()))
        .search(ToolSearch::bridge());
    let session = ready(builder).await.session();
    let before = bytes(&session.turn().await.unwrap());
    text(&session.turn().await.unwrap(), search("1", "github_a")).await;
    source.change_to([tool("b", "B."), tool("c", "C.")]).await;
    eager.change_to([tool("y", "Y.")]).await;
    let turn = session.turn().await.unwrap();
    assert_eq!(bytes(&turn), before);
    let through = |id: &str, name: &str| call_with(id, "tool_call", json!({"name": name}));
    let refused = |name: &str| {
        format!("Tool '{name}' is not in your current tool list. Call tool_search to find tools.")
    };
    assert_eq!(
        texts(&turn, [through("1", "github_a"), through("2", "always_x"), through("3", "always_y")]).await,
        [refused("github_a"), refused("always_x"), "y ran".to_owned()]
    );
    let (session, _) = session.registry().resume(session.snapshot()).await.unwrap();
    assert!(!bytes(&session.turn().await.unwrap()).contains("github_"));
}

#[tokio::test(start_paused = true)]
async fn sessions_take_a_change_over_with_their_own_next_turn() {
    let source = Fake::named(&["a"]);
    let registry = ready(github(&source)).await;
    let (one, two) = (registry.session(), registry.session());
    one.reveal("github_a");
    two.reveal("github_a");
    source.change(Answer::Tools(Vec::new().into())).await;
    one.turn().await.unwrap();
    assert_eq!((revealed(&one).len(), revealed(&two).len()), (0, 1));
    two.turn().await.unwrap();
    assert_eq!(revealed(&two).len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_was_unloaded_while_it_was_away_is_hidden_and_can_be_found_again() {
    let source = Fake::named(&["send"]);
    let session = ready(github(&source)).await.session();
    session.reveal("github_send");
    source.change_to([]).await;
    session.turn().await.unwrap();
    assert!(session.unload("github_send"));
    source.change_to([tool("send", "Does send.")]).await;
    let turn = session.turn().await.unwrap();
    assert!(!names(&turn).contains(&"github_send".to_owned()));
    assert_eq!(hits(&text(&turn, search("1", "send")).await), ["github_send"]);
    assert_eq!(text(&session.turn().await.unwrap(), call("2", "github_send")).await, "send ran");
}
