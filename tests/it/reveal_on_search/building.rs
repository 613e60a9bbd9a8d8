//! What `build()` refuses of a registry with hidden tools.

use tool_core::{BuildError, Registry, ToolSearch, Toolset};

use crate::support::{builder, eager, hidden};

/// The messages, one a line, without the first.
fn errors(builder: tool_core::RegistryBuilder) -> Vec<String> {
    builder.build().unwrap_err().errors().iter().map(ToString::to_string).collect()
}

#[test]
fn a_deferred_tool_that_no_discovery_reaches_is_an_error_that_names_its_place() {
    let line = line!() + 1;
    let stranded = tool_core::FunctionTool::builder("stranded", "Nobody finds it.")
        .deferred()
        .handler(async |(): (), _: tool_core::ToolContext| "");
    let errors = errors(Registry::builder().tools([stranded, eager("echo")]).without_search());
    assert_eq!(errors.len(), 1, "{errors:?}");
    let expected = format!("{}:{line}: tool `stranded` is deferred, but nothing can reveal it: ", file!());
    assert!(errors[0].starts_with(&expected), "{errors:?}");
}

#[test]
fn a_name_that_is_visible_and_hidden_is_an_error_that_names_both_places() {
    let first = line!() + 1;
    let visible = tool_core::FunctionTool::builder("twice", "Visible.");
    let second = line!() + 1;
    let deferred = tool_core::FunctionTool::builder("twice", "Hidden.").deferred();
    let handler = async |(): (), _: tool_core::ToolContext| "";
    let errors = errors(
        Registry::builder()
            .tool(visible.handler(handler))
            .toolset(Toolset::new("b").tool(deferred.handler(handler))),
    );
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].contains("two tools are called `twice`"), "{errors:?}");
    for line in [first, second] {
        assert!(errors[0].contains(&format!("{}:{line}", file!())), "{errors:?}");
    }
}

#[test]
fn a_prefix_can_make_and_unmake_a_clash() {
    let git = || Toolset::new("git").prefix("git").tool(hidden("status", "S."));
    assert!(Registry::builder().toolset(git()).tool(eager("status")).build().is_ok());
    let errors = errors(Registry::builder().toolset(git()).tool(eager("git_status")));
    assert!(errors[0].contains("two tools are called `git_status`"), "{errors:?}");
}

#[test]
fn a_tool_called_like_the_search_tool_is_an_error_that_names_both_places() {
    let handler = async |(): (), _: tool_core::ToolContext| "";
    let first = line!() + 1;
    let mine = tool_core::FunctionTool::builder("find_tools", "Mine.").handler(handler);
    let second = line!() + 1;
    let search = ToolSearch::new().name("find_tools");
    let errors = errors(Registry::builder().tools([mine, hidden("secret", "S.")]).search(search));
    assert_eq!(errors.len(), 1, "{errors:?}");
    for line in [first, second] {
        assert!(errors[0].contains(&format!("{}:{line}", file!())), "{errors:?}");
    }
    assert!(errors[0].contains("`find_tools` is called like a discovery tool"), "{errors:?}");
}

#[test]
fn the_default_name_is_taken_too_but_only_where_the_search_tool_is_there() {
    assert!(Registry::builder().tool(eager("tool_search")).build().is_ok());
    let built = Registry::builder().tools([eager("tool_search"), hidden("secret", "S.")]).build();
    assert!(matches!(built.unwrap_err().errors(), [BuildError::ReservedName { .. }]));
}

#[test]
fn an_empty_description_of_the_search_tool_is_an_error_that_names_its_place() {
    for blank in ["", "  \n"] {
        let line = line!() + 1;
        let search = ToolSearch::new().description(blank);
        let errors = errors(Registry::builder().tool(hidden("secret", "S.")).search(search));
        assert_eq!(
            errors,
            [format!("{}:{line}: the search tool: the description of `tool_search` is empty", file!())]
        );
    }
}

#[test]
fn an_illegal_name_of_the_search_tool_is_an_error() {
    for name in ["", "with space", "größe", "9lives"] {
        let search = ToolSearch::new().name(name);
        let errors = errors(Registry::builder().tool(hidden("secret", "S.")).search(search));
        assert_eq!(errors.len(), 1, "{name}: {errors:?}");
        assert!(errors[0].contains("the search tool: the name"), "{errors:?}");
    }
}

#[test]
fn a_denied_search_tool_leaves_a_dead_end_and_is_an_error() {
    let pattern = tool_core::ToolPattern::new("tool_*").unwrap();
    let errors = errors(Registry::builder().tool(hidden("secret", "S.")).deny([pattern]));
    assert!(
        errors.iter().any(|error| error.contains("`secret` is deferred, but nothing can reveal it")),
        "{errors:?}"
    );
}

#[test]
fn a_denied_deferred_tool_strands_nobody() {
    let pattern = tool_core::ToolPattern::new("secret").unwrap();
    let registry = Registry::builder()
        .tools([hidden("secret", "S."), eager("echo")])
        .without_search()
        .deny([pattern])
        .build();
    assert!(registry.is_ok());
}

#[test]
fn an_own_discovery_tool_covers_everything() {
    let own = builder("catalogue", "Lists.")
        .kind(tool_core::ToolKind::Discovery)
        .handler(async |(): (), _: tool_core::ToolContext| "");
    assert!(Registry::builder().tools([own, hidden("secret", "S.")]).without_search().build().is_ok());
}
