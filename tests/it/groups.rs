//! Groups: `available_tools` and `load_tools`, builds that are shared and never stuck, names that are never shadowed.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use tokio::sync::Notify;
use tool_core::{FunctionTool, GroupOutcome, Registry, Session, ToolCall, ToolContext, ToolError, ToolGroup};

use crate::support::{builder, call, call_with, eager, names, poll_once, text, texts};

fn load(id: &str, name: &str) -> ToolCall {
    call_with(id, "load_tools", json!({ "name": name }))
}

fn group(name: &'static str, tools: &'static [&'static str]) -> ToolGroup {
    ToolGroup::lazy(name, format!("The group {name}."), async move |_: ToolContext| {
        Ok::<_, ToolError>(tools.iter().map(|tool| eager(tool)).collect::<Vec<FunctionTool>>())
    })
}

fn session(groups: impl IntoIterator<Item = ToolGroup>) -> Session {
    let builder = groups.into_iter().fold(Registry::builder(), tool_core::RegistryBuilder::group);
    builder.tool(eager("read_file")).build().unwrap().session()
}

async fn answer(session: &Session, call: ToolCall) -> String {
    text(&session.turn().await.unwrap(), call).await
}

#[test]
fn empty_padded_and_repeated_names_are_build_errors_that_name_the_setting() {
    let groups = [group("", &[]), group(" web", &[]), group("one", &[]), group("one", &[])];
    let builder = groups.into_iter().fold(Registry::builder(), tool_core::RegistryBuilder::group);
    let text = builder.build().unwrap_err().to_string();
    for part in ["its `name` is empty", "begins or ends with white space", "another group has its `name`"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test]
async fn the_model_lists_loads_and_calls() {
    let session = session([
        group("web", &["search_web", "read_page"]).guidance("Prefer search_web."),
        group("compute", &[]),
    ]);
    assert_eq!(
        answer(&session, call("1", "available_tools")).await,
        "web [loadable]: The group web.\ncompute [loadable]: The group compute."
    );
    assert_eq!(
        answer(&session, load("2", "web")).await,
        "Loaded 'web': search_web, read_page.\nPrefer search_web."
    );
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn), ["read_file", "available_tools", "load_tools", "search_web", "read_page"]);
    assert_eq!(text(&turn, call("3", "search_web")).await, "search_web ran");
    assert_eq!(answer(&session, load("4", "web")).await, "'web' is already loaded.");
    assert_eq!(answer(&session, load("5", "wbe")).await, "No tool group named 'wbe'. Loadable: compute.");
    assert_eq!(
        answer(&session, load("6", "compute")).await,
        "Loaded 'compute': it provides no tools right now."
    );
    assert_eq!(
        answer(&session, load("7", "wbe")).await,
        "No tool group named 'wbe'. Everything available is already in your tools."
    );
    let filtered = call_with("8", "available_tools", json!({"filter": "READ_PAGE"}));
    assert_eq!(answer(&session, filtered).await, "web [loaded]: The group web.");
    let nothing = call_with("9", "available_tools", json!({"filter": "zz"}));
    assert_eq!(
        answer(&session, nothing).await,
        "No tool group matches 'zz'. Call available_tools with no filter to see them all."
    );
    assert_eq!(session.loaded_groups(), ["web", "compute"]);
}

#[tokio::test]
async fn an_unloaded_call_is_refused_and_the_refusal_names_the_two_tools() {
    let session = session([group("web", &["search_web"])]);
    assert_eq!(
        answer(&session, call("1", "search_web")).await,
        "Tool 'search_web' is not in your current tool list. Call available_tools to see groups, then load_tools."
    );
}

#[tokio::test]
async fn resident_groups_have_neither_tool_and_say_so_beside_others() {
    let memory = || ToolGroup::resident("memory", "Notes.").tools([eager("note")]);
    let alone = Registry::builder().group(memory()).build().unwrap().session();
    assert_eq!(names(&alone.turn().await.unwrap()), ["note"]);
    let session = session([memory(), group("web", &[])]);
    assert_eq!(
        answer(&session, load("1", "memory")).await,
        "'memory' is resident: its tools are already in your tool list."
    );
}

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
async fn a_taken_name_is_skipped_and_its_holder_named() {
    let fs = tool_core::Toolset::new("fs").tool(eager("list_dir"));
    let groups = [
        group("a", &["read_file", "list_dir", "load_tools", "mine", "mine"]),
        group("b", &["mine", "yours"]),
    ];
    let builder = groups.into_iter().fold(Registry::builder(), tool_core::RegistryBuilder::group);
    let session = builder.toolset(fs).tool(eager("read_file")).build().unwrap().session();
    let turn = session.turn().await.unwrap();
    let both = texts(&turn, [load("1", "a"), load("2", "b")]).await;
    assert_eq!(
        both[0],
        "Loaded 'a': mine.\nNot loaded, because the name is already taken: read_file (by the agent's own tools), \
         list_dir (by 'fs'), load_tools (by the agent's own tools), mine (by 'a')."
    );
    assert_eq!(both[1], "Loaded 'b': yours.\nNot loaded, because the name is already taken: mine (by 'a').");
}

#[tokio::test]
async fn the_host_loads_with_a_typed_outcome_and_two_sessions_load_independently() {
    let registry = Registry::builder().group(group("web", &["search_web"])).build().unwrap();
    let (first, second) = (registry.session(), registry.session());
    let GroupOutcome::Loaded(loaded) = first.load_group("web").await else { panic!("not loaded") };
    assert_eq!(loaded.tools, ["search_web"]);
    assert_eq!(first.load_group("web").await, GroupOutcome::AlreadyLoaded);
    assert_eq!(first.load_group("none").await, GroupOutcome::NotFound);
    assert!(second.loaded_groups().is_empty());
    assert_eq!(names(&second.turn().await.unwrap()), ["available_tools", "load_tools"]);
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
    assert_eq!(report.missing, ["old"]);
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn), ["available_tools", "load_tools", "search_web"]);
    assert_eq!(text(&turn, call("1", "search_web")).await, "search_web ran");
}

#[tokio::test]
async fn wrong_arguments_are_answers() {
    let session = session([group("web", &[])]);
    assert_eq!(answer(&session, call("1", "load_tools")).await, "missing argument `name`");
    let number = call_with("2", "load_tools", json!({"name": 3}));
    assert_eq!(answer(&session, number).await, "Invalid 'name': must be a string.");
    let broken = ToolCall::new("3", "available_tools", "{");
    assert!(answer(&session, broken).await.starts_with("Invalid JSON input: "));
}

#[tokio::test]
async fn tools_of_one_session_are_appended_found_and_never_shadow() {
    let registry = Registry::builder().tool(eager("read_file")).build().unwrap();
    let session = registry.session();
    let late = tool_core::Toolset::new("user")
        .prefix("user")
        .tool(eager("hello"))
        .tool(builder("secret_plan", "A plan.").deferred().handler(async |(): (), _: ToolContext| "planned"));
    let added = session.add(late);
    assert_eq!(added.visible, ["tool_search", "user_hello"]);
    assert_eq!(added.deferred, ["user_secret_plan"]);
    let turn = session.turn().await.unwrap();
    assert_eq!(names(&turn), ["read_file", "tool_search", "user_hello"]);
    texts(&turn, [crate::support::search("1", "plan")]).await;
    assert_eq!(answer(&session, call("2", "user_secret_plan")).await, "planned");
    let again = session.add(tool_core::Toolset::new("other").tool(eager("read_file")));
    assert_eq!(again.skipped.len(), 1);
    assert!(registry.session().revealed().is_empty());
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
async fn a_load_names_only_what_the_next_list_has() {
    fn never(_: &ToolContext) -> bool {
        false
    }
    let web = ToolGroup::lazy("web", "Web.", async |_| {
        let off = builder("off", "Off.").enabled(never).handler(async |(): (), _: ToolContext| "ran");
        Ok::<_, ToolError>([off, eager("read_page")])
    });
    let session = session([web]);
    assert_eq!(answer(&session, load("1", "web")).await, "Loaded 'web': read_page.");
    // A tool of a group in another spelling is suggested like any listed one.
    let refusal = answer(&session, call("2", "Read-Page")).await;
    assert!(refusal.ends_with(" Did you mean 'read_page'?"), "{refusal}");
}
