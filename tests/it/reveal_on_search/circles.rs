//! Runs that go in circles: the results say so, then the turn has a stop reason.

use serde_json::json;
use tool_core::{Registry, Session, ToolCall, TurnStop};

use crate::support::{call, eager, hidden, search, text};

fn session() -> Session {
    Registry::builder().tools([eager("echo"), hidden("pay", "Pay money.")]).build().unwrap().session()
}

/// What the model reads of one call in a turn of its own, and whether the run should end after it.
async fn turn(session: &Session, call: ToolCall) -> (String, Option<TurnStop>) {
    let turn = session.turn().await.unwrap();
    let text = text(&turn, call).await;
    (text, turn.stop_reason())
}

#[tokio::test]
async fn five_turns_of_one_kind_are_told_and_the_sixth_stops() {
    type Make = fn(usize) -> ToolCall;
    let kinds: [(Make, &str, TurnStop); 2] = [
        (|n| search("1", &format!("word{n}")), "Your last turns only searched", TurnStop::Searching),
        (|_| call("1", "pay"), "Every call of your last turns was refused", TurnStop::Refused),
    ];
    for (make, told, stop) in kinds {
        let session = session();
        for n in 1..=6 {
            let (text, reason) = turn(&session, make(n)).await;
            assert_eq!(text.contains(told), n >= 5, "{n}: {text}");
            assert_eq!(reason, (n == 6).then_some(stop), "{n}");
        }
        // Something else was called: the counts start again.
        assert_eq!(turn(&session, call("1", "echo")).await, ("echo ran".to_owned(), None));
        assert_eq!(turn(&session, make(7)).await.1, None);
    }
}

#[tokio::test]
async fn a_search_after_new_input_or_after_one_of_the_host_is_not_called_repeated() {
    const REPEATED: &str = "This search was made before";
    let session = session();
    for _ in 0..2 {
        session.call("tool_search", json!({ "query": "money" })).await.unwrap();
    }
    let turn = session.turn().await.unwrap();
    assert!(!text(&turn, search("1", "money")).await.contains(REPEATED));
    let turn = session.turn().await.unwrap();
    assert!(text(&turn, search("2", "money")).await.contains(REPEATED));
    let _answered = session.turn().await.unwrap();
    let turn = session.turn().await.unwrap();
    assert!(!text(&turn, search("3", "money")).await.contains(REPEATED));
}
