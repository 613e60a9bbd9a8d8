//! Discovery that is denied or switched off: refused by `build()`, and at run time what is hidden stays hidden.

use serde_json::json;
use tool_core::{
    Agent, ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, BuildError, ModelReply,
    Registry, RegistryBuilder, ScriptedModel, Session, StopReason, ToolContext, ToolGroup, ToolKind,
    ToolPattern, ToolSearch, TurnStop,
};

use crate::support::{Runs, builder, call, call_with, eager, hidden, names, text};

fn denying(name: &str, builder: RegistryBuilder) -> RegistryBuilder {
    builder.deny([ToolPattern::new(name).unwrap()])
}

/// Gitlawb/zero#147, #148: with the search tool denied the model had neither tools nor a way to them.
#[test]
fn a_denied_tool_of_any_way_to_hidden_tools_is_a_build_error() {
    let base = |search| Registry::builder().tools([hidden("secret", "S."), eager("echo")]).search(search);
    for (search, needed) in [
        (ToolSearch::new(), vec!["tool_search"]),
        (ToolSearch::search_then_load(), vec!["search_tools", "load_tool"]),
        (ToolSearch::bridge(), vec!["tool_search", "tool_call"]),
    ] {
        for name in needed {
            let errors = denying(name, base(search.clone())).build().unwrap_err();
            let [BuildError::Undiscoverable { tool, .. }] = errors.errors() else {
                panic!("{name}: {errors}")
            };
            assert_eq!(*tool, "secret", "{name}");
        }
    }
    // What only makes room is not needed.
    for name in ["unload_tool", "clear_loaded_tools"] {
        assert!(denying(name, base(ToolSearch::search_then_load())).build().is_ok(), "{name}");
    }
    let all_denied = denying("tool_search", denying("secret", base(ToolSearch::new())));
    assert!(all_denied.build().is_ok(), "nothing is hidden");
}

#[test]
fn a_group_that_nothing_can_load_is_a_build_error_that_names_it() {
    let group = || ToolGroup::linked("web", "Web.").tools([eager("read_page")]);
    let errors = denying("load_tools", Registry::builder().group(group())).build().unwrap_err();
    let [BuildError::Group { group: name, fault, .. }] = errors.errors() else { panic!("{errors}") };
    assert_eq!((name.as_str(), fault.as_str()), ("web", "nothing can load it: `load_tools` is denied"));
    // The list of groups is no way in; a discovery tool of the host is one.
    assert!(denying("available_tools", Registry::builder().group(group())).build().is_ok());
    let own = builder("open_web", "Opens.").kind(ToolKind::Discovery);
    let own = own.handler(async |(): (), _: ToolContext| "");
    assert!(denying("load_tools", Registry::builder().group(group()).tool(own)).build().is_ok());
    let resident = ToolGroup::resident("memory", "Memory.").tools([eager("note")]);
    assert!(denying("load_tools", Registry::builder().group(resident)).build().is_ok());
}

/// Refuses whatever it is asked about.
struct Refuse;

impl ApprovalPolicy for Refuse {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(std::future::ready(ApprovalDecision::deny("not now")))
    }
}

async fn assert_hidden(session: &Session, runs: &Runs) {
    let turn = session.turn().await.unwrap();
    assert!(!names(&turn).contains(&"secret".to_owned()), "{turn:?}");
    let refused = text(&turn, call("1", "secret")).await;
    assert!(refused.starts_with("Tool 'secret' is not in your current tool list."), "{refused}");
    assert!(runs.all().is_empty());
}

#[tokio::test]
async fn what_a_refused_discovery_tool_would_reveal_stays_hidden() {
    for (mode, tool, arguments) in [
        (ToolSearch::new(), "tool_search", json!({"query": "secret"})),
        (ToolSearch::search_then_load(), "load_tool", json!({"tool_name": "secret"})),
    ] {
        let runs = Runs::default();
        let registry = Registry::builder()
            .tool(runs.hidden("secret", "A secret."))
            .search(mode)
            .approval(Refuse)
            .require_approval([ToolPattern::new(tool).unwrap()])
            .build()
            .unwrap();
        let session = registry.session();
        for _ in 0..2 {
            let turn = session.turn().await.unwrap();
            let answer = text(&turn, call_with("1", tool, arguments.clone())).await;
            assert_eq!(answer, format!("Tool '{tool}' was not approved: not now"));
            assert_hidden(&session, &runs).await;
        }
    }
}

#[tokio::test]
async fn a_discovery_tool_that_is_switched_off_leaves_hidden_what_it_would_reveal() {
    struct On(std::sync::atomic::AtomicBool);
    fn is_on(context: &ToolContext) -> bool {
        context.get::<On>().unwrap().0.load(std::sync::atomic::Ordering::SeqCst)
    }
    let runs = Runs::default();
    let own = builder("show", "Shows.").kind(ToolKind::Discovery).enabled(is_on);
    let own = own.handler(async |(): (), context: ToolContext| {
        context.operations().unwrap().reveal("secret");
    });
    let on = std::sync::Arc::new(On(false.into()));
    let registry = Registry::builder()
        .tools([runs.hidden("secret", "A secret."), own])
        .without_search()
        .state_arc(std::sync::Arc::clone(&on))
        .build()
        .unwrap();
    let session = registry.session();
    assert!(names(&session.turn().await.unwrap()).is_empty());
    assert_hidden(&session, &runs).await;
    let refused = text(&session.turn().await.unwrap(), call("1", "show")).await;
    assert_eq!(
        refused, "Tool 'show' is not in your current tool list.",
        "no way is named that is not listed"
    );
    on.0.store(true, std::sync::atomic::Ordering::SeqCst);
    text(&session.turn().await.unwrap(), call("2", "show")).await;
    assert_eq!(text(&session.turn().await.unwrap(), call("3", "secret")).await, "secret ran");
}

/// microsoft/semantic-kernel#12177, openai/openai-agents-js#1518: an unknown tool was an endless loop, or the end of the
/// session.
#[tokio::test]
async fn calls_of_unknown_tools_are_results_and_end_the_run_only_after_a_limit() {
    let agent = |model: &ScriptedModel| {
        let registry = Registry::builder().tools([eager("echo"), hidden("secret", "S.")]).build().unwrap();
        Agent::builder(model.clone()).registry(registry).build().unwrap()
    };
    let model = ScriptedModel::new([
        ModelReply::calls([call("1", "made_up"), call("2", "secret")]),
        ModelReply::calls([call("3", "echo")]),
        ModelReply::text("Done."),
    ]);
    assert!(matches!(agent(&model).run("Go").await.unwrap().stop_reason, StopReason::Answered));
    let stubborn = ScriptedModel::answering(|_| Ok(ModelReply::calls([call("1", "made_up")])));
    let result = agent(&stubborn).run("Go").await.unwrap();
    assert!(matches!(result.stop_reason, StopReason::NoProgress(TurnStop::Refused)), "{result:?}");
    assert_eq!(stubborn.requests().len(), 6);
}
