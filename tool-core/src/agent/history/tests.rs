#![allow(clippy::indexing_slicing)]

use serde_json::json;

use super::*;

fn assistant(calls: impl IntoIterator<Item = ToolCall>) -> Message {
    Message::Assistant { text: String::new(), calls: calls.into_iter().collect(), continuation: None }
}

fn result(id: &str) -> Message {
    Message::Tool {
        call_id: id.to_owned(),
        name: "echo".to_owned(),
        output: ToolOutput::text("done"),
        status: ResultStatus::Succeeded,
    }
}

fn user(text: &str) -> Message {
    Message::User { text: text.to_owned() }
}

fn ids(calls: &[ToolCall]) -> Vec<&str> {
    calls.iter().map(|call| call.id.as_str()).collect()
}

fn recorded_arguments(arguments: impl Into<Arguments>) -> Arguments {
    repaired(&ToolCall::new("1", "echo", arguments)).arguments
}

#[test]
fn well_formed_arguments_keep_their_bytes() {
    let text = "{ \"b\":1.50,\n\"a\":[1] }";
    assert_eq!(recorded_arguments(text), text.into());
    assert_eq!(recorded_arguments(json!({"a": 1})), json!({"a": 1}).into());
}

#[test]
fn broken_arguments_become_an_empty_object() {
    for text in [
        "",
        " ",
        "{\"a\": 1",
        "{\"a\": tru",
        "{}}",
        "null",
        "[1]",
        "5",
        "\"text\"",
        "not json",
        "{\"a\":NaN}",
    ] {
        assert_eq!(recorded_arguments(text), "{}".into(), "{text:?}");
    }
    for value in [json!(null), json!([1]), json!(5), json!("{\"a\"")] {
        assert_eq!(recorded_arguments(value.clone()), "{}".into(), "{value}");
    }
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(2_000), "]".repeat(2_000));
    assert_eq!(recorded_arguments(deep), "{}".into());
}

#[test]
fn arguments_in_a_json_string_are_unpacked() {
    assert_eq!(recorded_arguments(r#""{\"a\":1}""#), r#"{"a":1}"#.into());
    assert_eq!(recorded_arguments(json!(r#"{"a":1}"#)), r#"{"a":1}"#.into());
}

#[test]
fn illegal_names_become_legal_and_legal_ones_stay() {
    for name in ["", "größe", "a b", "1st", &"x".repeat(65), "drop\ntable"] {
        let recorded = repaired(&ToolCall::new("1", name, "{}")).name;
        assert!(ToolName::new(&recorded).is_ok(), "{name:?} → {recorded:?}");
    }
    assert_eq!(repaired(&ToolCall::new("1", "get-Issue_2", "{}")).name, "get-Issue_2");
}

#[test]
fn ids_are_unique_in_the_history_and_duplicates_reach_the_gate() {
    let before = [assistant([ToolCall::new("a", "echo", "{}")]), result("a")];
    let calls = ["b", "", "b", "a", " ", "a"].map(|id| ToolCall::new(id, "echo", "{}"));
    let calls = ReplyCalls::new(&before, &calls);

    let recorded = ids(&calls.recorded);
    let unique: HashSet<_> = recorded.iter().copied().chain(["a"]).collect();
    assert_eq!(unique.len(), 7, "{recorded:?}");
    assert!(recorded.iter().all(|id| !id.trim().is_empty()));

    let judged = ids(&calls.judged);
    assert_eq!((judged[0], judged[2]), ("b", "b"), "the gate sees the duplicate of this reply");
    assert_eq!(judged[3], judged[5], "and that of an id which an earlier reply used");
    assert_ne!(judged[3], "a");
    assert_ne!(judged[1], judged[4], "calls without an id are no duplicates");
    for index in [0, 1, 3, 4] {
        assert_eq!(judged[index], recorded[index]);
    }
}

#[test]
fn a_made_up_id_that_the_model_sends_too_is_no_duplicate() {
    let calls = ["call_1", "", "call_2"].map(|id| ToolCall::new(id, "echo", "{}"));
    let calls = ReplyCalls::new(&[], &calls);
    assert_eq!(ids(&calls.judged), ids(&calls.recorded));
    assert_eq!(calls.recorded[0].id, "call_1");
}

#[test]
fn pairing_answers_open_calls_at_their_place_and_drops_orphans() {
    let calls = ["a", "b"].map(|id| ToolCall::new(id, "echo", "{}"));
    let mut messages =
        vec![result("z"), assistant(calls), result("b"), result("b"), user("next"), result("a")];
    pair_results(&mut messages, "cancelled");

    let answered: Vec<_> = messages
        .iter()
        .map(|message| match message {
            Message::Tool { call_id, status, .. } => format!("{call_id} {status:?}"),
            Message::Assistant { .. } => "assistant".to_owned(),
            _ => "user".to_owned(),
        })
        .collect();
    assert_eq!(answered, ["assistant", "b Succeeded", "a Cancelled", "user"]);
}

#[test]
fn pairing_leaves_whole_messages_alone() {
    let mut messages =
        vec![user("hi"), assistant([ToolCall::new("a", "echo", "{}")]), result("a"), assistant([])];
    let before = messages.clone();
    pair_results(&mut messages, "cancelled");
    assert_eq!(messages, before);
}
