//! When sources are started, asked again, waited for and closed.

use std::time::Duration;

use tokio::time::{Instant, advance, sleep};
use tool_core::{Registry, SessionEvent, SourceSettings, SourceState, ToolErrorKind, ToolSearch, Toolset};

use super::{Answer, Fake, github, ready, settle, states, tool};
use crate::support::{Log, call, ends, hits, names, note, poll_once, search, text, texts};

const SECOND: Duration = Duration::from_secs(1);

fn failed(reason: &str) -> SourceState {
    SourceState::Failed { reason: reason.to_owned() }
}

/// `namespace: state` of each change of a source.
fn told(log: &Log) -> Vec<String> {
    let events = log.all().into_iter().filter_map(|event| match event {
        SessionEvent::SourceState { namespace, state } => Some(format!("{namespace}: {state}")),
        _ => None,
    });
    events.collect()
}

fn gated(names: &[&str]) -> Answer {
    let tools: Vec<_> = names.iter().map(|name| tool(name, &format!("Does {name}."))).collect();
    Answer::Gated(tools.into())
}

#[tokio::test(start_paused = true)]
async fn sources_start_side_by_side_with_the_first_turn_which_waits_for_none() {
    let (a, b) = (Fake::answering(Answer::Hangs), Fake::named(&["search"]));
    let builder = Registry::builder()
        .toolset(Toolset::new("a").source(a.clone()))
        .toolset(Toolset::new("b").source(b.clone()));
    let registry = builder.build().unwrap();
    settle().await;
    assert_eq!((a.lists(), b.lists()), (0, 0), "nobody asked");
    assert_eq!(states(&registry), [SourceState::Connecting, SourceState::Connecting]);

    let started = Instant::now();
    let session = registry.session();
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search"]);
    assert_eq!(started.elapsed(), Duration::ZERO);
    settle().await;
    assert_eq!((a.lists(), b.lists()), (1, 1));
    assert_eq!(states(&registry), [SourceState::Connecting, SourceState::Ready]);
}

#[tokio::test(start_paused = true)]
async fn ready_waits_until_each_source_is_ready_or_has_failed() {
    let (slow, broken) = (Fake::answering(gated(&["a"])), Fake::answering(Answer::Fails("no route".into())));
    let builder = Registry::builder()
        .toolset(Toolset::new("slow").source(slow.clone()))
        .toolset(Toolset::new("broken").source(broken));
    let registry = builder.build().unwrap();
    let mut waiting = Box::pin(registry.ready(3600 * SECOND));
    assert!(poll_once(&mut waiting).await.is_none());
    settle().await;
    assert!(poll_once(&mut waiting).await.is_none());
    slow.gates().open("list");
    let statuses = waiting.await;
    assert_eq!(statuses[0].state, SourceState::Ready);
    assert_eq!(statuses[1].state, failed("no route"));
    assert_eq!(statuses[1].to_string(), "broken: failed: no route (listed 0, accepted 0)");
}

#[tokio::test(start_paused = true)]
async fn a_search_waits_two_seconds_at_most_and_says_who_is_still_connecting() {
    let hanging = Fake::answering(Answer::Hangs);
    let builder = github(&hanging).toolset(Toolset::new("slack").source(Fake::named(&["send"])));
    let session = builder.build().unwrap().session();
    let turn = session.turn().await.unwrap();
    let started = Instant::now();
    let found = text(&turn, search("1", "send")).await;
    assert_eq!(started.elapsed(), 2 * SECOND);
    assert_eq!(hits(&found), ["slack_send"]);
    assert_eq!(
        note(&found),
        "Callable from your next message: slack_send.\nSources still connecting: github."
    );
}

#[tokio::test(start_paused = true)]
async fn how_long_a_search_waits_is_a_setting() {
    let builder = github(&Fake::answering(Answer::Hangs)).search(ToolSearch::new().source_wait(7 * SECOND));
    let session = builder.build().unwrap().session();
    let turn = session.turn().await.unwrap();
    let started = Instant::now();
    let found = text(&turn, search("1", "send")).await;
    assert_eq!(started.elapsed(), 7 * SECOND);
    assert_eq!(found, "[]\n\nSources still connecting: github.\nNo tool matches. Try other words.");
}

#[tokio::test(start_paused = true)]
async fn a_search_finds_what_becomes_ready_while_it_waits() {
    let source = Fake::answering(gated(&["send"]));
    let session = github(&source).build().unwrap().session();
    let turn = session.turn().await.unwrap();
    let mut searching = Box::pin(text(&turn, search("1", "send")));
    assert!(poll_once(&mut searching).await.is_none());
    source.gates().open("list");
    let started = Instant::now();
    assert_eq!(hits(&searching.await), ["github_send"]);
    assert_eq!(started.elapsed(), Duration::ZERO);
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search", "github_send"]);
}

#[tokio::test(start_paused = true)]
async fn a_search_of_other_toolsets_waits_for_no_source_of_a_search_of_its_own() {
    let own = Toolset::new("github").source(Fake::answering(Answer::Hangs)).search(ToolSearch::new());
    let builder = Registry::builder().toolset(own).tool(crate::support::hidden("send", "Sends."));
    let session = builder.build().unwrap().session();
    let turn = session.turn().await.unwrap();
    let started = Instant::now();
    assert_eq!(hits(&text(&turn, search("1", "send")).await), ["send"]);
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn to_ask_again_while_a_source_connects_is_no_circle() {
    let session = github(&Fake::answering(Answer::Hangs)).build().unwrap().session();
    for _ in 0..3 {
        let turn = session.turn().await.unwrap();
        let found = text(&turn, search("1", "send")).await;
        assert!(!found.contains("This search was made before"), "{found}");
        assert!(turn.stop_reason().is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_does_not_list_in_time_has_failed() {
    let source = Fake::answering(Answer::Hangs);
    let registry = github(&source).build().unwrap();
    registry.session().turn().await.unwrap();
    sleep(29 * SECOND).await;
    assert_eq!(states(&registry), [SourceState::Connecting]);
    sleep(2 * SECOND).await;
    assert_eq!(states(&registry), [failed("it did not list its tools within 30s")]);
}

#[tokio::test(start_paused = true)]
async fn a_source_that_fails_is_asked_again_after_longer_and_longer_waits() {
    let source = Fake::answering(Answer::Fails("no route".into()));
    let settings = SourceSettings::new().retry(SECOND, 4 * SECOND);
    let toolset = Toolset::new("github").source(source.clone()).source_settings(settings);
    let log = Log::default();
    let registry = Registry::builder().toolset(toolset).events(log.clone()).build().unwrap();
    registry.session().turn().await.unwrap();
    let mut asked_at = Vec::new();
    for second in 0..17 {
        settle().await;
        asked_at.push((second, source.lists()));
        advance(SECOND).await;
    }
    asked_at.dedup_by_key(|(_, lists)| *lists);
    assert_eq!(asked_at, [(0, 1), (1, 2), (3, 3), (7, 4), (11, 5), (15, 6)]);
    source.prepare(Answer::Tools(vec![tool("a", "A.")].into()));
    sleep(5 * SECOND).await;
    assert_eq!(states(&registry), [SourceState::Ready]);
    assert_eq!(told(&log), ["github: failed: no route", "github: ready"], "each change once");
}

#[tokio::test(start_paused = true)]
async fn a_source_that_panics_has_failed_and_is_asked_again() {
    let source = Fake::answering(Answer::Panics);
    let registry = ready(github(&source)).await;
    assert_eq!(states(&registry), [failed("it panicked")]);
    source.prepare(Answer::Tools(vec![tool("a", "A.")].into()));
    sleep(2 * SECOND).await;
    assert_eq!(states(&registry), [SourceState::Ready]);
}

#[tokio::test(start_paused = true)]
async fn what_a_failing_source_says_is_cleaned_and_cut() {
    let reason = format!("no\u{1b}[31m\nroute {}", "x".repeat(5_000));
    let registry = ready(github(&Fake::answering(Answer::Fails(reason)))).await;
    let [SourceState::Failed { reason }] = &states(&registry)[..] else { panic!("it failed") };
    assert!(reason.starts_with("no route xxx") && reason.len() <= 300, "{reason}");
}

#[tokio::test(start_paused = true)]
async fn a_failing_source_keeps_its_last_good_list_and_searches_say_so() {
    let source = Fake::named(&["send", "read"]);
    let registry = ready(github(&source)).await;
    let session = registry.session();
    session.reveal("github_send");
    source.change(Answer::Fails("gone away".into())).await;
    assert_eq!(states(&registry), [failed("gone away")]);
    assert_eq!(registry.sources()[0].accepted, ["github_read", "github_send"]);

    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn), ["tool_search", "github_send"]);
    let [sent, found] = &texts(&turn, [call("1", "github_send"), search("2", "read")]).await[..] else {
        panic!("two results")
    };
    assert_eq!(sent, "send ran");
    assert_eq!(
        note(found),
        "Callable from your next message: github_read.\nSources that failed: github (gone away)."
    );
}

#[tokio::test(start_paused = true)]
async fn a_source_is_listed_once_per_change_and_not_per_turn() {
    let source = Fake::named(&["send"]);
    let session = ready(github(&source)).await.session();
    for _ in 0..20 {
        text(&session.turn().await.unwrap(), search("1", "send")).await;
    }
    sleep(3600 * SECOND).await;
    assert_eq!(source.lists(), 1);
    source.change_to([tool("send", "Sends."), tool("read", "Reads.")]).await;
    assert_eq!(source.lists(), 2);
    for _ in 0..1_000 {
        source.say_changed();
    }
    sleep(3600 * SECOND).await;
    assert_eq!(source.lists(), 3, "a storm is one change");
}

#[tokio::test(start_paused = true)]
async fn a_change_while_the_list_is_read_is_not_lost() {
    let source = Fake::answering(gated(&["old"]));
    let registry = github(&source).build().unwrap();
    registry.session().turn().await.unwrap();
    settle().await;
    source.prepare(Answer::Tools(vec![tool("new", "New.")].into()));
    source.say_changed();
    source.gates().open("list");
    sleep(SECOND).await;
    assert_eq!(registry.sources()[0].accepted, ["github_new"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_has_two_minutes_unless_set_otherwise() {
    for (settings, limit) in
        [(SourceSettings::new(), 120 * SECOND), (SourceSettings::new().call_timeout(3 * SECOND), 3 * SECOND)]
    {
        let toolset = Toolset::new("github").source(Fake::named(&["endless"])).source_settings(settings);
        let session = ready(Registry::builder().toolset(toolset)).await.session();
        let started = Instant::now();
        let error = session.call("github_endless", "{}").await.unwrap_err();
        assert_eq!((error.kind(), started.elapsed()), (ToolErrorKind::TimedOut, limit));
    }
}

#[tokio::test(start_paused = true)]
async fn closing_closes_every_source_once_and_lists_nothing_again() {
    let (a, b) = (Fake::named(&["x"]), Fake::answering(Answer::Fails("no route".into())));
    let builder = Registry::builder()
        .toolset(Toolset::new("a").source(a.clone()))
        .toolset(Toolset::new("b").source(b.clone()));
    let registry = ready(builder).await;
    registry.close().await;
    registry.close().await;
    assert_eq!((a.closed(), b.closed()), (1, 1));
    let lists = (a.lists(), b.lists());
    registry.session().turn().await.unwrap();
    a.say_changed();
    sleep(3600 * SECOND).await;
    assert_eq!((a.lists(), b.lists()), lists);
    assert_eq!(states(&registry), [failed("it was closed"), failed("it was closed")]);
    drop(registry);
    settle().await;
    assert_eq!((a.closed(), b.closed()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_source_that_does_not_close_is_left_after_five_seconds() {
    let builder = Registry::builder()
        .toolset(Toolset::new("a").source(NeverCloses))
        .toolset(Toolset::new("b").source(NeverCloses));
    let registry = ready(builder).await;
    let started = Instant::now();
    ends(registry.close()).await;
    assert_eq!(started.elapsed(), 5 * SECOND, "side by side");
}

struct NeverCloses;

impl tool_core::ToolSource for NeverCloses {
    fn list(&self) -> tool_core::SourceFuture<'_, Result<tool_core::SourceListing, tool_core::SourceError>> {
        Box::pin(async { Ok(Vec::new().into()) })
    }

    fn call<'a>(
        &'a self,
        _: &'a str,
        _: serde_json::Map<String, serde_json::Value>,
        _: &'a tool_core::ToolContext,
    ) -> tool_core::ToolFuture<'a> {
        unreachable!("it lists nothing")
    }

    fn close(&self) -> tool_core::SourceFuture<'_, ()> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn sources_of_a_dropped_registry_are_closed_in_the_background() {
    let source = Fake::named(&["x"]);
    let registry = ready(github(&source)).await;
    let session = registry.session();
    drop(registry);
    settle().await;
    assert_eq!(source.closed(), 0, "a session has it");
    drop(session);
    settle().await;
    assert_eq!(source.closed(), 1);
}

#[test]
fn sources_start_again_in_another_runtime() {
    let source = Fake::named(&["x"]);
    let registry = github(&source).build().unwrap();
    for run in 1..=2 {
        crate::support::block_on(async {
            let turn = registry.session().turn().await.unwrap();
            assert_eq!(hits(&text(&turn, search("1", "x")).await), ["github_x"]);
            settle().await;
            assert_eq!(source.lists(), run);
        });
    }
}
