//! Gives the answers that a person might type.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::run;

const ORDER: &str = r#"The model wants: charge_card {"amount_cents":1250,"note":"order A-1042"}"#;

async fn with_answers(answers: &str) -> String {
    let mut out = Vec::new();
    run(&mut answers.as_bytes(), &mut out).await.unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(!out.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{out:?}");
    out
}

#[tokio::test]
async fn yes_runs_one_call_and_the_next_is_asked_about_with_its_hidden_characters_shown() {
    let out = with_answers("y\nn too much\n").await;
    assert!(out.contains(ORDER), "{out}");
    assert!(out.contains("charge_card → charged 1250 cents"), "{out}");
    assert!(out.contains(r#""note":"\u{202e}stnec 3\u{202c}\u{9b}2K""#), "{out}");
    assert!(out.contains("charge_card → Tool 'charge_card' was not approved: too much"), "{out}");
    assert!(out.ends_with("Charged: [1250]\n"), "{out}");
}

#[tokio::test]
async fn yes_for_the_session_is_asked_once() {
    let out = with_answers("s\n").await;
    assert_eq!(out.matches("The model wants").count(), 1, "{out}");
    assert!(out.ends_with("Charged: [1250, 990000]\n"), "{out}");
}

#[tokio::test]
async fn an_answer_is_the_result_and_nothing_runs() {
    let out = with_answers("a paid by hand\nno\n").await;
    assert!(out.contains("charge_card → paid by hand"), "{out}");
    assert!(out.contains("was not approved: the user said no"), "{out}");
    assert!(out.ends_with("Charged: []\n"), "{out}");
}

#[tokio::test]
async fn an_unknown_answer_is_asked_again() {
    let out = with_answers("\nperhaps\nyes\nn\n").await;
    assert_eq!(out.matches("Type y, s, n or a.").count(), 2, "{out}");
    assert!(out.ends_with("Charged: [1250]\n"), "{out}");
}

#[tokio::test]
async fn the_end_of_the_input_ends_the_program_and_what_waits_has_not_run() {
    for (answers, charged) in [("", "[]"), ("y\n", "[1250]")] {
        let out = with_answers(answers).await;
        assert!(out.contains("The input has ended. This waits"), "{out}");
        assert!(out.ends_with(&format!("Charged: {charged}\n")), "{out}");
    }
}
