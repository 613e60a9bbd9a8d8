//! What `build()` refuses of toolsets with a source.

use std::time::Duration;

use tool_core::{DiscoveryTool, Registry, SkipReason, SourceSettings, ToolSearch, Toolset};

use super::{Fake, github};
use crate::support::{eager, names};

fn errors(toolsets: impl IntoIterator<Item = Toolset>) -> Vec<String> {
    let builder = toolsets.into_iter().fold(Registry::builder(), tool_core::RegistryBuilder::toolset);
    builder.build().unwrap_err().errors().iter().map(ToString::to_string).collect()
}

fn source(namespace: &'static str) -> Toolset {
    Toolset::new(namespace).source(Fake::named(&["a"]))
}

#[test]
fn tools_and_a_source_in_one_toolset_are_refused() {
    assert_eq!(
        errors([source("github").tool(eager("echo"))]),
        ["toolset `github`: it has both tools and a source: put the tools into a toolset of their own"]
    );
}

#[test]
fn two_sources_in_one_toolset_are_refused() {
    assert_eq!(
        errors([source("github").source(Fake::named(&["b"]))]),
        ["toolset `github`: it has more than one source: give each a toolset of its own"]
    );
}

#[test]
fn a_prefix_of_a_source_is_a_legal_name_and_never_empty() {
    assert_eq!(errors([source("github").prefix("")]), ["the prefix of toolset `github`: the name is empty"]);
    assert_eq!(errors([source("git hub")]).len(), 1, "the namespace is the prefix unless there is another");
    assert_eq!(errors([source("github").prefix("g".repeat(55))]).len(), 1, "it must be whole in every name");
    assert!(Registry::builder().toolset(source("git hub").prefix("git_hub")).build().is_ok());
    assert!(Registry::builder().toolset(source("github").prefix("g".repeat(54))).build().is_ok());
}

#[test]
fn prefixes_of_sources_that_can_make_the_same_names_are_refused() {
    let same = errors([source("github"), source("GitHub")]);
    assert_eq!(
        same,
        ["toolset `GitHub`: another source has the prefix `github` of its source: call `.prefix(…)`"]
    );
    for (first, second) in [("git", "git_hub"), ("Git_Hub", "git")] {
        assert_eq!(errors([source(first), source(second)]).len(), 1, "{first} and {second}");
    }
    for (first, second) in [("git", "github"), ("git", "git-hub")] {
        let builder = Registry::builder().toolset(source(first)).toolset(source(second));
        assert!(builder.build().is_ok(), "{first} and {second}");
    }
}

#[test]
fn a_time_out_of_zero_is_refused() {
    let settings = SourceSettings::new().call_timeout(Duration::ZERO);
    assert_eq!(errors([source("github").source_settings(settings)]).len(), 1);
}

#[test]
fn a_deferred_source_that_nothing_can_reveal_is_refused() {
    let error = github(&Fake::named(&["a"])).without_search().build().unwrap_err();
    assert!(
        error.to_string().contains("toolset `github`: its source is deferred, but nothing can reveal"),
        "{error}"
    );
    let eager = Toolset::new("github").always_available_source(Fake::named(&["a"]));
    assert!(Registry::builder().without_search().toolset(eager).build().is_ok());
    let own = source("github").search(ToolSearch::new());
    assert!(Registry::builder().without_search().toolset(own).build().is_ok());
}

#[tokio::test]
async fn all_faults_of_sources_are_told_at_once() {
    let both = source("a").tool(eager("echo"));
    let search = ToolSearch::search_then_load().top_k(0).name_of(DiscoveryTool::Load, "no name");
    let errors = errors([both, source("b").prefix("A"), source("c").search(search)]);
    assert_eq!(errors.len(), 4, "{errors:#?}");
}

#[tokio::test]
async fn discovery_tools_are_there_from_the_first_turn_if_a_source_is_declared() {
    let hanging = Fake::answering(super::Answer::Hangs);
    let session = github(&hanging).build().unwrap().session();
    assert_eq!(names(&session.turn().await.unwrap()), ["tool_search"]);

    let own = Toolset::new("github").source(hanging).search(ToolSearch::new());
    let session = Registry::builder().toolset(own).build().unwrap().session();
    assert_eq!(names(&session.turn().await.unwrap()), ["github_tool_search"]);
}

#[tokio::test]
async fn a_source_is_not_added_to_a_session_and_the_host_is_told() {
    let session = Registry::builder().build().unwrap().session();
    let added = session.add(Toolset::new("mine").source(Fake::named(&["read"])));
    assert_eq!(added.skipped.len(), 1);
    assert_eq!(added.skipped[0].name, "mine");
    assert!(
        matches!(&added.skipped[0].reason, SkipReason::Unusable { fault } if fault.contains("a source belongs to a registry"))
    );
    assert!(added.visible.is_empty() && added.deferred.is_empty());
}
