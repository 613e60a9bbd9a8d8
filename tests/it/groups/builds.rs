//! Builds: shared, side by side, within each other, failing, and again after a resume.

use super::*;

#[tokio::test]
async fn concurrent_loads_of_one_group_share_one_build() {
    let builds = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&builds);
    let web = ToolGroup::lazy("web", "Web.", move |_: ToolContext| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok::<_, ToolError>([eager("search_web")]) }
    });
    let session = session([web]);
    let turn = session.turn().await.unwrap();
    let both = texts(&turn, [load("1", "web"), load("2", "web")]).await;
    assert_eq!(both, ["Loaded 'web': search_web.", "'web' is already loaded."]);
    assert_eq!(builds.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn groups_of_one_batch_are_built_side_by_side() {
    let slow = |name: &'static str| {
        ToolGroup::lazy(name, "Slow.", async |_: ToolContext| {
            tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            Ok::<_, ToolError>(Vec::<FunctionTool>::new())
        })
    };
    let session = session([slow("a"), slow("b")]);
    let turn = session.turn().await.unwrap();
    let started = tokio::time::Instant::now();
    texts(&turn, [load("1", "a"), load("2", "b")]).await;
    assert_eq!(started.elapsed().as_millis(), 200);
}

#[tokio::test]
async fn a_builder_loads_another_group_and_one_that_waits_for_itself_is_an_error() {
    let outer = ToolGroup::lazy("outer", "Outer.", async |context: ToolContext| {
        context.load_group("inner").await;
        Ok::<_, ToolError>([eager("outside")])
    });
    let circle = ToolGroup::lazy("circle", "Circle.", async |context: ToolContext| {
        match context.load_group("circle").await {
            GroupOutcome::Failed { error } => Err(ToolError::new(error)),
            _ => Ok(Vec::<FunctionTool>::new()),
        }
    });
    let session = session([outer, group("inner", &["inside"]), circle]);
    assert_eq!(
        answer(&session, load("1", "outer")).await,
        "Loaded 'outer': outside.\nLoaded with it: 'inner'."
    );
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn)[3..], ["inside", "outside"]);
    assert_eq!(
        text(&turn, load("2", "circle")).await,
        "Could not load 'circle': the build would wait for itself: circle → circle"
    );
}

#[tokio::test(start_paused = true)]
async fn errors_panics_and_time_outs_leave_the_group_loadable() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tries);
    let web = ToolGroup::lazy("web", "Web.", move |_: ToolContext| {
        let attempt = counted.fetch_add(1, Ordering::SeqCst);
        async move {
            match attempt {
                0 => Err(ToolError::new("no network")),
                1 => panic!("broken"),
                2 => std::future::pending().await,
                _ => Ok([eager("search_web")]),
            }
        }
    });
    let session = session([web]);
    assert_eq!(answer(&session, load("1", "web")).await, "Could not load 'web': no network");
    assert_eq!(answer(&session, load("2", "web")).await, "Could not load 'web': the builder panicked");
    assert_eq!(
        answer(&session, load("3", "web")).await,
        "Could not load 'web': the build took more than 60s"
    );
    assert_eq!(answer(&session, load("4", "web")).await, "Loaded 'web': search_web.");
    assert_eq!(tries.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn a_cancelled_load_leaves_the_build_running_and_the_next_load_joins_it() {
    let (builds, door) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let (counted, gate) = (Arc::clone(&builds), Arc::clone(&door));
    let web = ToolGroup::lazy("web", "Web.", move |_: ToolContext| {
        counted.fetch_add(1, Ordering::SeqCst);
        let gate = Arc::clone(&gate);
        async move {
            gate.notified().await;
            Ok::<_, ToolError>([eager("search_web")])
        }
    });
    let session = session([web]);
    let turn = session.turn().await.unwrap();
    let mut loading = Box::pin(turn.call_all([load("1", "web")]));
    assert!(poll_once(&mut loading).await.is_none());
    drop(loading);
    door.notify_one();
    assert_eq!(answer(&session, load("2", "web")).await, "Loaded 'web': search_web.");
    assert_eq!(builds.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_builder_context_kept_after_its_build_closes_no_circle() {
    let kept: Arc<std::sync::Mutex<Option<ToolContext>>> = Arc::default();
    let slot = Arc::clone(&kept);
    let b = ToolGroup::lazy("b", "B.", move |context| {
        *slot.lock().unwrap() = Some(context);
        async { Ok::<_, ToolError>([eager("in_b")]) }
    });
    let a = ToolGroup::lazy("a", "A.", async |context: ToolContext| {
        context.load_group("b").await;
        Ok::<_, ToolError>([eager("in_a")])
    });
    let session = session([a, b]);
    // Both are built, and neither is loaded: their callers went away.
    for group in ["b", "a"] {
        let mut load = Box::pin(session.load_group(group));
        assert!(poll_once(&mut load).await.is_none());
        drop(load);
        for _ in 0..9 {
            tokio::task::yield_now().await;
        }
    }
    let context = kept.lock().unwrap().take().unwrap();
    assert!(matches!(context.load_group("a").await, GroupOutcome::Loaded(_)));
    assert!(matches!(session.load_group("a").await, GroupOutcome::Loaded(_)));
    assert_eq!(session.loaded_groups(), ["b", "a"]);
}

#[tokio::test]
async fn resume_builds_the_groups_and_reports_those_that_fail() {
    let good = Registry::builder()
        .group(group("web", &["search_web"]))
        .group(group("gone", &["old"]))
        .build()
        .unwrap();
    let session = good.session();
    session.load_group("web").await;
    session.load_group("gone").await;
    let saved = serde_json::to_string(&session.snapshot()).unwrap();
    let failing = ToolGroup::lazy("gone", "Gone.", async |_: ToolContext| {
        Err::<Vec<FunctionTool>, _>(ToolError::new("no more"))
    });
    let registry = Registry::builder().group(group("web", &["search_web"])).group(failing).build().unwrap();
    let (session, report) = registry.resume(serde_json::from_str(&saved).unwrap()).await.unwrap();
    assert_eq!(report.groups, [("gone".to_owned(), "no more".to_owned())]);
    // Its build may succeed another time: the group and its tools are saved again.
    assert_eq!(report.pending, ["old"]);
    assert_eq!(session.snapshot().groups(), ["web", "gone"]);
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn), ["available_tools", "load_tools", "search_web"]);
    assert_eq!(text(&turn, call("1", "search_web")).await, "search_web ran");
}
