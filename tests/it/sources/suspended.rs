//! Suspended batches that found tools of a source, taken up where the source is not ready yet, or is another one.

use tool_core::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, Batch, Registry, SessionSnapshot,
    ToolContext, ToolPattern,
};

use super::{Answer, Fake, github, ready, settle, tool};
use crate::support::{call, eager, names, revealed, search};

struct AskSomebody;

impl ApprovalPolicy for AskSomebody {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(async { ApprovalDecision::Suspend })
    }
}

fn asking(source: &Fake) -> tool_core::RegistryBuilder {
    github(source)
        .tool(eager("pay"))
        .approval(AskSomebody)
        .require_approval([ToolPattern::new("pay").unwrap()])
}

/// A batch that has found `github_send`, and waits.
async fn suspended() -> SessionSnapshot {
    let session = ready(asking(&Fake::named(&["send"]))).await.session();
    let turn = session.turn().await.unwrap();
    let batch = turn.call_all([search("1", "send"), call("2", "pay")]).await;
    assert!(matches!(batch, Batch::Suspended(_)));
    let saved = serde_json::to_string(&session.snapshot()).unwrap();
    serde_json::from_str(&saved).unwrap()
}

/// Takes the batch up in another process.
async fn finished(registry: &Registry, snapshot: SessionSnapshot) -> tool_core::Session {
    let (session, _) = registry.resume(snapshot).await.unwrap();
    session.decide("2", ApprovalDecision::AllowOnce).await.unwrap();
    let results = session.finish().await.unwrap().into_results();
    assert!(results[0].text().contains("github_send"), "the model has read that it was found");
    session
}

#[tokio::test(start_paused = true)]
async fn what_a_suspended_batch_found_is_there_when_its_source_is() {
    for saved_again in [false, true] {
        let source = Fake::answering(Answer::Gated(vec![tool("send", "Does send.")].into()));
        let registry = asking(&source).build().unwrap();
        let mut snapshot = suspended().await;
        if saved_again {
            snapshot = registry.resume(snapshot).await.unwrap().0.snapshot();
        }
        let session = finished(&registry, snapshot).await;
        assert!(!names(&session.turn().await.unwrap()).contains(&"github_send".to_owned()));
        source.gates().open("list");
        settle().await;
        assert!(names(&session.turn().await.unwrap()).contains(&"github_send".to_owned()));
        assert_eq!(revealed(&session), ["github_send"]);
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_suspended_batch_found_and_its_source_has_changed_stays_hidden() {
    let changed = || vec![tool("send", "Does something else.")];
    let registry = ready(asking(&Fake::new(changed()))).await;
    let session = finished(&registry, suspended().await).await;
    assert!(revealed(&session).is_empty());
    // The same where it is seen after the batch has ended.
    let source = Fake::answering(Answer::Gated(changed().into()));
    let registry = asking(&source).build().unwrap();
    let session = finished(&registry, suspended().await).await;
    session.turn().await.unwrap();
    source.gates().open("list");
    settle().await;
    assert!(!names(&session.turn().await.unwrap()).contains(&"github_send".to_owned()));
    assert!(revealed(&session).is_empty());
}
