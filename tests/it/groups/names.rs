//! Names of loaded and added tools: appended, never shadowing, holders told.

use super::*;

#[tokio::test]
async fn a_taken_name_is_skipped_and_its_holder_named() {
    let fs = tool_core::Toolset::new("fs").tool(eager("list_dir"));
    let groups = [
        group("a", &["read_file", "list_dir", "load_tools", "mine", "mine"]),
        group("b", &["mine", "yours"]),
    ];
    let builder = groups.into_iter().fold(Registry::builder(), RegistryBuilder::group);
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
async fn what_was_added_to_the_session_keeps_its_name() {
    let session = session([group("web", &["mine", "plan", "yours"])]);
    let late =
        tool_core::Toolset::new("user").tools([eager("mine"), crate::support::hidden("plan", "A plan.")]);
    session.add(late);
    let text = answer(&session, load("1", "web")).await;
    assert_eq!(
        text, "Loaded 'web': yours.\nNot loaded, because the name is already taken: mine (by 'user').",
        "of the hidden one nothing is said"
    );
}

#[tokio::test]
async fn the_earlier_call_of_a_batch_keeps_a_name_whatever_finishes_first() {
    for calls in [["a", "b"], ["b", "a"]] {
        for finished in [["a", "b"], ["b", "a"]] {
            let (gates, builds) = (Gates::default(), Builds::default());
            let groups = [gated("a", &["shared"], &gates, &builds), gated("b", &["shared"], &gates, &builds)];
            let session = session(groups);
            let turn = session.turn().await.unwrap();
            let mut batch = Box::pin(turn.call_all([load("1", calls[0]), load("2", calls[1])]));
            for group in finished {
                assert!(poll_once(&mut batch).await.is_none());
                tokio::task::yield_now().await;
                assert_eq!(builds.count(), 2, "both build at once");
                gates.open(group);
                tokio::task::yield_now().await;
            }
            let results = batch.await.into_results();
            let [first, second] = calls;
            assert_eq!(results[0].text(), format!("Loaded '{first}': shared."), "{calls:?} {finished:?}");
            assert_eq!(
                results[1].text(),
                format!(
                    "Loaded '{second}': no new tools.\nNot loaded, because the name is already taken: shared (by '{first}')."
                )
            );
        }
    }
}

#[tokio::test]
async fn a_hidden_tool_that_holds_a_name_is_not_given_away() {
    let files = ToolGroup::linked("files", "Files.").tools([eager("erase_disk")]);
    let registry = Registry::builder()
        .tool(crate::support::hidden("wipe_disk", "Erases."))
        .group(files)
        .group(group("web", &["wipe_disk", "erase_disk", "search_web"]))
        .build()
        .unwrap();
    let session = registry.session();
    assert_eq!(answer(&session, load("1", "web")).await, "Loaded 'web': search_web.");
    // The host learns of both, and the model once it can see them.
    let host = registry.session();
    let GroupOutcome::Loaded(loaded) = host.load_group("web").await else { panic!("not loaded") };
    assert_eq!(loaded.skipped.len(), 2);
    let seeing = registry.session();
    seeing.reveal("wipe_disk");
    seeing.load_group("files").await;
    assert_eq!(
        answer(&seeing, load("2", "web")).await,
        "Loaded 'web': search_web.\nNot loaded, because the name is already taken: \
         wipe_disk (by the agent's own tools), erase_disk (by 'files')."
    );
}

#[tokio::test]
async fn a_load_of_the_host_asks_nobody_and_shares_the_build_of_the_model() {
    let (gates, builds) = (Gates::default(), Builds::default());
    let session = refusing(gated("web", &["search_web"], &gates, &builds)).session();
    let mut first = Box::pin(session.load_group("web"));
    let mut second = Box::pin(session.load_group("web"));
    assert!(poll_once(&mut first).await.is_none() && poll_once(&mut second).await.is_none());
    gates.open("web");
    assert!(matches!(first.await, GroupOutcome::Loaded(_)));
    assert_eq!(second.await, GroupOutcome::AlreadyLoaded);
    assert_eq!((builds.count(), session.loaded_groups()), (1, vec!["web".to_owned()]));
}
