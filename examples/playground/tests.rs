//! Plays whole games, with the options and lines that a person might type.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing)]

use std::path::Path;

use crate::{Input, run};

async fn play(arguments: &[&str], lines: &str) -> (Result<(), String>, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = arguments.iter().map(Into::into).collect();
    let ended = run(arguments, Input::Piped, &mut lines.as_bytes(), &mut out, &mut err).await;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (ended.map_err(|error| error.to_string()), text(out), text(err))
}

async fn plays(arguments: &[&str], lines: &str) -> String {
    let (ended, out, _) = play(arguments, lines).await;
    ended.unwrap();
    out
}

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
    path.into_os_string().into_string().unwrap()
}

#[tokio::test]
async fn a_hidden_tool_is_refused_found_and_called() {
    let call = r#"payment_processor {"amount_cents": 5}"#;
    let out = plays(&[], &format!("{call}\nsearch charge a card\n{call}\n")).await;
    assert!(out.starts_with("2 tools listed, 4 hidden. Type `help`.\n"), "{out}");
    assert!(out.contains("call_1: Refused\n  Tool 'payment_processor' is not in your current tool list."));
    assert!(out.contains("+ payment_processor\n"), "{out}");
    assert!(out.ends_with("call_3: Succeeded\n  charged 5\n"), "{out}");
}

#[tokio::test]
async fn calls_of_one_reply_do_not_see_what_it_reveals() {
    let reply =
        r#"[{"name": "tool_search", "arguments": {"query": "weather"}}, {"name": "weather_forecast"}]"#;
    let out = plays(&[], &format!("{reply}\n[1]\n")).await;
    assert!(out.contains("call_1: Succeeded") && out.contains("call_2: Refused"), "{out}");
    assert!(out.contains("This is no list of calls: "), "{out}");
}

#[tokio::test]
async fn each_mode_has_its_way_to_a_call() {
    let out = plays(
        &["--mode", "load"],
        "search parcel\nload_tool {\"tool_name\": \"shipment_tracker\"}\nshipment_tracker {\"tracking_number\": \"1\"}\n",
    )
    .await;
    assert!(out.ends_with("+ shipment_tracker\n> shipment_tracker {\"tracking_number\": \"1\"}\ncall_3: Succeeded\n  1: in the sorting centre\n"), "{out}");
    let bridged = r#"tool_call {"name": "weather_forecast", "arguments": {"city": "Oslo"}}"#;
    let out = plays(&["--mode", "bridge"], &format!("search weather\n{bridged}\n")).await;
    assert!(out.contains("input_schema") && out.ends_with("  3 days of rain in Oslo\n"), "{out}");
    assert!(!out.contains("\n+ "), "the list never changes: {out}");
}

#[tokio::test]
async fn the_list_is_shown_as_json_and_bad_arguments_are_answered() {
    let out = plays(&[], "tools\nhidden\necho {\"msg\": 1}\necho {\necho\nhelp\nquit\nnever\n").await;
    let list: Vec<serde_json::Value> = out
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(list.len(), 2);
    assert!(out.contains(r#"{"name":"echo","description":"Say the message back.","inputSchema":{"#), "{out}");
    assert_eq!(list[0]["inputSchema"]["required"][0], "msg");
    assert!(out.contains("\nshipment_tracker\n"), "{out}");
    assert_eq!(out.matches("Failed\n").count(), 3, "{out}");
    assert!(out.contains("  search WORDS") && !out.contains("never"), "{out}");
}

#[tokio::test]
async fn a_catalogue_of_ones_own_is_read_and_what_is_not_taken_is_named() {
    let (ended, out, err) =
        play(&["--tools", &fixture("playground.jsonl")], "search celsius\nto_kelvin {\"celsius\": 1}\n")
            .await;
    ended.unwrap();
    assert!(out.contains("+ to_kelvin\n") && out.ends_with("Succeeded\n  {\"celsius\": 1}\n"), "{out}");
    for reason in [
        "\"silent\" is not taken: it has no description",
        "\"odd\" is not taken: the root of the schema must be an object",
        "\"to_kelvin\" is not taken: an earlier tool has this name",
        "\"math.sin\" is listed as math_sin_",
    ] {
        assert!(err.contains(reason), "{reason}: {err}");
    }
}

#[tokio::test]
async fn wrong_options_and_files_are_explained() {
    for (arguments, expected) in [
        (vec!["--mod", "load"], "invalid option '--mod'; `--help` lists the options"),
        (vec!["hello"], "unexpected argument \"hello\"; `--help` lists the options"),
        (vec!["--mode", "both"], "expected `search`, `load` or `bridge`"),
        (vec!["--tools"], "missing argument for option '--tools'"),
        (vec!["--tools", "none.jsonl"], "cannot read none.jsonl: "),
        (vec!["--tools", &fixture("not-json.json")], "is no list of tools: "),
        (vec!["--tools", &fixture("empty.jsonl")], "has no tool that can be taken"),
    ] {
        let error = play(&arguments, "").await.0.expect_err("it fails");
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    assert!(plays(&["--help"], "").await.starts_with("You play the model"));
}
