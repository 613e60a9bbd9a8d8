//! `invoke_agent` and `chat`: the spans of a run and of its model requests.

use serde_json::json;
use tool_core::{
    Agent, CancellationToken, Model, ModelError, ModelErrorKind, ModelFuture, ModelIdentity, ModelReply,
    ModelRequest, Registry, RunOptions, ScriptedModel, ToolCall, Usage,
};

use super::{Seen, Spans};
use crate::support::eager;

/// A model that says who it is.
struct Named(ScriptedModel);

impl Model for Named {
    fn respond<'a>(&'a self, request: ModelRequest<'a>) -> ModelFuture<'a> {
        tracing::info!("asked");
        self.0.respond(request)
    }

    fn identity(&self) -> ModelIdentity<'_> {
        ModelIdentity::new(Some("openai"), "gpt-4o")
    }
}

/// Is asked too often.
struct Down;
impl Model for Down {
    fn respond<'a>(&'a self, _: ModelRequest<'a>) -> ModelFuture<'a> {
        Box::pin(async { Err(ModelError::new(ModelErrorKind::RateLimited, "hunter2")) })
    }
}

/// Cancels its run, and never answers.
struct Silent(CancellationToken);
impl Model for Silent {
    fn respond<'a>(&'a self, _: ModelRequest<'a>) -> ModelFuture<'a> {
        self.0.cancel();
        Box::pin(std::future::pending())
    }
}

fn registry() -> Registry {
    Registry::builder().tool(eager("echo")).build().unwrap()
}

fn two_turns() -> ScriptedModel {
    ScriptedModel::new([
        ModelReply::calls([ToolCall::new("1", "echo", json!({}))]).with_usage(Usage::new(100, 20)),
        ModelReply::text("Done.").with_usage(Usage::new(130, 5)),
    ])
}

fn shape(all: &[Seen]) -> Vec<(&str, Option<&str>)> {
    let name = |place: usize| all[place].get("otel.name").unwrap();
    all.iter().enumerate().map(|(place, seen)| (name(place), seen.parent.map(name))).collect()
}

#[tokio::test]
async fn a_run_has_its_requests_and_calls_inside() {
    let (spans, _guard) = Spans::on_this_thread();
    let registry = registry();
    let agent = Agent::builder(Named(two_turns())).registry(registry.clone()).name("shop").build().unwrap();
    let mut conversation = agent.conversation(registry.session().with_id("conversation 7")).unwrap();
    agent.continue_run(&mut conversation, "Say it.").await.unwrap();
    let all = spans.all();
    let run = Some("invoke_agent shop");
    assert_eq!(
        shape(&all),
        [("invoke_agent shop", None), ("chat gpt-4o", run), ("execute_tool echo", run), ("chat gpt-4o", run),]
    );
    assert!(all.iter().all(|seen| seen.closed && seen.get("error.type").is_none()), "{all:#?}");
    assert!(all.iter().all(|seen| seen.get("gen_ai.conversation.id") == Some("conversation 7")));
    let tokens = |seen: &Seen| {
        ["gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"]
            .map(|name| seen.get(name).unwrap().to_owned())
    };
    assert_eq!(tokens(&all[0]), ["230", "25"]);
    assert_eq!(tokens(&all[1]), ["100", "20"]);
    assert_eq!(tokens(&all[3]), ["130", "5"]);
    let of_run = ["gen_ai.operation.name", "gen_ai.agent.name", "tool_core.stop_reason", "otel.kind"];
    assert_eq!(
        of_run.map(|name| all[0].get(name).unwrap()),
        ["invoke_agent", "shop", "answered", "internal"]
    );
    let of_chat = ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model", "otel.kind"];
    assert_eq!(of_chat.map(|name| all[1].get(name).unwrap()), ["chat", "openai", "gpt-4o", "client"]);
    assert_eq!(all[1].logs, ["asked"]);
    assert!(!format!("{all:?}").contains("Say it."), "no content");
}

#[tokio::test]
async fn a_stream_has_the_same_spans() {
    let (spans, _guard) = Spans::on_this_thread();
    let agent = Agent::builder(two_turns()).registry(registry()).build().unwrap();
    let mut stream = agent.stream("Say it.");
    while let Some(event) = stream.next().await {
        event.unwrap();
    }
    drop(stream);
    let all = spans.all();
    let run = Some("invoke_agent");
    assert_eq!(
        shape(&all),
        [("invoke_agent", None), ("chat", run), ("execute_tool echo", run), ("chat", run)]
    );
    assert!(all.iter().all(|seen| seen.closed));
}

#[tokio::test]
async fn a_model_error_is_the_type_of_request_and_run() {
    let (spans, _guard) = Spans::on_this_thread();
    let agent = Agent::builder(Down).registry(registry()).build().unwrap();
    agent.run("Say it.").await.unwrap();
    let all = spans.all();
    assert_eq!(
        all.iter().map(|seen| seen.get("error.type").unwrap()).collect::<Vec<_>>(),
        ["rate_limited"; 2]
    );
    assert_eq!(
        all.iter().map(|seen| seen.get("otel.status_code").unwrap()).collect::<Vec<_>>(),
        ["ERROR"; 2]
    );
}

#[tokio::test]
async fn a_request_that_is_cancelled_says_so() {
    let (spans, _guard) = Spans::on_this_thread();
    let stop = CancellationToken::new();
    let agent = Agent::builder(Silent(stop.clone())).registry(registry()).build().unwrap();
    agent.run("Say it.").options(RunOptions::new().cancellation(stop)).await.unwrap();
    assert_eq!(spans.named("chat").get("error.type"), Some("cancelled"));
    assert_eq!(spans.named("invoke_agent").get("tool_core.stop_reason"), Some("cancelled"));
}
