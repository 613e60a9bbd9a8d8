//! Host values: per registry, per session, behind traits, computed; and what happens where one is missing.
#![allow(clippy::needless_pass_by_value, reason = "parameters are what is tested")]

use std::sync::Arc;

use tool_core::{
    FromContext, Registry, RegistryBuilder, Requirements, Session, ToolCall, ToolContext, ToolError,
    ToolErrorKind, ToolRef, TurnError, function_tool, tools,
};

use crate::support::{WAYS, builder, call, text};

#[derive(Debug, Clone, PartialEq)]
struct Gateway(&'static str);

#[derive(Debug, Clone, PartialEq)]
struct Tenant(&'static str);

trait Clock: Send + Sync {
    fn hour(&self) -> u32;
}

struct Noon;

impl Clock for Noon {
    fn hour(&self) -> u32 {
        12
    }
}

struct Night;

impl Clock for Night {
    fn hour(&self) -> u32 {
        3
    }
}

/// Borrows.
#[function_tool]
fn borrowed(#[context] gateway: &Gateway) -> &'static str {
    gateway.0
}

/// Owns.
#[function_tool]
fn owned(#[context] gateway: Arc<Gateway>) -> &'static str {
    gateway.0
}

/// Borrows on the blocking pool.
#[function_tool(blocking)]
fn borrowed_blocking(#[context] gateway: &Gateway) -> &'static str {
    gateway.0
}

/// Needs what a session brings.
#[function_tool]
fn whose(#[context] tenant: &Tenant, #[context] gateway: &Gateway) -> String {
    format!("{} at {}", tenant.0, gateway.0)
}

/// Sees a trait.
#[function_tool]
fn hour(#[context] clock: &dyn Clock) -> u32 {
    clock.hour()
}

/// Owns a trait object.
#[function_tool]
fn hour_owned(#[context] clock: Arc<dyn Clock>) -> u32 {
    clock.hour()
}

/// Computed from the context, and from a host value.
struct Route(String);

impl FromContext<'_> for Route {
    fn from_context(context: &ToolContext) -> Result<Self, ToolError> {
        let gateway = context.get::<Gateway>().ok_or_else(|| ToolError::new("no gateway"))?;
        if gateway.0 == "closed" {
            return Err(ToolError::new("gateway is closed").for_model("Closed today."));
        }
        Ok(Self(format!("{}/{}", gateway.0, context.call_id())))
    }

    fn requires(requirements: &mut Requirements) {
        requirements.host_value::<Gateway>();
    }
}

/// Takes a user's own type.
#[function_tool]
fn routed(#[context] route: Route) -> String {
    route.0
}

/// Gets the context itself.
#[function_tool]
fn own_context(#[context] context: &ToolContext, word: &str) -> String {
    format!("{} {} {word}", context.call_id(), context.tool_name().unwrap())
}

/// What a tool answers, in whatever way the model came to see it.
async fn answer(
    tool: ToolRef,
    registry: impl Fn(RegistryBuilder) -> RegistryBuilder,
    session: impl Fn(Session) -> Session,
) -> String {
    let mut answers = Vec::new();
    for way in WAYS {
        let session = session(registry(way.registry([tool])).build().unwrap().session());
        answers.push(text(&way.turn(&session, tool.name()).await, call("7", tool.name())).await);
    }
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    answers.remove(0)
}

/// The errors of a build, as text.
fn errors(builder: tool_core::RegistryBuilder) -> Vec<String> {
    builder.build().unwrap_err().errors().iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn values_of_the_registry_reach_every_session() {
    for tool in tools![borrowed, owned, borrowed_blocking] {
        let answer = answer(tool, |builder| builder.state(Gateway("main")), |session| session).await;
        assert_eq!(answer, "main", "{}", tool.name());
    }
    let registry = Registry::builder().tools(tools![borrowed]).state(Gateway("main")).build().unwrap();
    for _ in 0..2 {
        assert_eq!(text(&registry.session().turn().await.unwrap(), call("1", "borrowed")).await, "main");
    }
}

#[tokio::test]
async fn values_of_a_session_stay_in_it() {
    let registry = |builder: RegistryBuilder| builder.state(Gateway("main")).session_state::<Tenant>();
    let one = answer(whose::TOOL, registry, |session| session.with(Tenant("one"))).await;
    let two = answer(whose::TOOL, registry, |session| session.with_arc(Arc::new(Tenant("two")))).await;
    assert_eq!([one, two], ["one at main", "two at main"]);
    let registry = registry(Registry::builder().tools(tools![whose])).build().unwrap();
    let one = registry.session().with(Tenant("one"));
    let two = registry.session().with(Tenant("two"));
    assert_eq!(text(&one.turn().await.unwrap(), call("1", "whose")).await, "one at main");
    assert_eq!(text(&two.turn().await.unwrap(), call("1", "whose")).await, "two at main");
}

#[tokio::test]
async fn a_value_of_the_session_comes_before_that_of_the_registry() {
    let registry = |builder: RegistryBuilder| builder.state(Gateway("registry"));
    for tool in tools![borrowed, owned] {
        let own = answer(tool, registry, |session| session.with(Gateway("session"))).await;
        assert_eq!(own, "session");
        assert_eq!(answer(tool, registry, |session| session).await, "registry");
    }
}

#[tokio::test]
async fn the_last_value_of_a_session_counts_and_earlier_turns_keep_theirs() {
    let registry = Registry::builder().tools(tools![borrowed]).session_state::<Gateway>().build().unwrap();
    let session = registry.session().with(Gateway("first"));
    let before = session.turn().await.unwrap();
    let session = session.with(Gateway("second"));
    assert_eq!(text(&session.turn().await.unwrap(), call("1", "borrowed")).await, "second");
    assert_eq!(text(&before, call("2", "borrowed")).await, "first");
}

#[tokio::test]
async fn a_trait_object_is_a_value() {
    let clock: Arc<dyn Clock> = Arc::new(Noon);
    let registry = |builder: RegistryBuilder| builder.state_arc(Arc::clone(&clock));
    for tool in tools![hour, hour_owned] {
        assert_eq!(answer(tool, registry, |session| session).await, "12");
        let night = |session: Session| session.with_arc::<dyn Clock>(Arc::new(Night));
        assert_eq!(answer(tool, registry, night).await, "3");
    }
}

#[tokio::test]
async fn a_trait_object_of_each_session() {
    let registry = Registry::builder().tools(tools![hour]).session_state::<dyn Clock>().build().unwrap();
    let missing = registry.session().turn().await.unwrap_err();
    assert!(missing.to_string().contains("dyn it::context::Clock"), "{missing}");
    let night: Arc<dyn Clock> = Arc::new(Night);
    assert_eq!(text(&registry.session().with_arc(night).turn().await.unwrap(), call("1", "hour")).await, "3");
}

#[tokio::test]
async fn a_declared_value_that_was_not_given_fails_the_turn() {
    let registry = Registry::builder().tools(tools![borrowed]).session_state::<Gateway>().build().unwrap();
    let session = registry.session();
    let error = session.turn().await.unwrap_err();
    assert!(matches!(&error, TurnError::MissingHostValue { type_name } if type_name.ends_with("::Gateway")));
    assert_eq!(
        error.to_string(),
        "the session has no host value of type `it::context::Gateway`; call `registry.session().with(value)`"
    );
    let error = session.call("borrowed", "{}").await.unwrap_err();
    assert_eq!(error.kind(), ToolErrorKind::MissingContext);
    assert!(!error.model_message().contains("Gateway"), "{}", error.model_message());
    assert!(session.with(Gateway("late")).turn().await.is_ok());
}

#[test]
fn a_value_that_nobody_declared_is_a_build_error_with_place_type_and_help() {
    let errors = errors(Registry::builder().tools(tools![borrowed, whose]).state(Gateway("main")));
    let line = whose::TOOL.location().line;
    assert_eq!(
        errors,
        [format!(
            "{}:{line}: tool `whose` needs a host value of type `it::context::Tenant`; call `.state(value)` or \
         `.session_state::<it::context::Tenant>()`",
            file!()
        )]
    );
}

#[test]
fn an_arc_that_was_given_to_state_is_named() {
    let errors = errors(Registry::builder().tools(tools![borrowed]).state(Arc::new(Gateway("main"))));
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0].ends_with("an `Arc` of it was given to `.state(…)`: use `.state_arc(…)`"),
        "{errors:?}"
    );
    let clock: Arc<dyn Clock> = Arc::new(Noon);
    let errors = self::errors(Registry::builder().tools(tools![hour]).state(clock));
    assert!(errors[0].contains("use `.state_arc(…)`"), "{errors:?}");
}

#[test]
fn two_values_of_one_type_are_an_error() {
    let errors = errors(Registry::builder().state(Gateway("a")).state_arc(Arc::new(Gateway("b"))));
    assert_eq!(
        errors,
        ["two host values have the type `it::context::Gateway`; wrap one in a type of its own"]
    );
}

#[test]
fn a_denied_tool_needs_nothing() {
    let registry = Registry::builder().tools(tools![borrowed]).deny([borrowed::TOOL]).build();
    assert!(registry.is_ok());
}

#[tokio::test]
async fn a_type_of_the_users_own_is_computed_for_each_call() {
    let registry = |builder: RegistryBuilder| builder.state(Gateway("main"));
    assert_eq!(answer(routed::TOOL, registry, |session| session).await, "main/7");
    let turn = registry(Registry::builder().tools(tools![routed])).build().unwrap().session().turn().await;
    assert_eq!(text(&turn.unwrap(), call("b", "routed")).await, "main/b");
}

#[tokio::test]
async fn what_it_looks_up_is_checked_and_its_errors_are_results() {
    let errors = errors(Registry::builder().tools(tools![routed]));
    assert!(
        errors[0].contains("tool `routed` needs a host value of type `it::context::Gateway`"),
        "{errors:?}"
    );
    let closed = answer(routed::TOOL, |builder| builder.state(Gateway("closed")), |session| session).await;
    assert_eq!(closed, "Closed today.");
}

#[tokio::test]
async fn the_context_itself_is_no_host_value() {
    for way in WAYS {
        let session = way.registry(tools![own_context]).build().unwrap().session();
        let call = ToolCall::new("7", "own_context", r#"{"word":"hi"}"#);
        assert_eq!(text(&way.turn(&session, "own_context").await, call).await, "7 own_context hi");
    }
}

#[tokio::test]
async fn host_values_are_in_no_schema() {
    let registry = Registry::builder()
        .tools(tools![own_context, routed, borrowed])
        .state(Gateway("main"))
        .build()
        .unwrap();
    for tool in registry.session().turn().await.unwrap().tools() {
        let schema = tool.input_schema().unwrap().as_str();
        for word in ["context", "gateway", "route", "Gateway"] {
            assert!(!schema.contains(word), "{schema}");
        }
    }
}

#[tokio::test]
async fn a_closure_looks_up_values_by_type() {
    let tool = builder("closure", "Looks.").handler(async |(): (), context: ToolContext| {
        let gateway = context.get::<Gateway>().map(|gateway| gateway.0);
        format!("{gateway:?} {:?}", context.get::<Tenant>())
    });
    let registry = Registry::builder().tool(tool).state(Gateway("main")).build().unwrap();
    let turn = registry.session().turn().await.unwrap();
    assert_eq!(text(&turn, call("1", "closure")).await, "Some(\"main\") None");
}
