//! Names however they are written, words in other forms, words with a typo, and nonsense.

use proptest::prelude::*;
use serde_json::json;
use tool_core::{Catalog, FieldedRanker};

use super::{catalog, document, found, shop};

/// The words of a name, written in the ways that people and models write them.
fn spellings(words: &[&str]) -> Vec<String> {
    let capital = |word: &&str| format!("{}{}", word[..1].to_uppercase(), &word[1..]);
    let pascal: String = words.iter().map(capital).collect();
    vec![
        words.join("_"),
        words.join("-"),
        words.join("."),
        words.join("/"),
        words.join(" "),
        words.concat(),
        words.join("_").to_uppercase(),
        format!("{}{}", pascal[..1].to_lowercase(), &pascal[1..]),
        pascal,
    ]
}

#[test]
fn every_spelling_of_a_name_finds_it_first() {
    let shop = shop();
    for (name, words) in [
        ("refund_payment", &["refund", "payment"][..]),
        ("getExchangeRate", &["get", "exchange", "rate"]),
        ("HTTPServerStart", &["http", "server", "start"]),
        ("resize-image", &["resize", "image"]),
        ("mcp__plugin_x__ask_codex", &["mcp", "plugin", "x", "ask", "codex"]),
    ] {
        for spelling in spellings(words) {
            assert_eq!(found(&shop, &spelling).first().map(String::as_str), Some(name), "{spelling}");
        }
    }
}

#[test]
fn a_name_without_its_prefix_finds_it_first() {
    let many = catalog(&[
        ("ask_anything", "Ask codex."),
        ("codex_ask_later", "Ask codex, ask codex again."),
        ("mcp__plugin_x__ask_codex", "Second opinion."),
    ]);
    assert_eq!(found(&many, "ask_codex")[0], "mcp__plugin_x__ask_codex");
    assert_eq!(found(&many, "plugin_x"), ["mcp__plugin_x__ask_codex"]);
    assert_eq!(found(&shop(), "create edge"), ["canvas_create_edge"]);
}

#[test]
fn a_word_in_the_name_counts_more_than_one_in_the_description() {
    let two = catalog(&[("alpha", "Draws an edge."), ("edge", "Draws an alpha.")]);
    assert_eq!(found(&two, "edge"), ["edge", "alpha"]);
    assert_eq!(found(&two, "alpha"), ["alpha", "edge"]);
}

#[test]
fn a_word_in_the_name_counts_more_than_one_in_the_description_of_an_argument() {
    let schema =
        json!({"type": "object", "properties": {"to": {"type": "string", "description": "An edge."}}});
    let two = Catalog::new([document("alpha", "Draws.").with_arguments(&schema), document("edge", "Draws.")]);
    assert_eq!(found(&two, "edge"), ["edge", "alpha"]);
}

#[test]
fn other_forms_of_a_word_find_it() {
    for (query, name) in [
        ("refunding payments", "refund_payment"),
        ("shipped parcels", "ship_parcel"),
        ("resized images", "resize-image"),
        ("scheduling of backups", "schedule_backup"),
        ("translation of texts", "translate_text"),
        ("invoice listing", "list_invoices"),
    ] {
        assert_eq!(found(&shop(), query).first().map(String::as_str), Some(name), "{query}");
    }
}

#[test]
fn synonyms_find_what_is_called_otherwise() {
    assert_eq!(found(&shop(), "photo").first().map(String::as_str), Some("resize-image"));
    let plain = FieldedRanker::builder().without_built_in_synonyms().build().unwrap();
    assert!(super::found_by(&plain, &shop(), "photo").is_empty());
}

#[test]
fn nonsense_finds_nothing() {
    for query in ["zzqx vrblk", "qwpoe", "!!!", "", "the of and", "\u{200b}\u{feff}", "🦀🦀"] {
        assert!(found(&shop(), query).is_empty(), "{query}");
    }
}

/// Every text at one edit from a word.
fn edits(word: &str) -> Vec<String> {
    let mut edits = Vec::new();
    for at in 0..word.len() {
        let (before, after) = word.split_at(at);
        edits.push(format!("{before}{}", &after[1..]));
        edits.push(format!("{before}q{}", &after[1..]));
        edits.push(format!("{before}q{after}"));
        if after.len() > 1 {
            edits.push(format!("{before}{}{}{}", &after[1..2], &after[..1], &after[2..]));
        }
    }
    edits
}

#[test]
fn a_typo_in_a_word_of_the_name_finds_the_tool() {
    let shop = shop();
    let (mut tried, mut missed) = (0, Vec::new());
    for (name, word, rest) in [
        ("refund_payment", "payment", "refund"),
        ("ship_parcel", "parcel", "ship"),
        ("getExchangeRate", "exchange", "rate"),
        ("schedule_backup", "schedule", "backup"),
        ("translate_text", "translate", "text"),
    ] {
        for edit in edits(word) {
            for query in [edit.clone(), format!("{rest} {edit}")] {
                tried += 1;
                if !found(&shop, &query).iter().any(|found| found == name) {
                    missed.push(query);
                }
            }
        }
    }
    // A letter lost or gained at the end of a stem may make another stem of it.
    assert!(missed.len() * 100 <= tried * 4, "{} of {tried} missed: {missed:?}", missed.len());
}

proptest! {
    /// What is indexed of a name is what is searched for it: alone in a catalogue, and among others.
    #[test]
    fn any_legal_name_finds_itself_first(names in prop::collection::hash_set("[A-Za-z_][A-Za-z0-9_-]{0,63}", 1..8)) {
        let tools: Vec<_> = names.iter().map(|name| (name.as_str(), "")).collect();
        let catalog = catalog(&tools);
        for name in &names {
            let letters = |name: &str| name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
            let wanted = letters(name);
            let found = found(&catalog, name);
            if found.is_empty() {
                // Words to be dropped, single letters of a word or none at all: such a name is found by the registry, as one.
                continue;
            }
            prop_assert_eq!(letters(&found[0]), wanted, "{} found {:?}", name, found);
        }
    }
}
