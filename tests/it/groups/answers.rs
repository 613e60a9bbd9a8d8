//! What the two tools answer.

use super::*;

#[test]
fn empty_padded_and_repeated_names_are_build_errors_that_name_the_setting() {
    let groups = [group("", &[]), group(" web", &[]), group("one", &[]), group("one", &[])];
    let builder = groups.into_iter().fold(Registry::builder(), RegistryBuilder::group);
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
async fn wrong_arguments_are_answers() {
    let session = session([group("web", &[])]);
    assert_eq!(answer(&session, call("1", "load_tools")).await, "missing argument `name`");
    let number = call_with("2", "load_tools", json!({"name": 3}));
    assert_eq!(answer(&session, number).await, "Invalid 'name': must be a string.");
    let broken = ToolCall::new("3", "available_tools", "{");
    assert!(answer(&session, broken).await.starts_with("Invalid JSON input: "));
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

#[tokio::test]
async fn the_listing_has_each_group_with_its_state_in_the_given_order() {
    let memory = ToolGroup::resident("memory", "Notes\nto keep.").tools([eager("note")]);
    let session = session([group("zoo", &["feed"]), memory, group("ant", &[])]);
    answer(&session, load("1", "zoo")).await;
    assert_eq!(
        answer(&session, call("2", "available_tools")).await,
        "zoo [loaded]: The group zoo.\nmemory [resident]: Notes to keep.\nant [loadable]: The group ant."
    );
}

#[tokio::test]
async fn the_filter_matches_names_descriptions_and_tools_that_are_known_in_any_case() {
    let memory = ToolGroup::resident("memory", "Notes to keep.").tools([eager("remember_it")]);
    let files = ToolGroup::linked("files", "On disk.").tools([eager("open_file")]);
    let session = session([group("web", &["read_page"]), memory, files]);
    let shown = async |filter: &str| {
        let listing = answer(&session, call_with("1", "available_tools", json!({ "filter": filter }))).await;
        listing.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(shown("").await, ["web", "memory", "files"]);
    assert_eq!(shown(" WEB ").await, ["web"]);
    assert_eq!(shown("to KEEP").await, ["memory"]);
    assert_eq!(shown("Remember_It").await, ["memory"], "resident");
    assert_eq!(shown("open_").await, ["files"], "declared");
    assert_eq!(shown("read_page").await, ["No"], "not built yet");
    answer(&session, load("2", "web")).await;
    assert_eq!(shown("read_page").await, ["web"], "loaded");
}

#[tokio::test]
async fn a_long_listing_has_whole_lines_then_names_then_a_count() {
    let name = |number: usize| format!("group_{number:03}_{}", "x".repeat(50));
    let groups = (0..400).map(|number| {
        ToolGroup::lazy(name(number), "d".repeat(100), async |_: ToolContext| {
            Ok::<_, ToolError>(Vec::<FunctionTool>::new())
        })
    });
    let listing = answer(&session(groups), call("1", "available_tools")).await;
    assert!(listing.len() < 17 * 1024, "{} bytes", listing.len());
    let lines: Vec<&str> = listing.lines().collect();
    let [whole @ .., rest, count] = lines.as_slice() else { panic!("{listing}") };
    for (number, line) in whole.iter().enumerate() {
        assert_eq!(*line, format!("{} [loadable]: {}", name(number), "d".repeat(100)));
    }
    let names: Vec<&str> = rest.split(", ").collect();
    let expected: Vec<_> = (whole.len()..whole.len() + names.len()).map(name).collect();
    assert_eq!(names, expected);
    assert_eq!(*count, format!("and {} more", 400 - whole.len() - names.len()));
}

#[tokio::test]
async fn the_error_of_a_build_is_one_line_of_at_most_300_characters() {
    let failing = ToolGroup::lazy("web", "Web.", async |_: ToolContext| {
        Err::<Vec<FunctionTool>, _>(ToolError::new(format!("no\nnetwork{}", "ä".repeat(400))))
    });
    let text = answer(&session([failing]), load("1", "web")).await;
    let error = text.strip_prefix("Could not load 'web': no network").unwrap();
    assert_eq!(text.strip_prefix("Could not load 'web': ").unwrap().chars().count(), 300);
    assert!(error.trim_end_matches('…').chars().all(|c| c == 'ä') && error.ends_with('…'), "{error}");
}

#[tokio::test]
async fn a_group_without_a_new_tool_says_so() {
    let session = session([group("web", &["read_file"])]);
    assert_eq!(
        answer(&session, load("1", "web")).await,
        "Loaded 'web': no new tools.\nNot loaded, because the name is already taken: read_file (by the agent's own tools)."
    );
    assert_eq!(session.loaded_groups(), ["web"]);
}

#[tokio::test]
async fn a_load_that_is_not_approved_builds_nothing() {
    let (gates, builds) = (Gates::default(), Builds::default());
    let session = refusing(gated("web", &["search_web"], &gates, &builds)).session();
    assert_eq!(
        answer(&session, load("1", "web")).await,
        "Tool 'load_tools' was not approved: not in this project"
    );
    tokio::task::yield_now().await;
    assert_eq!(builds.count(), 0);
    assert!(session.loaded_groups().is_empty());
    assert_eq!(answer(&session, call("2", "available_tools")).await, "web [loadable]: The group web.");
}

#[tokio::test]
async fn wrong_arguments_of_either_tool_leave_the_batch_going() {
    let session = session([group("web", &["search_web"])]);
    let turn = session.turn().await.unwrap();
    let calls = [
        call_with("1", "load_tools", json!({"name": ["web"]})),
        call_with("2", "load_tools", json!({"name": "web", "all": true})),
        call_with("3", "available_tools", json!({"filter": 7})),
        call_with("4", "available_tools", json!([])),
        ToolCall::new("5", "load_tools", "web"),
        call("6", "read_file"),
        load("7", "web"),
    ];
    let answers = texts(&turn, calls).await;
    assert_eq!(answers[0], "Invalid 'name': must be a string.");
    assert_eq!(answers[1], "unknown argument `all`; expected `name`");
    assert_eq!(answers[2], "Invalid 'filter': must be a string.");
    assert_eq!(answers[3], "the arguments must be a JSON object");
    assert!(answers[4].starts_with("Invalid JSON input: "), "{}", answers[4]);
    assert_eq!(answers[5..], ["read_file ran", "Loaded 'web': search_web."]);
}

#[tokio::test]
async fn a_note_stands_behind_the_description_in_the_listing() {
    let session = session([group("web", &[]).note("One request a second."), group("disk", &[])]);
    assert_eq!(
        answer(&session, call("1", "available_tools")).await,
        "web [loadable]: The group web. One request a second.\ndisk [loadable]: The group disk."
    );
}
