//! What `build()` refuses of sub-agents, with the place of each type, and what it warns of.

use tool_core::{AgentBuildError, ToolError, ToolGroup, ToolPattern};

use super::*;
use crate::support::hidden;

fn refused(types: impl IntoIterator<Item = SubAgent>) -> Vec<String> {
    let builder = Agent::builder(always_ok()).registry(registry());
    let error = types.into_iter().fold(builder, tool_core::AgentBuilder::sub_agent).build().unwrap_err();
    let AgentBuildError::SubAgents { types, tools } = &error else { panic!("{error}") };
    assert!(tools.is_none(), "{error}");
    let text = error.to_string();
    assert!(text.starts_with("the sub-agents cannot be built:\n  "), "{text}");
    types
        .iter()
        .map(|error| {
            let text = error.to_string();
            let (place, fault) = text.split_once(": ").unwrap();
            assert!(place.contains("building.rs:"), "{text}");
            fault.to_owned()
        })
        .collect()
}

#[test]
fn types_that_cannot_work_are_refused_all_at_once() {
    let group = |name: &'static str| {
        ToolGroup::lazy(name, "Some tools.", async |_: ToolContext| Ok::<_, ToolError>([echo()]))
    };
    let own = Registry::builder().tool(echo()).session_state::<String>().build().unwrap();
    let faults = refused([
        SubAgent::new(" ", "Blank."),
        SubAgent::new("padded ", "Padded."),
        SubAgent::new("silent", ""),
        SubAgent::new("twice", "One."),
        SubAgent::new("twice", "Two."),
        SubAgent::new("boss", "Delegates.").spawns(["nobody"]),
        SubAgent::new("poor", "Lacks a value.").registry(own),
        SubAgent::new("grouped", "Has bad groups.").group(group("web")).group(group("web")).group(group("")),
        SubAgent::new("stranded", "Finds nothing.").without_search(),
    ]);
    let expected = [
        "sub-agent ` `: its `name` is empty",
        "sub-agent ` `: its `name` begins or ends with white space, or has a control character",
        "sub-agent `padded `: its `name` begins or ends with white space, or has a control character",
        "sub-agent `silent`: its `description` is empty",
        "sub-agent `twice`: another sub-agent has its `name`",
        "sub-agent `boss`: it `spawns` `nobody`, which is no sub-agent of this agent",
    ];
    assert_eq!(faults[..6], expected);
    assert!(faults[6].contains("needs a session value of type `alloc::string::String`"), "{}", faults[6]);
    assert!(faults[7].contains("group `web`: another group has its `name`"), "{}", faults[7]);
    assert!(faults[7].contains("its `name` is empty"), "{}", faults[7]);
    assert!(
        faults[8].contains("tool `payment_processor` is deferred, but nothing can reveal it"),
        "{}",
        faults[8]
    );
    assert_eq!(faults.len(), 9);
}

#[test]
fn a_tool_of_that_name_is_an_error_and_another_name_helps() {
    let registry = || Registry::builder().tool(crate::support::eager("spawn")).build().unwrap();
    let build = |name: Option<&str>| {
        let builder =
            Agent::builder(always_ok()).registry(registry()).sub_agent(SubAgent::new("helper", "Helps."));
        match name {
            Some(name) => builder.spawn_name(name).build(),
            None => builder.build(),
        }
    };
    let text = build(None).unwrap_err().to_string();
    assert!(text.contains("two tools are called `spawn`") && text.contains("building.rs:"), "{text}");
    let agent = build(Some("delegate")).unwrap();
    assert!(agent.registry().definition("delegate").is_some());
    assert!(matches!(build(Some("a b")), Err(AgentBuildError::SpawnName(_))));
}

#[tokio::test]
async fn sessions_come_from_the_registry_of_the_agent() {
    let host = registry();
    let agent = agent_with(&always_ok(), host.clone(), [SubAgent::new("helper", "Helps.")]);
    let error = agent.conversation(host.session()).unwrap_err();
    assert!(error.to_string().contains("`agent.registry().session()`"), "{error}");
    assert!(agent.conversation(agent.registry().session()).is_ok());
    assert!(host.definition("spawn").is_none(), "the host's registry is as it was");

    let without = Agent::builder(always_ok()).registry(host.clone()).build().unwrap();
    assert!(without.conversation(host.session()).is_ok());
}

#[test]
fn what_is_hardly_meant_is_warned_of_with_the_type() {
    let pattern = ToolPattern::new("nothing_*").unwrap();
    let registry = Registry::builder()
        .tools([hidden("late_one", "Comes late."), hidden("later_one", "Comes later.")])
        .deny([ToolPattern::new("never").unwrap()])
        .build()
        .unwrap();
    let helper = SubAgent::new("helper", "Calls later_one.").deny([pattern]).instructions("Use `late_one`.");
    let agent = agent_with(&always_ok(), registry, [helper]);
    let warnings: Vec<_> = agent.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "sub-agent `helper`: `nothing_*` in deny or allow matches no tool",
            "sub-agent `helper`: the instructions name `late_one`, which is hidden until it is revealed",
            "the description of `spawn` names `later_one`, which is hidden until it is revealed",
        ],
        "and nothing that the registry says itself"
    );
}
