//! A call to a tool that is not in the list: nothing runs, and the text is the same whatever the reason.

use tool_core::{
    CallOutcome, RefusalReason, Registry, ResultStatus, SessionEvent, ToolContext, ToolPattern, ToolSearch,
};

use crate::support::{Log, Runs, builder, call, call_with, hits, names, search, text, texts};

fn refusal(name: &str) -> String {
    format!("Tool '{name}' is not in your current tool list. Call tool_search to find tools.")
}

#[tokio::test]
async fn an_unrevealed_tool_does_not_run_and_after_the_reveal_runs_once() {
    let (runs, log) = (Runs::default(), Log::default());
    let registry =
        Registry::builder().tool(runs.hidden("wipe_disk", "Erases.")).events(log.clone()).build().unwrap();
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    let results = turn.call_all([call("1", "wipe_disk")]).await.into_results();
    assert!(results[0].refused() && !results[0].succeeded());
    assert_eq!(results[0].status(), ResultStatus::Refused);
    assert_eq!(results[0].text(), refusal("wipe_disk"));
    assert!(runs.all().is_empty());
    assert_eq!(log.refusals(), [("wipe_disk".to_owned(), RefusalReason::Hidden)]);
    assert_eq!(log.all().len(), 2, "nothing else happened after the turn was made: {:?}", log.all());

    text(&turn, search("2", "erases")).await;
    assert_eq!(text(&turn, call("3", "wipe_disk")).await, refusal("wipe_disk"), "the same turn");
    assert!(runs.all().is_empty());
    assert_eq!(text(&session.turn().await.unwrap(), call("4", "wipe_disk")).await, "wipe_disk ran");
    assert_eq!(runs.all(), ["wipe_disk"]);
}

#[tokio::test]
async fn a_search_and_its_target_in_one_turn_refuse_the_target_in_all_four_ways() {
    for sequential in [true, false] {
        for target_first in [true, false] {
            let runs = Runs::default();
            let registry = Registry::builder().tool(runs.hidden("target", "Sought.")).build().unwrap();
            let session = registry.session();
            let turn = session.turn().await.unwrap();
            let mut calls = vec![search("s", "sought"), call("t", "target")];
            if target_first {
                calls.reverse();
            }
            let mut answers = Vec::new();
            if sequential {
                for call in calls {
                    answers.extend(texts(&turn, [call]).await);
                }
            } else {
                answers = texts(&turn, calls).await;
            }
            if target_first {
                answers.reverse();
            }
            assert_eq!(hits(&answers[0]), ["target"]);
            assert_eq!(answers[1], refusal("target"), "sequential {sequential}, first {target_first}");
            assert!(runs.all().is_empty());
            assert_eq!(text(&session.turn().await.unwrap(), call("t", "target")).await, "target ran");
        }
    }
}

#[tokio::test]
async fn only_what_a_search_returned_can_be_called() {
    let runs = Runs::default();
    let registry = Registry::builder()
        .tools([runs.hidden("report_a", "Report."), runs.hidden("report_b", "Report.")])
        .build()
        .unwrap();
    let session = registry.session();
    let arguments = serde_json::json!({"query": "report", "top_k": 1});
    let found = text(&session.turn().await.unwrap(), call_with("1", "tool_search", arguments)).await;
    assert_eq!(hits(&found), ["report_a"]);
    let turn = session.turn().await.unwrap();
    assert_eq!(
        texts(&turn, [call("2", "report_a"), call("3", "report_b")]).await,
        ["report_a ran".to_owned(), refusal("report_b")]
    );
    assert_eq!(runs.all(), ["report_a"]);
}

#[tokio::test]
async fn hidden_disabled_denied_and_unknown_names_read_the_same() {
    fn never(_: &ToolContext) -> bool {
        false
    }
    let (runs, log) = (Runs::default(), Log::default());
    let registry = Registry::builder()
        .tools([
            runs.hidden("hidden_one", "Report."),
            runs.tool(builder("disabled_hidden", "Report.").deferred().enabled(never)),
            runs.tool(builder("disabled_eager", "Report.").enabled(never)),
            runs.hidden("denied_hidden", "Report."),
            runs.eager("denied_eager"),
        ])
        .deny([ToolPattern::new("denied_*").unwrap()])
        .events(log.clone())
        .build()
        .unwrap();
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn), ["tool_search"]);
    let called =
        ["hidden_one", "disabled_hidden", "disabled_eager", "denied_hidden", "denied_eager", "unknown_one"];
    for name in called {
        let results = turn.call_all([call("1", name)]).await.into_results();
        assert!(matches!(&results[0].outcome, CallOutcome::Refused(text) if *text == refusal(name)));
    }
    assert!(runs.all().is_empty());
    let reasons: Vec<_> = log.refusals().into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(
        reasons,
        [
            RefusalReason::Hidden,
            RefusalReason::Hidden,
            RefusalReason::Disabled,
            RefusalReason::Denied,
            RefusalReason::Denied,
            RefusalReason::Unknown
        ]
    );
}

#[tokio::test]
async fn disabled_and_denied_tools_are_not_found_even_by_their_names() {
    fn never(_: &ToolContext) -> bool {
        false
    }
    let runs = Runs::default();
    let registry = Registry::builder()
        .tools([
            runs.hidden("report_seen", "Report."),
            runs.tool(builder("report_disabled", "Report.").deferred().enabled(never)),
            runs.tool(builder("echo_disabled", "Report.").enabled(never)),
            runs.hidden("report_denied", "Report."),
        ])
        .deny([ToolPattern::new("*_denied").unwrap()])
        .build()
        .unwrap();
    let session = registry.session();
    for query in
        ["report", "report_disabled", "report_denied", "echo_disabled", "report_disabled, report_denied"]
    {
        let text = text(&session.turn().await.unwrap(), search("1", query)).await;
        for hidden in ["report_disabled", "report_denied", "echo_disabled"] {
            assert!(!text.contains(hidden), "{query}: {text}");
        }
        assert!(!text.contains("of 2") && !text.contains("of 3"), "not counted: {text}");
    }
    assert_eq!(session.reveal("report_denied"), tool_core::RevealOutcome::NotFound);
    assert_eq!(session.reveal("report_disabled"), tool_core::RevealOutcome::NotFound);
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search", "report_seen"]);
}

#[tokio::test]
async fn an_unrevealed_tool_is_refused_before_anything_is_asked_of_it() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    fn counting(_: &ToolContext) -> bool {
        ASKED.fetch_add(1, Ordering::SeqCst);
        true
    }
    let runs = Runs::default();
    let registry = Registry::builder()
        .tool(runs.tool(builder("costly", "Report.").deferred().enabled(counting)))
        .build()
        .unwrap();
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    let broken = tool_core::ToolCall::new("1", "costly", "not json");
    assert_eq!(texts(&turn, [call("0", "costly"), broken]).await, [refusal("costly"), refusal("costly")]);
    assert_eq!(ASKED.load(Ordering::SeqCst), 0);
    assert!(runs.all().is_empty());
}

#[tokio::test]
async fn a_revealed_tool_that_is_disabled_later_is_refused_as_disabled() {
    struct Switch(std::sync::atomic::AtomicBool);
    fn switched(context: &ToolContext) -> bool {
        context.get::<Switch>().unwrap().0.load(std::sync::atomic::Ordering::SeqCst)
    }
    let (runs, log) = (Runs::default(), Log::default());
    let switch = std::sync::Arc::new(Switch(true.into()));
    let registry = Registry::builder()
        .tool(runs.tool(builder("report", "Writes.").deferred().enabled(switched)))
        .state_arc(std::sync::Arc::clone(&switch))
        .events(log.clone())
        .build()
        .unwrap();
    let session = registry.session();
    text(&session.turn().await.unwrap(), search("1", "report")).await;
    let turn = session.turn().await.unwrap();
    switch.0.store(false, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(names(&turn), ["tool_search", "report"]);
    assert_eq!(text(&turn, call("2", "report")).await, refusal("report"), "asked at the call");
    let later = session.turn().await.unwrap();
    assert_eq!(names(&later), ["tool_search"]);
    assert_eq!(later.deferred().count(), 0);
    assert_eq!(text(&later, call("3", "report")).await, refusal("report"));
    let reasons: Vec<_> = log.refusals().into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(reasons, [RefusalReason::Disabled, RefusalReason::Disabled]);
    switch.0.store(true, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(text(&session.turn().await.unwrap(), call("4", "report")).await, "report ran");
}

#[tokio::test]
async fn a_refusal_names_the_ways_of_this_list_by_their_own_names() {
    let runs = Runs::default();
    let search = ToolSearch::new().name("find_more");
    let registry = Registry::builder().tool(runs.hidden("secret", "S.")).search(search).build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    assert_eq!(
        text(&turn, call("1", "secret")).await,
        "Tool 'secret' is not in your current tool list. Call find_more to find tools."
    );
    let nothing_hidden = Registry::builder().tool(runs.eager("echo")).build().unwrap();
    let turn = nothing_hidden.session().turn().await.unwrap();
    assert_eq!(text(&turn, call("1", "secret")).await, "Tool 'secret' is not in your current tool list.");
}

#[tokio::test]
async fn a_listed_name_in_other_case_or_separators_is_suggested() {
    let runs = Runs::default();
    let registry = Registry::builder()
        .tools([runs.eager("web_search"), runs.hidden("secret_tool", "S.")])
        .build()
        .unwrap();
    let session = registry.session();
    let turn = session.turn().await.unwrap();
    for sent in ["WebSearch", "web-search", "WEB_SEARCH", "web.search", "web search"] {
        let text = text(&turn, call("1", sent)).await;
        assert_eq!(text, format!("{} Did you mean 'web_search'?", refusal(sent)));
    }
    assert_eq!(text(&turn, call("1", "web_search")).await, "web_search ran");
    assert_eq!(
        text(&turn, call("1", "SecretTool")).await,
        refusal("SecretTool"),
        "hidden names are never spelt"
    );
    assert_eq!(text(&turn, call("1", "web_searches")).await, refusal("web_searches"));
}

#[tokio::test]
async fn the_echo_of_a_name_is_cleaned_and_cut_at_64_characters() {
    let log = Log::default();
    let registry =
        Registry::builder().tool(Runs::default().hidden("secret", "S.")).events(log.clone()).build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    let umlauts = "ä".repeat(200);
    for (sent, echoed) in [
        (umlauts.as_str(), "ä".repeat(64)),
        ("two\nlines", "two lines".to_owned()),
        ("\u{1b}[31mred\u{1b}[0m", "red".to_owned()),
        ("zero\u{200b}width\u{202e}", "zerowidth".to_owned()),
        ("", String::new()),
        ("null\0", "null".to_owned()),
    ] {
        assert_eq!(text(&turn, call("1", sent)).await, refusal(&echoed), "{sent:?}");
        assert_eq!(log.refusals().last().unwrap().0, echoed);
    }
}

#[tokio::test]
async fn refusals_keep_the_batch_going() {
    let runs = Runs::default();
    let registry =
        Registry::builder().tools([runs.eager("echo"), runs.hidden("secret", "S.")]).build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    let calls = [call("1", "secret"), call("2", "echo"), call("3", "nothing"), call("4", "echo")];
    let results = turn.call_all(calls).await.into_results();
    let ids: Vec<_> = results.iter().map(|result| result.call_id.as_str()).collect();
    assert_eq!(ids, ["1", "2", "3", "4"]);
    assert_eq!(runs.all(), ["echo", "echo"]);
}

#[tokio::test]
async fn events_of_a_refusal_carry_the_id_of_the_call() {
    let log = Log::default();
    let registry =
        Registry::builder().tool(Runs::default().hidden("secret", "S.")).events(log.clone()).build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    texts(&turn, [call("first", "secret"), call("second", "made_up")]).await;
    let ids: Vec<_> = log
        .all()
        .into_iter()
        .filter_map(|event| match event {
            SessionEvent::Refused { call_id, reason, .. } => Some((call_id, reason)),
            _ => None,
        })
        .collect();
    assert_eq!(
        ids,
        [("first".to_owned(), RefusalReason::Hidden), ("second".to_owned(), RefusalReason::Unknown)]
    );
}
