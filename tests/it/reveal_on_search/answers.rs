//! The list and the note that the model reads.

use serde_json::{Value, json};
use tool_core::{Arguments, FunctionTool, Registry, ToolContext};

use crate::support::{builder, call_with, eager, hidden, hits, list, names, note, search, text, texts};

fn registry(tools: impl IntoIterator<Item = FunctionTool>) -> Registry {
    Registry::builder().tools(tools).build().unwrap()
}

#[tokio::test]
async fn a_hit_is_its_name_and_description_and_nothing_else() {
    let registry = registry([hidden("charge_card", "Charges a \"credit\" card.\nSlowly.")]);
    let session = registry.session();
    let text = text(&session.turn().await.unwrap(), search("1", "credit")).await;
    assert_eq!(
        text,
        concat!(
            r#"[{"name":"charge_card","description":"Charges a \"credit\" card.\nSlowly."}]"#,
            "\n\nCallable from your next message: charge_card."
        )
    );
}

#[tokio::test]
async fn descriptions_are_cut_at_300_characters() {
    let long = "ä".repeat(301);
    let just_fits = "ö".repeat(300);
    let registry = registry([hidden("cut_it", &long), hidden("cut_not", &just_fits)]);
    let session = registry.session();
    let text = text(&session.turn().await.unwrap(), search("1", "cut")).await;
    let found: Vec<Value> = serde_json::from_str(list(&text)).unwrap();
    let descriptions: Vec<_> = found.iter().map(|hit| hit["description"].as_str().unwrap()).collect();
    assert_eq!(descriptions, [format!("{}…", "ä".repeat(299)), just_fits]);
}

#[tokio::test]
async fn ten_matches_with_top_k_three_are_three_and_the_note_says_of_ten() {
    let registry = registry((0..10).map(|number| hidden(&format!("report_{number}"), "Writes.")));
    let session = registry.session();
    let arguments = json!({"query": "report", "top_k": 3});
    let text = text(&session.turn().await.unwrap(), call_with("1", "tool_search", arguments)).await;
    assert_eq!(hits(&text), ["report_0", "report_1", "report_2"]);
    assert!(note(&text).contains("3 of 10"), "{text}");
    assert_eq!(session.revealed(), ["report_0", "report_1", "report_2"]);
}

#[tokio::test]
async fn nothing_is_said_of_more_matches_where_all_are_shown() {
    let registry = registry([hidden("report", "Writes.")]);
    let session = registry.session();
    let text = text(&session.turn().await.unwrap(), search("1", "report")).await;
    assert_eq!(note(&text), "Callable from your next message: report.");
}

#[tokio::test]
async fn queries_without_a_word_return_nothing_and_reveal_nothing() {
    let registry = registry([
        hidden("the_tool", "What can you do for me? A tool I need."),
        hidden("__", "A name without a letter."),
        eager("echo"),
    ]);
    for query in
        ["", " ", "\n", "\t\n\r ", "?!", "…", "the", "a", "what can you do for me", "The TOOL, please"]
    {
        let session = registry.session();
        let text = text(&session.turn().await.unwrap(), search("1", query)).await;
        assert_eq!(text, "[]\n\nThe query has no words to search for.", "{query:?}");
        assert!(session.revealed().is_empty(), "{query:?}");
    }
}

#[tokio::test]
async fn nonsense_finds_nothing_and_reveals_nothing() {
    let registry = registry([hidden("charge_card", "Charges a card.")]);
    let session = registry.session();
    let text = text(&session.turn().await.unwrap(), search("1", "qwxyzzy vlorp")).await;
    assert_eq!(text, "[]\n\nNo tool matches. Try other words.");
    assert!(session.revealed().is_empty());
}

#[tokio::test]
async fn a_visible_hit_is_returned_and_marked_callable_now() {
    let registry = registry([hidden("charge_card", "Takes money."), hidden("charge_back", "Returns it.")]);
    let session = registry.session();
    let first = text(&session.turn().await.unwrap(), search("1", "money")).await;
    assert_eq!(note(&first), "Callable from your next message: charge_card.");
    let turn = session.turn().await.unwrap();
    let second = text(&turn, search("2", "charge")).await;
    assert_eq!(hits(&second), ["charge_back", "charge_card"]);
    assert_eq!(note(&second), "Callable from your next message: charge_back.\nCallable now: charge_card.");
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search", "charge_card", "charge_back"]);
}

#[tokio::test]
async fn states_are_in_the_note_and_never_in_the_list() {
    let registry = registry([hidden("charge", "Charges.")]);
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    let before = text(&turn, search("1", "charge")).await;
    let after = text(&session.turn().await.unwrap(), search("2", "charge")).await;
    assert_eq!(list(&before), list(&after));
    assert_ne!(note(&before), note(&after));
}

#[tokio::test]
async fn a_query_that_is_the_name_of_a_listed_tool_says_so() {
    let registry = registry([eager("echo"), hidden("repeat", "Says it again, as an echo.")]);
    let session = registry.session();
    for query in ["echo", "Echo", "ECHO "] {
        let text = text(&session.turn().await.unwrap(), search("1", query)).await;
        assert!(note(&text).contains("'echo' is already in your tool list."), "{query:?}: {text}");
    }
}

#[tokio::test]
async fn eager_tools_are_not_searched() {
    let registry = registry([
        builder("echo", "Repeats a message.").handler(async |(): (), _: ToolContext| ""),
        hidden("charge", "Charges."),
    ]);
    let session = registry.session();
    let found = texts(
        &session.turn().await.unwrap(),
        [
            search("1", "repeats a message"),
            search("2", "echo"),
            search("3", "search for tools by what they do"),
        ],
    )
    .await;
    for text in &found {
        assert_eq!(list(text), "[]", "{text}");
    }
    assert_eq!(note(&found[1]), "'echo' is already in your tool list.");
}

#[tokio::test]
async fn what_cannot_be_offered_is_named_in_the_note_and_not_revealed() {
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[serde(transparent)]
    struct Number(#[allow(dead_code)] u64);
    let broken =
        builder("charge_broken", "Charges.").deferred().handler(async |_: Number, _: ToolContext| "never");
    let registry = registry([broken, hidden("charge_card", "Charges.")]);
    let session = registry.session();
    let text = text(&session.turn().await.unwrap(), search("1", "charge")).await;
    assert_eq!(hits(&text), ["charge_card"]);
    assert!(note(&text).contains("Found, but cannot be offered: charge_broken ("), "{text}");
    assert_eq!(session.revealed(), ["charge_card"]);
}

#[tokio::test]
async fn unsafe_characters_of_a_description_do_not_reach_the_model() {
    let registry = registry([hidden("charge", "Char\u{200b}ges\u{202e} a\u{1b}[31m card\u{0}.")]);
    let session = registry.session();
    let text = text(&session.turn().await.unwrap(), search("1", "charge")).await;
    assert_eq!(list(&text), r#"[{"name":"charge","description":"Charges a card."}]"#);
}

#[tokio::test]
async fn an_argument_that_only_the_schema_has_does_not_change_the_answer() {
    let schema = r#"{"type":"object","properties":{"amount":{"type":"integer"}}}"#;
    let raw = builder("charge", "Charges.").deferred().raw(schema, async |_: Arguments, _: ToolContext| "");
    let registry = registry([raw]);
    let session = registry.session();
    let text = text(&session.turn().await.unwrap(), search("1", "amount")).await;
    assert_eq!(list(&text), r#"[{"name":"charge","description":"Charges."}]"#);
}
