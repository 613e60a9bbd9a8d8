//! Several sessions over one key: what each did is applied to what the others have stored.

use std::sync::Arc;

use serde_json::json;
use tool_core::{
    Batch, Budget, FunctionTool, ListChange, OpenError, Registry, SaveError, SessionEvent, SessionStore,
    ToolContext, ToolError, ToolGroup, ToolSearch, Toolset,
};

use super::{Fault, Flaky, KEY, asking, open, suspend};
use crate::support::{Log, Runs, eager, hidden, names, revealed};

fn registry(budget: usize, log: &Log) -> Registry {
    let tools: Vec<FunctionTool> = (0..40).map(|n| hidden(&format!("tool_{n:02}"), "One of many.")).collect();
    let search = ToolSearch::search_then_load().budget(Budget::tools(budget));
    Registry::builder().tools(tools).search(search).events(log.clone()).build().unwrap()
}

fn tool(n: usize) -> String {
    format!("tool_{n:02}")
}

#[tokio::test]
async fn nothing_revealed_elsewhere_is_lost_and_nothing_unloaded_comes_back() {
    let store = Arc::new(Flaky::default());
    let registry = registry(20, &Log::default());
    let first = open(&registry, &store).await;
    for n in [0, 1] {
        first.reveal(&tool(n));
    }
    first.save().await.unwrap();
    let (a, b) = (open(&registry, &store).await, open(&registry, &store).await);
    assert!(a.unload("tool_00"));
    b.reveal("tool_02");
    assert_eq!(a.save().await.unwrap().merges, 0);
    assert_eq!(b.save().await.unwrap().merges, 1);
    // The other way round: the later save is the one that unloads.
    assert!(a.unload("tool_01"));
    b.reveal("tool_03");
    b.save().await.unwrap();
    a.save().await.unwrap();
    b.save().await.unwrap();
    for session in [&a, &b, &open(&registry, &store).await] {
        assert_eq!(revealed(session), ["tool_02", "tool_03"]);
    }
}

#[tokio::test]
async fn a_budget_holds_over_all_sessions_and_what_it_cost_is_reported() {
    let (store, log) = (Arc::new(Flaky::default()), Log::default());
    let registry = registry(20, &log);
    let (a, b) = (open(&registry, &store).await, open(&registry, &store).await);
    (0..15).for_each(|n| drop(a.reveal(&tool(n))));
    (15..30).for_each(|n| drop(b.reveal(&tool(n))));
    assert!(a.save().await.unwrap().is_complete());
    let report = b.save().await.unwrap();
    let over: Vec<String> = report.over_budget.iter().map(|(tool, _)| tool.to_string()).collect();
    assert_eq!(over, (20..30).map(tool).collect::<Vec<_>>());
    assert!(!report.is_complete());
    assert_eq!(revealed(&b), (0..20).map(tool).collect::<Vec<_>>());
    assert_eq!(revealed(&open(&registry, &store).await), revealed(&b));
    let events = log.all();
    assert_eq!(events.iter().filter(|event| matches!(event, SessionEvent::OverBudget { .. })).count(), 10);
    // What did not fit is not tried again when there is room.
    a.save().await.unwrap();
    assert!((0..5).all(|n| a.unload(&tool(n))));
    a.save().await.unwrap();
    b.save().await.unwrap();
    assert_eq!(revealed(&b).len(), 15);
}

#[tokio::test]
async fn the_session_goes_on_with_the_merged_order_and_says_when_it_is_another_one() {
    let (store, log) = (Arc::new(Flaky::default()), Log::default());
    let registry = registry(20, &log);
    let (a, b) = (open(&registry, &store).await, open(&registry, &store).await);
    a.reveal("tool_00");
    b.reveal("tool_01");
    let before = b.turn().await.unwrap();
    a.save().await.unwrap();
    b.save().await.unwrap();
    assert!(names(&before).ends_with(&["tool_01".to_owned()]), "a turn is what it was");
    let list = names(&b.turn().await.unwrap());
    assert!(list.ends_with(&["tool_00".to_owned(), "tool_01".to_owned()]), "{list:?}");
    let moved = |log: &Log| {
        let is_moved = |event: &&SessionEvent| {
            matches!(event, SessionEvent::TurnStarted { list: ListChange::Rewritten { .. }, .. })
        };
        log.all().iter().filter(is_moved).count()
    };
    assert_eq!(moved(&log), 1, "{:?}", log.all());
    // What is only appended changes nothing that was sent.
    a.turn().await.unwrap();
    a.save().await.unwrap();
    a.turn().await.unwrap();
    assert_eq!(moved(&log), 1);
    assert_eq!(revealed(&a), revealed(&b));
}

#[tokio::test]
async fn a_save_whose_answer_was_lost_is_not_applied_twice() {
    let store = Arc::new(Flaky::default());
    let registry = registry(20, &Log::default());
    let a = open(&registry, &store).await;
    a.reveal("tool_00");
    store.fail([Fault::AnswerLost]);
    assert!(matches!(a.save().await, Err(SaveError::Store { .. })));
    a.reveal("tool_01");
    // It has landed, and somebody else took the tool out since.
    let b = open(&registry, &store).await;
    assert!(b.unload("tool_00"));
    b.save().await.unwrap();
    a.save().await.unwrap();
    assert_eq!(revealed(&a), ["tool_01"]);
    // One that has not landed is applied.
    a.reveal("tool_02");
    store.fail([Fault::NotWritten]);
    assert!(a.save().await.is_err());
    b.reveal("tool_03");
    b.save().await.unwrap();
    a.save().await.unwrap();
    assert_eq!(revealed(&a), ["tool_01", "tool_03", "tool_02"]);
    assert_eq!(revealed(&open(&registry, &store).await), revealed(&a));
}

#[tokio::test]
async fn what_happens_while_a_save_runs_is_saved_by_the_next_one() {
    let store = Arc::new(Flaky::default());
    let registry = registry(20, &Log::default());
    let a = open(&registry, &store).await;
    a.reveal("tool_00");
    store.hold(true);
    let mut saving = Box::pin(a.save());
    assert!(crate::support::poll_once(&mut saving).await.is_none());
    a.reveal("tool_01");
    store.hold(false);
    store.gates.open("save");
    saving.await.unwrap();
    assert_eq!(store.stored().await["revealed"].as_array().unwrap().len(), 1);
    let b = open(&registry, &store).await;
    b.reveal("tool_02");
    b.save().await.unwrap();
    a.save().await.unwrap();
    assert_eq!(revealed(&open(&registry, &store).await), ["tool_00", "tool_02", "tool_01"]);
}

#[tokio::test]
async fn a_session_that_was_deleted_is_not_written_again() {
    let store = Arc::new(Flaky::default());
    let registry = registry(20, &Log::default());
    let a = open(&registry, &store).await;
    a.reveal("tool_00");
    a.save().await.unwrap();
    store.delete(KEY).await.unwrap();
    a.reveal("tool_01");
    assert!(matches!(a.save().await, Err(SaveError::Gone { .. })));
    assert!(store.load(KEY).await.unwrap().is_none());
    // The key starts empty.
    assert!(revealed(&open(&registry, &store).await).is_empty());
    assert!(matches!(registry.session().save().await, Err(SaveError::Unbound)));
}

#[tokio::test]
async fn what_a_later_version_or_somebody_else_wrote_is_left_alone() {
    let store = Arc::new(Flaky::default());
    let registry = registry(20, &Log::default());
    let a = open(&registry, &store).await;
    for bytes in [&br#"{"version":99,"revealed":"elsewhere"}"#[..], b"\x00 not json"] {
        let current = store.load(KEY).await.unwrap().map(|stored| stored.version);
        store.kept.save(KEY, bytes, current.as_ref()).await.unwrap();
        let error = registry.session().open(&store, KEY).await.unwrap_err();
        match bytes[0] {
            b'{' => assert!(matches!(error, OpenError::Resume { .. }), "{error}"),
            _ => assert!(matches!(error, OpenError::Unreadable { .. }), "{error}"),
        }
        a.reveal("tool_00");
        assert!(matches!(a.save().await, Err(SaveError::Stored(_))));
        assert_eq!(store.load(KEY).await.unwrap().unwrap().bytes, bytes);
    }
}

#[tokio::test]
async fn members_of_a_later_minor_version_are_kept() {
    let store = Arc::new(Flaky::default());
    let registry = registry(20, &Log::default());
    let a = open(&registry, &store).await;
    let bytes = br#"{"version":1,"revealed":[],"mood":"good"}"#;
    store.kept.save(KEY, bytes, None).await.unwrap();
    a.reveal("tool_00");
    a.save().await.unwrap();
    assert_eq!(store.stored().await["mood"], "good");
    assert_eq!(store.stored().await["revealed"][0]["name"], "tool_00");
}

#[tokio::test]
async fn tools_that_were_added_to_a_session_stay_when_it_is_merged() {
    let store = Arc::new(Flaky::default());
    let registry = registry(20, &Log::default());
    let (a, b) = (open(&registry, &store).await, open(&registry, &store).await);
    a.add(Toolset::new("mine").tool(eager("own")).tool(hidden("own_hidden", "Mine.")));
    a.reveal("own_hidden");
    b.reveal("tool_00");
    b.save().await.unwrap();
    a.save().await.unwrap();
    assert_eq!(revealed(&a), ["tool_00", "own", "own_hidden"]);
    // Their places are kept where they are not.
    b.save().await.unwrap();
    assert_eq!(revealed(&b), ["tool_00"]);
    b.reveal("tool_01");
    b.save().await.unwrap();
    a.save().await.unwrap();
    assert_eq!(revealed(&a), ["tool_00", "own", "own_hidden", "tool_01"]);
}

#[tokio::test]
async fn a_group_that_was_loaded_elsewhere_is_built_and_one_that_cannot_be_is_not_lost() {
    static BROKEN: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    let store = Arc::new(Flaky::default());
    let group = ToolGroup::lazy("web", "Pages.", async |_: ToolContext| {
        if BROKEN.load(std::sync::atomic::Ordering::SeqCst) {
            return Err(ToolError::new("no network"));
        }
        Ok(vec![eager("fetch")])
    });
    let registry = Registry::builder().group(group).tool(hidden("other", "Other.")).build().unwrap();
    let (a, b) = (open(&registry, &store).await, open(&registry, &store).await);
    a.load_group("web").await;
    a.save().await.unwrap();
    b.reveal("other");
    BROKEN.store(true, std::sync::atomic::Ordering::SeqCst);
    let report = b.save().await.unwrap();
    assert_eq!(report.restored.groups, [("web".to_owned(), "no network".to_owned())]);
    assert_eq!(revealed(&b), ["other"]);
    assert!(b.loaded_groups().is_empty());
    BROKEN.store(false, std::sync::atomic::Ordering::SeqCst);
    let c = open(&registry, &store).await;
    assert_eq!(
        (revealed(&c), c.loaded_groups()),
        (vec!["fetch".to_owned(), "other".to_owned()], vec!["web".to_owned()])
    );
    // Loaded after all, its tools have their old place.
    b.load_group("web").await;
    assert_eq!(revealed(&b), ["fetch", "other"]);
}

#[tokio::test]
async fn of_two_batches_that_wait_the_one_stored_first_stays() {
    let (runs, log) = (Runs::default(), Log::default());
    let store = Arc::new(Flaky::default());
    let builder =
        Registry::builder().tools([runs.eager("pay_one"), runs.eager("pay_two")]).events(log.clone());
    let registry = asking(builder).build().unwrap();
    let (a, b) = (open(&registry, &store).await, open(&registry, &store).await);
    suspend(&a, &["pay_one"]).await;
    suspend(&b, &["pay_two"]).await;
    a.save().await.unwrap();
    let report = b.save().await.unwrap();
    assert_eq!(report.dropped_calls, ["pay_two"]);
    assert!(log.all().contains(&SessionEvent::CallDropped { call_id: "pay_two".into() }));
    assert_eq!(b.undecided()[0].call_id, "pay_one");
}

#[tokio::test]
async fn a_result_that_names_what_a_save_took_away_says_so() {
    let store = Arc::new(Flaky::default());
    let gates = crate::support::Gates::default();
    let runs = Runs::default();
    let search = ToolSearch::search_then_load().budget(Budget::tools(1));
    let registry = Registry::builder()
        .tools([hidden("one", "One."), hidden("two", "Two."), super::gated(&runs, &gates, "wait")])
        .search(search)
        .build()
        .unwrap();
    let (a, b) = (open(&registry, &store).await, open(&registry, &store).await);
    let turn = a.turn().await.unwrap();
    let load = crate::support::call_with("1", "load_tool", json!({"tool_name": "one"}));
    let mut batch = Box::pin(turn.call_all([load, crate::support::call("2", "wait")]));
    assert!(crate::support::poll_once(&mut batch).await.is_none());
    b.reveal("two");
    b.save().await.unwrap();
    a.save().await.unwrap();
    gates.open("wait");
    let Batch::Done(results) = batch.await else { panic!("suspended") };
    assert!(
        results[0].text().ends_with("Not in your list after all, because it is full: one."),
        "{}",
        results[0]
    );
    assert_eq!(results[1].text(), "wait ran");
    assert_eq!(revealed(&a), ["two"]);
}
