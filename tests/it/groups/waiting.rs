//! Builds that nobody waits for, that lose their runtime, or that take their time.

use super::*;

/// Starts a load and gives up on it while its build waits.
async fn give_up(session: &Session, group: &str) {
    let turn = session.turn().await.unwrap();
    let mut loading = Box::pin(turn.call_all([load("0", group)]));
    assert!(poll_once(&mut loading).await.is_none());
    tokio::task::yield_now().await;
}

async fn let_builds_run() {
    for _ in 0..9 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_build_that_ended_while_nobody_waited_is_taken_by_the_next_load() {
    let (gates, builds) = (Gates::default(), Builds::default());
    let session = session([gated("web", &["search_web"], &gates, &builds)]);
    give_up(&session, "web").await;
    gates.open("web");
    let_builds_run().await;
    assert!(session.loaded_groups().is_empty(), "built, not loaded");
    assert_eq!(answer(&session, load("1", "web")).await, "Loaded 'web': search_web.");
    assert_eq!(builds.count(), 1);
}

#[tokio::test]
async fn a_build_that_failed_while_nobody_waited_starts_anew_at_the_next_load() {
    let (gates, builds) = (Gates::default(), Builds::default());
    let (doors, counted) = (gates.clone(), builds.clone());
    let web = ToolGroup::lazy("web", "Web.", move |_: ToolContext| {
        let attempt = counted.0.fetch_add(1, Ordering::SeqCst);
        let gates = doors.clone();
        async move {
            gates.pass("web").await;
            if attempt == 0 { Err(ToolError::new("an old failure")) } else { Ok([eager("search_web")]) }
        }
    });
    let session = session([web]);
    give_up(&session, "web").await;
    gates.open("web");
    let_builds_run().await;
    gates.open("web");
    assert_eq!(answer(&session, load("1", "web")).await, "Loaded 'web': search_web.");
    assert_eq!(builds.count(), 2);
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

#[test]
fn a_build_whose_runtime_is_gone_starts_anew() {
    let (gates, builds) = (Gates::default(), Builds::default());
    let session = session([gated("web", &["search_web"], &gates, &builds)]);
    let first = runtime();
    first.block_on(give_up(&session, "web"));
    drop(first);
    gates.open("web");
    let text = runtime().block_on(answer(&session, load("1", "web")));
    assert_eq!(text, "Loaded 'web': search_web.");
    assert_eq!(builds.count(), 2);
}

#[test]
fn a_load_that_waits_for_a_runtime_that_ends_is_answered_and_the_next_one_builds() {
    let (gates, builds) = (Gates::default(), Builds::default());
    let session = session([gated("web", &["search_web"], &gates, &builds)]);
    let first = runtime();
    first.block_on(give_up(&session, "web"));
    runtime().block_on(async {
        let turn = session.turn().await.unwrap();
        let mut waiting = Box::pin(texts(&turn, [load("1", "web")]));
        assert!(poll_once(&mut waiting).await.is_none(), "it joined the build of the other runtime");
        first.shutdown_background();
        assert_eq!(waiting.await, ["Could not load 'web': the runtime that built it is gone"]);
        gates.open("web");
        assert_eq!(answer(&session, load("2", "web")).await, "Loaded 'web': search_web.");
    });
    assert_eq!(builds.count(), 2);
}

#[tokio::test]
async fn a_blocking_build_does_not_hold_up_the_executor() {
    // Without an end of its own the test would hang where the build blocks the only thread.
    const GIVE_UP: std::time::Duration = std::time::Duration::from_secs(60);
    let (open, door) = std::sync::mpsc::channel::<()>();
    let door = std::sync::Mutex::new(door);
    let web = ToolGroup::lazy_blocking("web", "Web.", move |_: ToolContext| {
        door.lock().unwrap().recv_timeout(GIVE_UP).map_err(|_| ToolError::new("held up"))?;
        Ok::<_, ToolError>([eager("search_web")])
    });
    let session = session([web]);
    let opener = tokio::spawn(async move {
        let_builds_run().await;
        open.send(()).unwrap();
    });
    assert_eq!(answer(&session, load("1", "web")).await, "Loaded 'web': search_web.");
    opener.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_slow_build_holds_up_neither_other_calls_nor_other_sessions() {
    let (gates, builds) = (Gates::default(), Builds::default());
    let registry = Registry::builder()
        .group(gated("web", &["search_web"], &gates, &builds))
        .group(group("quick", &["now"]))
        .tool(eager("read_file"))
        .build()
        .unwrap();
    let (slow, other) = (registry.session(), registry.session());
    let turn = slow.turn().await.unwrap();
    let mut loading = Box::pin(turn.call_all([load("1", "web"), call("2", "read_file")]));
    assert!(poll_once(&mut loading).await.is_none());
    // The session that waits, and another one, list and call as always.
    for session in [&slow, &other] {
        let turn = ends(session.turn()).await.unwrap();
        assert_eq!(names(&turn), ["read_file", "available_tools", "load_tools"]);
        assert_eq!(ends(text(&turn, call("3", "read_file"))).await, "read_file ran");
        assert!(session.revealed().is_empty() && session.loaded_groups().is_empty());
    }
    assert_eq!(ends(answer(&other, load("4", "quick"))).await, "Loaded 'quick': now.");
    gates.open("web");
    let results = ends(loading).await.into_results();
    assert_eq!(results[0].text(), "Loaded 'web': search_web.");
}

/// Keeps what is warned of.
#[derive(Clone, Default)]
struct Warnings(Arc<std::sync::Mutex<Vec<String>>>);

impl tracing::Subscriber for Warnings {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::WARN
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let mut fields = Vec::new();
        event.record(&mut |field: &tracing::field::Field, value: &dyn std::fmt::Debug| {
            fields.push(format!("{field}={value:?}"));
        });
        self.0.lock().unwrap().push(fields.join(" "));
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

#[tokio::test]
async fn each_build_that_fails_is_warned_of_once() {
    let warnings = Warnings::default();
    let _on_this_thread = tracing::subscriber::set_default(warnings.clone());
    let web = ToolGroup::lazy("web", "Web.", async |_: ToolContext| {
        Err::<Vec<FunctionTool>, _>(ToolError::new("no network"))
    });
    let session = session([web, group("fine", &["ok"])]);
    for id in ["1", "2"] {
        let turn = session.turn().await.unwrap();
        texts(&turn, [load(id, "web"), load("0", "fine")]).await;
    }
    let warnings = warnings.0.lock().unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(
        warnings.iter().all(|text| text.contains("group=web") && text.contains("no network")),
        "{warnings:?}"
    );
}
