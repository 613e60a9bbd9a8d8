//! What `build()` and `check()` refuse and warn of: the texts, with the places of the declarations, several at once.

use tool_core::{
    Arguments, BuildError, FunctionTool, Registry, RegistryBuilder, ToolContext, ToolPattern, ToolSearch,
    Toolset, Warning, function_tool, tools,
};

use crate::support::{builder, eager, hidden, names};

/// Repeats a message.
#[function_tool]
fn repeat_it(msg: &str) -> String {
    msg.to_owned()
}

/// Asks first.
#[function_tool(requires_approval)]
fn wire_money() {}

/// Loads with others.
#[function_tool(group = "web")]
fn open_page() {}

/// Takes a number as all its arguments, which no provider can send.
#[function_tool]
fn numeric(#[args] number: Number) -> u64 {
    number.0
}

#[derive(Clone, Copy, serde::Deserialize, schemars::JsonSchema)]
#[serde(transparent)]
struct Number(u64);

fn texts(builder: RegistryBuilder) -> Vec<String> {
    builder.build().unwrap_err().errors().iter().map(ToString::to_string).collect()
}

/// The only error.
fn text(builder: RegistryBuilder) -> String {
    let texts = texts(builder);
    assert_eq!(texts.len(), 1, "{texts:?}");
    texts.into_iter().next().unwrap()
}

fn at(line: u32) -> String {
    format!("{}:{line}: ", file!())
}

/// A tool that is declared in the line before `line`.
fn tool(builder: tool_core::FunctionToolBuilder) -> FunctionTool {
    builder.handler(async |(): (), _: ToolContext| "")
}

fn pattern(pattern: &str) -> [ToolPattern; 1] {
    [ToolPattern::new(pattern).unwrap()]
}

#[test]
fn a_tool_without_a_legal_name() {
    for (name, fault) in [
        ("", "the name is empty"),
        ("größe", "the name `größe` has the character 'ö'; names match [A-Za-z_][A-Za-z0-9_-]*"),
        ("9lives", "the name `9lives` has the character '9'; names match [A-Za-z_][A-Za-z0-9_-]*"),
        ("a b", "the name `a b` has the character ' '; names match [A-Za-z_][A-Za-z0-9_-]*"),
        (&"x".repeat(65), "has 65 characters; at most 64 are allowed"),
    ] {
        let line = line!() + 1;
        let nameless = FunctionTool::builder(name.to_owned(), "Described.");
        let text = text(Registry::builder().tool(tool(nameless)));
        assert!(text.starts_with(&at(line)) && text.contains(fault), "{text}");
    }
}

#[test]
fn a_tool_without_a_description() {
    for blank in ["", " \n\t"] {
        let line = line!() + 1;
        let silent = FunctionTool::builder("silent", blank);
        assert_eq!(
            text(Registry::builder().tool(tool(silent))),
            format!("{}tool `silent`: the description is empty", at(line))
        );
    }
}

#[test]
fn a_schema_from_outside_that_is_no_object_schema() {
    for (schema, fault) in [
        ("[]", "the root of the schema must be an object schema, but it is an array"),
        (
            r#"{"type":"string"}"#,
            "the root of the schema must be an object schema, but its type is \"string\"",
        ),
        ("{}", "the root of the schema must be an object schema, but it has no type"),
        ("{", "the schema is not JSON: "),
    ] {
        let raw = builder("raw", "Raw.").raw(schema, async |_: Arguments, _: ToolContext| "");
        let text = text(Registry::builder().tool(raw));
        assert!(text.contains(&format!("tool `raw`: {fault}")), "{text}");
    }
}

#[test]
fn a_prefix_that_makes_a_name_too_long() {
    let line = line!() + 1;
    let long = FunctionTool::builder("x".repeat(60), "Long.");
    let text = text(Registry::builder().toolset(Toolset::new("box").prefix("boxes").tool(tool(long))));
    let expected = format!("{}tool `{}` with the prefix `boxes`: ", at(line), "x".repeat(60));
    assert!(text.starts_with(&expected) && text.contains("has 66 characters; at most 64"), "{text}");
}

#[test]
fn a_prefix_that_no_name_can_begin_with_is_told_once() {
    for prefix in ["", "9", "a b"] {
        let toolset = Toolset::new("box").prefix(prefix).tools([eager("one"), eager("other")]);
        let text = text(Registry::builder().toolset(toolset));
        assert!(text.starts_with("the prefix of toolset `box`: the name"), "{text}");
    }
}

#[test]
fn two_tools_of_one_name() {
    let first = line!() + 1;
    let one = tool(FunctionTool::builder("same", "One."));
    let second = line!() + 1;
    let other = tool(FunctionTool::builder("same", "Other."));
    let text = text(Registry::builder().tools([one, other]));
    assert!(text.contains("two tools are called `same`"), "{text}");
    assert!(text.contains(&format!("{}:{first}", file!())) && text.contains(&at(second)), "{text}");
}

#[test]
fn a_denied_tool_keeps_its_name() {
    let text = text(
        Registry::builder()
            .toolset(Toolset::new("a").tool(eager("same")).deny(pattern("same")))
            .toolset(Toolset::new("b").tool(eager("same"))),
    );
    assert!(text.contains("two tools are called `same`"), "{text}");
}

#[test]
fn one_annotated_tool_in_two_lists() {
    let line = repeat_it::TOOL.location().line;
    let twice = Registry::builder()
        .tools(tools![repeat_it])
        .toolset(Toolset::new("other").prefix("other").tools(tools![repeat_it]));
    assert_eq!(
        text(twice),
        format!(
            "{}tool `repeat_it` is registered twice: in toolset `default` and in toolset `other`",
            at(line)
        )
    );
    let in_one_list = text(Registry::builder().tool(repeat_it::TOOL).tool(repeat_it::TOOL));
    assert!(in_one_list.contains("in toolset `default` and in toolset `default`"), "{in_one_list}");
}

#[test]
fn two_toolsets_of_one_namespace_or_a_blank_one() {
    let text = text(Registry::builder().toolset(Toolset::new("box")).toolset(Toolset::new("box")));
    assert_eq!(text, "two toolsets have the namespace `box`; each needs its own");
    let text = self::text(Registry::builder().toolset(Toolset::new("default")));
    assert_eq!(text, "two toolsets have the namespace `default`; each needs its own");
    let text = self::text(Registry::builder().toolset(Toolset::new(" ")));
    assert_eq!(text, "a toolset has a blank namespace; `Toolset::new` needs a name");
}

#[test]
fn a_group_that_the_registry_does_not_have() {
    let line = open_page::TOOL.location().line;
    let text = text(Registry::builder().tools(tools![open_page]));
    assert!(text.starts_with(&format!("{}tool `open_page` is in the group `web`", at(line))), "{text}");
}

#[test]
fn approval_that_nobody_can_give() {
    let line = wire_money::TOOL.location().line;
    assert_eq!(
        text(Registry::builder().tools(tools![wire_money])),
        format!("{}tool `wire_money` requires approval, but the registry has no approval policy", at(line))
    );
}

#[test]
fn everything_that_cannot_work_is_told_at_once() {
    let builder = Registry::builder()
        .tool(tool(builder("größe", "Size.")))
        .tool(tool(builder("silent", "")))
        .tools(tools![wire_money, open_page])
        .tools([eager("same"), eager("same")])
        .toolset(Toolset::new("").tool(hidden("lost", "Nobody finds it.")))
        .state(1u8)
        .state(2u8)
        .without_search();
    let errors = builder.build().unwrap_err();
    let all = errors.to_string();
    assert!(all.starts_with("the registry cannot be built:\n  "), "{all}");
    for part in [
        "größe",
        "tool `silent`: the description is empty",
        "`wire_money` requires approval",
        "`open_page` is in the group `web`",
        "two tools are called `same`",
        "a toolset has a blank namespace",
        "tool `lost` is deferred, but nothing can reveal it",
        "two host values have the type `u8`",
    ] {
        assert_eq!(all.matches(part).count(), 1, "{part} in {all}");
    }
    assert_eq!(errors.errors().len(), 8, "{all}");
    assert_eq!(all.lines().count(), 9, "one line each: {all}");
    assert!(std::error::Error::source(&errors).is_none());
}

#[test]
fn errors_can_be_told_apart() {
    let errors = Registry::builder().tool(hidden("lost", "L.")).without_search().build().unwrap_err();
    assert!(matches!(errors.errors(), [BuildError::Undiscoverable { tool, .. }] if *tool == "lost"));
}

#[test]
fn entries_that_match_nothing_are_warnings() {
    let registry = Registry::builder()
        .tools(tools![repeat_it])
        .tools([eager("git_status"), eager("git_log")])
        .toolset(Toolset::new("box").tool(eager("one")).deny(pattern("two*")))
        .deny(pattern("git_*"))
        .deny(pattern("svn_*"))
        .deny([wire_money::TOOL])
        .build()
        .unwrap();
    let warnings: Vec<_> = registry.warnings().iter().map(ToString::to_string).collect();
    let line = wire_money::TOOL.location().line;
    assert_eq!(
        warnings,
        [
            "`two*` in deny or allow matches no tool".to_owned(),
            "`svn_*` in deny or allow matches no tool".to_owned(),
            format!("`wire_money::TOOL ({}:{line})` in deny or allow matches no tool", file!()),
        ]
    );
    assert!(matches!(registry.warnings()[0], Warning::UnmatchedSelector { .. }));
}

#[test]
fn a_registry_as_meant_has_no_warnings() {
    let registry = Registry::builder()
        .tools([eager("git_log"), hidden("git_blame", "Who?")])
        .deny(pattern("git_l*"))
        .build();
    assert!(registry.unwrap().warnings().is_empty());
}

#[tokio::test]
async fn deny_by_handle_holds_under_any_prefix() {
    let registry = Registry::builder()
        .toolset(Toolset::new("box").prefix("box").tools(tools![repeat_it]).tool(eager("one")))
        .deny([repeat_it::TOOL])
        .build()
        .unwrap();
    assert_eq!(names(&registry.session().turn().await.unwrap()), ["box_one"]);
    assert!(registry.definition("box_repeat_it").is_none());
    assert_eq!(registry.definitions().len(), 1);
}

#[tokio::test]
async fn patterns_are_over_names_with_their_prefix() {
    let registry = || {
        Registry::builder()
            .tools([eager("status"), eager("git_local")])
            .toolset(Toolset::new("git").prefix("git").tools([eager("status"), eager("log")]))
    };
    let listed =
        async |builder: RegistryBuilder| names(&builder.build().unwrap().session().turn().await.unwrap());
    assert_eq!(listed(registry().deny(pattern("git_*"))).await, ["status"]);
    assert_eq!(listed(registry().deny(pattern("status"))).await, ["git_local", "git_log", "git_status"]);
    assert_eq!(listed(registry().deny(pattern("*status"))).await, ["git_local", "git_log"]);
    assert_eq!(listed(registry().allow(pattern("git_*"))).await, ["git_local", "git_log", "git_status"]);
    assert_eq!(listed(registry().deny(pattern("*"))).await, [""; 0]);
}

#[tokio::test]
async fn deny_wins_and_all_lists_only_narrow() {
    let registry = Registry::builder()
        .toolset(
            Toolset::new("git")
                .prefix("git")
                .tools([eager("status"), eager("log"), eager("push")])
                .allow(pattern("git_*"))
                .deny(pattern("git_push")),
        )
        .tool(eager("other"))
        .allow(pattern("*_status"))
        .allow(pattern("*_push"))
        .deny(pattern("nothing_*"))
        .build()
        .unwrap();
    assert_eq!(names(&registry.session().turn().await.unwrap()), ["git_status"]);
}

#[tokio::test]
async fn allow_leaves_the_search_tool_there() {
    let registry = Registry::builder()
        .tools([eager("other"), hidden("secret", "S.")])
        .allow(pattern("secret"))
        .build()
        .unwrap();
    assert_eq!(names(&registry.session().turn().await.unwrap()), ["tool_search"]);
}

#[test]
fn patterns_that_no_name_can_match_are_refused() {
    for bad in ["", "a b", "größe", "a?", "a.b"] {
        let error = ToolPattern::new(bad).unwrap_err();
        assert!(error.to_string().starts_with(&format!("`{bad}` is not a pattern of tool names")), "{error}");
    }
}

#[test]
fn check_makes_every_schema_and_names_what_has_none() {
    let registry = Registry::builder()
        .tools(tools![numeric, repeat_it])
        .tool(builder("by_hand", "H.").deferred().handler(async |_: Number, _: ToolContext| ""))
        .build()
        .unwrap();
    let errors = registry.check().unwrap_err();
    let texts: Vec<_> = errors.errors().iter().map(ToString::to_string).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    let line = numeric::TOOL.location().line;
    assert!(
        texts[0].contains("tool `by_hand`: the root of the schema must be an object schema"),
        "{texts:?}"
    );
    assert!(
        texts[1].starts_with(&format!("{}tool `numeric`: the root of the schema", at(line))),
        "{texts:?}"
    );
    assert!(errors.to_string().starts_with("some tools cannot be offered:\n  "), "{errors}");
}

#[tokio::test]
async fn a_tool_without_a_schema_is_left_out_of_every_list_with_an_event() {
    let log = crate::support::Log::default();
    let registry = Registry::builder().tools(tools![numeric, repeat_it]).events(log.clone()).build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    assert_eq!(names(&turn), ["repeat_it"]);
    let left_out = log
        .all()
        .into_iter()
        .any(|event| matches!(event, tool_core::SessionEvent::LeftOut { tool, .. } if tool == "numeric"));
    assert!(left_out, "{:?}", log.all());
    let text = crate::support::text(&turn, crate::support::call("1", "numeric")).await;
    assert_eq!(text, "Tool 'numeric' is not in your current tool list.");
}

#[test]
fn check_of_sound_tools_is_silent() {
    let registry = Registry::builder()
        .tools(tools![repeat_it])
        .tool(hidden("secret", "S."))
        .search(ToolSearch::new())
        .build()
        .unwrap();
    registry.check().unwrap();
}
