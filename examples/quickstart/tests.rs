//! Runs the whole program in process, with the arguments that a user would give.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::{ffi::OsString, path::Path};

use serde_json::Value;

use crate::{QuickstartError, json_text, run, style::Style};

struct Ran {
    result: Result<(), QuickstartError>,
    out: String,
    err: String,
}

impl Ran {
    /// The turns of `--json`; every line must be one.
    fn turns(&self) -> Vec<Value> {
        assert!(self.result.is_ok(), "{:?}", self.result);
        self.out.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
    }

    fn error(&self) -> String {
        assert_eq!(self.out, "", "nothing is printed before an error");
        self.result.as_ref().expect_err("it fails").to_string()
    }
}

async fn quickstart(arguments: &[&str]) -> Ran {
    let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let result = run(&arguments, Style::PLAIN, &mut out, &mut err).await;
    Ran { result, out: String::from_utf8(out).unwrap(), err: String::from_utf8(err).unwrap() }
}

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
    path.into_os_string().into_string().unwrap()
}

fn names(turn: &Value) -> Vec<&str> {
    turn["visible"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

fn calls(turns: &[Value]) -> impl Iterator<Item = &Value> {
    turns.iter().flat_map(|turn| turn["calls"].as_array().unwrap())
}

fn tokens(turn: &Value, member: &str) -> u64 {
    turn[member].as_u64().unwrap()
}

#[tokio::test]
async fn json_is_one_object_per_turn_with_exactly_these_members() {
    let ran = quickstart(&["--json"]).await;
    let turns = ran.turns();
    assert_eq!(turns.len(), 5);
    for (index, turn) in turns.iter().enumerate() {
        assert_eq!(turn["turn"], index + 1);
        let mut members: Vec<_> = turn.as_object().unwrap().keys().map(String::as_str).collect();
        members.sort_unstable();
        assert_eq!(members, ["calls", "tokens_hidden", "tokens_sent", "turn", "visible"]);
    }
    for call in calls(&turns) {
        let mut members: Vec<_> = call.as_object().unwrap().keys().map(String::as_str).collect();
        members.sort_unstable();
        assert_eq!(members, ["name", "ok", "refused"]);
    }
    assert_eq!(ran.err, "");
}

#[tokio::test]
async fn hidden_tool_is_refused_and_found_ones_are_called() {
    let turns = quickstart(&["--json"]).await.turns();
    assert_eq!(names(&turns[0]), ["echo", "order_lookup", "stock_level", "tool_search"]);
    assert_eq!(
        names(&turns[4])[4..],
        ["payment_processor", "schema_migrator"],
        "in the order of the reveals"
    );
    let refused: Vec<_> = calls(&turns).filter(|call| call["refused"] == true).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0]["name"], "refund_issuer");
    assert_eq!(refused[0]["ok"], false);
    let done: Vec<_> = calls(&turns).filter(|call| call["ok"] == true).map(|call| &call["name"]).collect();
    let expected =
        ["echo", "order_lookup", "tool_search", "payment_processor", "tool_search", "schema_migrator"];
    assert_eq!(done, expected);
}

#[tokio::test]
async fn sent_and_hidden_tokens_add_up_to_the_same_in_each_turn() {
    let turns = quickstart(&["--json"]).await.turns();
    let all = tokens(&turns[0], "tokens_sent") + tokens(&turns[0], "tokens_hidden");
    let mut sent_before = 0;
    for turn in &turns {
        let sent = tokens(turn, "tokens_sent");
        assert_eq!(sent + tokens(turn, "tokens_hidden"), all);
        assert!(sent >= sent_before && sent > 0 && sent < all, "what was found is sent from then on");
        sent_before = sent;
    }
}

#[tokio::test]
async fn table_shows_the_refusal_the_charge_and_the_sum_of_the_turns() {
    let turns = quickstart(&["--json"]).await.turns();
    let ran = quickstart(&[]).await;
    ran.result.unwrap();
    assert!(ran.out.contains("Tool 'refund_issuer' is not in your current tool list."), "{}", ran.out);
    assert!(ran.out.contains("charged 1250"), "{}", ran.out);
    let sent: u64 = turns.iter().map(|turn| tokens(turn, "tokens_sent")).sum();
    let hidden: u64 = turns.iter().map(|turn| tokens(turn, "tokens_hidden")).sum();
    let total = ran.out.lines().find(|line| line.trim_start().starts_with("Total")).expect("a total");
    let numbers: Vec<u64> =
        total.split_whitespace().skip(1).map(|number| number.replace(',', "").parse().unwrap()).collect();
    assert_eq!(numbers, [sent, hidden]);

    // What all tools cost is what was sent and what was saved; the search tool is no part of it.
    let saved = ran.out.lines().find(|line| line.contains("Saved")).expect("a sum");
    let numbers: Vec<u64> = saved.split(' ').filter_map(|word| word.replace(',', "").parse().ok()).collect();
    assert_eq!(numbers.len(), 2, "{saved}");
    assert_eq!(numbers[0] + sent, numbers[1], "{saved}");
    assert!(numbers[1] < sent + hidden, "{saved}");
}

#[tokio::test]
async fn plain_output_has_no_colours_and_fits_its_width() {
    let catalog = fixture("weather.json");
    for arguments in [&[][..], &["--catalog", &catalog, "--ask", "forecast the weather"]] {
        let ran = quickstart(arguments).await;
        ran.result.unwrap();
        assert!(!ran.out.contains('\u{1b}'));
        let longest = ran.out.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= Style::PLAIN.width, "{longest} columns:\n{}", ran.out);
        assert!(ran.out.lines().all(|line| line.trim_end() == line), "{}", ran.out);
    }
}

#[tokio::test]
async fn ask_finds_and_shows_the_first_hit_with_its_schema() {
    let ran = quickstart(&["--ask", "charge a credit card"]).await;
    ran.result.unwrap();
    let first = ran.out.split_once("First").expect("a first hit").1;
    assert!(first.trim_start().starts_with("payment_processor"), "{}", ran.out);
    assert!(first.contains("\"amount_cents\": {\n"), "{}", ran.out);

    let turns = quickstart(&["--json", "--ask", "charge a credit card"]).await.turns();
    assert_eq!(turns.len(), 2);
    assert_eq!(calls(&turns).map(|call| &call["name"]).collect::<Vec<_>>(), ["tool_search"]);
    assert!(!names(&turns[0]).contains(&"payment_processor"));
    assert_eq!(names(&turns[1])[4], "payment_processor");
}

#[tokio::test]
async fn ask_that_finds_nothing_says_so() {
    let ran = quickstart(&["--ask", "zeppelin"]).await;
    ran.result.unwrap();
    assert!(ran.out.contains("No tool matches."), "{}", ran.out);
    assert!(!ran.out.contains("First"), "{}", ran.out);
}

#[tokio::test]
async fn catalog_tools_are_hidden_and_found_under_their_prefix() {
    let alone = quickstart(&["--json"]).await.turns();
    let (weather, uneven) = (fixture("weather.json"), fixture("uneven.json"));
    let turns = quickstart(&["--json", "--catalog", &weather, &uneven]).await.turns();
    assert_eq!(turns.len(), alone.len(), "the recorded conversation is the same");
    for (with, without) in turns.iter().zip(&alone) {
        assert_eq!(names(with), names(without));
        assert_eq!(tokens(with, "tokens_sent"), tokens(without, "tokens_sent"));
        assert!(tokens(with, "tokens_hidden") > tokens(without, "tokens_hidden"));
    }
    let asked = quickstart(&["--json", "--catalog", &weather, &uneven, "--ask", "forecast"]).await.turns();
    // Other tools about the weather may follow.
    assert_eq!(names(&asked[1])[4..6], ["uneven_forecast", "weather_forecast"]);
}

#[tokio::test]
async fn schema_of_a_catalog_keeps_its_order_and_names_are_made_legal() {
    let ran =
        quickstart(&["--catalog", &fixture("weather.json"), "--ask", "weather forecast of a town"]).await;
    ran.result.unwrap();
    let at = |text: &str| ran.out.find(text).unwrap_or_else(|| panic!("{text} in {}", ran.out));
    assert!(at("\"town\": {") < at("\"days\": {"));
    assert!(ran.out.contains(r#""description": "Name of the town, \"Ulm\" or \"Ulm, DE\".""#), "{}", ran.out);

    let turns =
        quickstart(&["--json", "--catalog", &fixture("weather.json"), "--ask", "stations"]).await.turns();
    assert!(names(&turns[1])[4].starts_with("weather_stations_list_"), "cleaned, with a hash");
}

#[tokio::test]
async fn bad_tools_are_named_with_the_reason_and_the_rest_go_on() {
    let ran = quickstart(&["--json", "--catalog", &fixture("uneven.json"), "--ask", "title digit"]).await;
    let turns = ran.turns();
    assert!(names(&turns[1]).contains(&"uneven_titled"), "a title does where there is no description");
    assert!(names(&turns[1]).iter().any(|name| name.starts_with("uneven__2nd_")), "{:?}", names(&turns[1]));
    for reason in [
        "tool `silent` is not taken: it has neither a description nor a title",
        "tool `list` is not taken: the root of the schema must be an object schema",
        "tool `unschemed` is not taken: missing field `inputSchema`",
        "tool `forecast` is not taken: another tool is called `uneven_forecast`",
        "tool number 7 is not taken: missing field `name`",
        "tool number 9 is not taken: invalid type",
        "catalogs: 3 tools of 1 servers taken, 6 not",
    ] {
        assert!(ran.err.contains(reason), "{reason} in {}", ran.err);
    }
}

#[tokio::test]
async fn file_that_is_no_catalog_is_an_error_that_says_what_was_expected() {
    for (file, why) in [("not-json.json", "expected"), ("no-server.json", "missing field `server`")] {
        let error = quickstart(&["--catalog", &fixture(file)]).await.error();
        assert!(error.contains(file) && error.contains("\"inputSchema\""), "{error}");
        assert!(error.contains(why), "{error}");
    }
    let error = quickstart(&["--catalog", &fixture("missing.json")]).await.error();
    assert!(error.starts_with("cannot read") && error.contains("missing.json"), "{error}");
    let weather = fixture("weather.json");
    let error = quickstart(&["--catalog", &weather, &weather]).await.error();
    assert!(error.contains("would begin with `weather_`"), "{error}");
}

#[tokio::test]
async fn wrong_arguments_are_explained() {
    for (arguments, expected) in [
        (&["--jsn"][..], "there is no option `--jsn`; did you mean `--json`?"),
        (&["-x"], "there is no option `-x`; `--help` lists them"),
        (&["--json=yes"], "unexpected argument for option '--json'"),
        (&["--catalog"], "missing argument for option '--catalog'"),
        (&["hello"], "`hello` is not an option"),
        (&["--ask", " "], "`--ask` is empty"),
        (&["--model", "m"], "`--model m` needs a question"),
        (&["--base-url", "http://x"], "`--base-url` is the server of a model"),
        (&["--model", "m", "--ask", "a", "b"], "two questions: `a` and `b`"),
    ] {
        let error = quickstart(arguments).await.error();
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    let help = quickstart(&["--json", "--help"]).await;
    assert!(help.out.starts_with("An agent with 15 tools"));
}

#[cfg(not(feature = "live"))]
#[tokio::test]
async fn model_without_the_feature_says_what_to_run() {
    let error = quickstart(&["--model", "gpt-5", "Charge order A-1042."]).await.error();
    let command = "cargo run --features live --example quickstart -- --model gpt-5 \"Charge order A-1042.\"";
    assert!(error.contains(command), "{error}");
}

#[cfg(feature = "live")]
#[tokio::test]
async fn server_that_is_not_there_is_named() {
    let url = "http://127.0.0.1:9/v1";
    let ran = quickstart(&["--model", "any", "--base-url", url, "Hello"]).await;
    let error = ran.result.expect_err("nobody listens there").to_string();
    assert!(error.contains(&format!("no server answers at {url}")), "{error}");
}

#[test]
fn json_text_changes_white_space_and_nothing_else() {
    let json = "{ \"b\" : [ 1 , { } , [ ] ] ,\n \"a\\\"\\\\\" : \"x : { y }, \\\\\" }";
    assert_eq!(json_text::compact(json), r#"{"b":[1,{},[]],"a\"\\":"x : { y }, \\"}"#);
    let pretty = "{\n  \"b\": [\n    1,\n    {},\n    []\n  ],\n  \"a\\\"\\\\\": \"x : { y }, \\\\\"\n}";
    assert_eq!(json_text::pretty(json), pretty);
}
