//! What a host can ask: which tools are listed, hidden, revealed.

use tool_core::{Registry, Toolset, Turn};

use crate::support::{hidden, names, search, texts};

/// The names of the tools that a turn hides, in order.
fn deferred(turn: &Turn) -> Vec<String> {
    turn.deferred().map(|tool| tool.name().to_string()).collect()
}

#[tokio::test]
async fn deferred_tools_of_a_session_are_among_those_that_a_turn_hides_until_they_are_revealed() {
    let registry = Registry::builder().tool(hidden("zeta", "Last.")).build().unwrap();
    let session = registry.session();
    let before = session.turn().await.unwrap();
    session.add(Toolset::new("user").tools([hidden("plan", "A plan."), hidden("note", "A note.")]));
    let turn = session.turn().await.unwrap();
    assert_eq!(deferred(&before), ["zeta"]);
    assert_eq!(deferred(&turn), ["zeta", "note", "plan"]);
    texts(&turn, [search("1", "plan")]).await;
    let after = session.turn().await.unwrap();
    assert_eq!(names(&after), ["tool_search", "plan"]);
    assert_eq!(deferred(&after), ["zeta", "note"]);
    assert_eq!(deferred(&turn), ["zeta", "note", "plan"]);
    assert_eq!(deferred(&registry.session().turn().await.unwrap()), ["zeta"]);
}
