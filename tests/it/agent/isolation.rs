//! Runs over one agent, side by side and nested, do not touch each other.

use std::sync::{Arc, OnceLock};

use tool_core::{Model, ModelFuture, ModelRequest, Tool};

use super::*;

/// Lets other runs go first at each request.
struct Yielding(ScriptedModel);

impl Model for Yielding {
    fn respond<'a>(&'a self, request: ModelRequest<'a>) -> ModelFuture<'a> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let reply = self.0.respond(request).await;
            tokio::task::yield_now().await;
            reply
        })
    }
}

fn secret(number: usize) -> impl Tool {
    FunctionTool::builder(format!("secret_{number}"), format!("Tells the secret number {number}."))
        .deferred()
        .handler(move |(), _: ToolContext| async move {
            tokio::task::yield_now().await;
            format!("told {number}")
        })
}

/// Searches one tool by its exact name.
fn find(name: &str) -> ToolCall {
    call("s", "tool_search", json!({ "query": name, "top_k": 1 }))
}

/// The input is the name of the tool to find and call.
fn finds_the_tool_of_its_input() -> ScriptedModel {
    ScriptedModel::answering(|request| {
        let Some(Message::User { text: wanted }) = request.messages.first() else { panic!("no input") };
        let visible = request.turn.tools().any(|tool| tool.name() == wanted.as_str());
        Ok(match (request.messages.len(), request.messages.last()) {
            (1, _) if visible => ModelReply::text("it was visible before the search"),
            (1, _) => ModelReply::calls([find(wanted)]),
            (3, _) => ModelReply::calls([call("c", wanted, json!({}))]),
            (_, Some(Message::Tool { output, .. })) => ModelReply::text(output.to_text()),
            _ => ModelReply::text("lost"),
        })
    })
}

async fn concurrent_runs(count: usize) {
    let registry = Registry::builder().tool(echo()).tools((0..count).map(secret)).build().unwrap();
    let model = finds_the_tool_of_its_input();
    let agent = Agent::builder(Yielding(model.clone())).registry(registry).build().unwrap();
    let runs: Vec<_> = (0..count)
        .map(|number| {
            let agent = agent.clone();
            tokio::spawn(async move { agent.run(format!("secret_{number}")).await })
        })
        .collect();
    for (number, run) in runs.into_iter().enumerate() {
        assert_eq!(run.await.unwrap().unwrap().text, format!("told {number}"));
    }
    let requests = model.requests();
    assert_eq!(requests.len(), 3 * count);
    for request in &requests {
        let Some(Message::User { text: wanted }) = request.messages.first() else { panic!("no input") };
        let expected = match request.messages.len() {
            1 => vec!["echo", "tool_search"],
            _ => vec!["echo", "tool_search", wanted.as_str()],
        };
        assert_eq!(tool_names(request), expected, "each run sees its own reveals only");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_concurrent_runs_see_their_own_reveals_only() {
    concurrent_runs(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_hundred_concurrent_runs_see_their_own_reveals_only() {
    concurrent_runs(200).await;
}

#[tokio::test]
async fn a_new_conversation_starts_hidden_and_a_continued_one_keeps_its_reveals() {
    let model = ScriptedModel::answering(|request| {
        Ok(match request.messages.last() {
            Some(Message::User { text }) if text == "search" => {
                ModelReply::calls([search("s", "credit card")])
            }
            _ => ModelReply::text("ok"),
        })
    });
    let agent = agent(&model);
    let mut conversation = agent.conversation(agent.registry().session()).unwrap();
    agent.continue_run(&mut conversation, "search").await.unwrap();
    agent.run("new").await.unwrap();
    agent.continue_run(&mut conversation, "go on").await.unwrap();

    let requests = model.requests();
    assert_eq!(tool_names(&requests[2]), ["echo", "tool_search"], "the new one");
    assert_eq!(tool_names(&requests[3]), ["echo", "tool_search", "payment_processor"], "the continued one");
}

#[tokio::test]
async fn an_agent_inside_a_tool_neither_sees_nor_touches_the_reveals_outside() {
    let inner: Arc<OnceLock<Agent>> = Arc::default();
    let delegate = FunctionTool::builder("delegate", "Asks another agent.").handler({
        let inner = Arc::clone(&inner);
        move |args: EchoArgs, _: ToolContext| {
            let inner = Arc::clone(&inner);
            async move { inner.get().unwrap().run(args.msg).await.unwrap().text }
        }
    });
    let registry = Registry::builder().tool(delegate).tools((0..2).map(secret)).build().unwrap();
    let nested = finds_the_tool_of_its_input();
    inner.set(Agent::builder(nested.clone()).registry(registry.clone()).build().unwrap()).unwrap();

    let outer = ScriptedModel::new([
        ModelReply::calls([find("secret_0")]),
        ModelReply::calls([call("d", "delegate", json!({ "msg": "secret_1" }))]),
        ModelReply::calls([call("own", "secret_0", json!({})), call("theirs", "secret_1", json!({}))]),
        ModelReply::text("done"),
    ]);
    let agent = Agent::builder(outer.clone()).registry(registry).build().unwrap();
    let result = agent.run("Go").await.unwrap();

    let answers = results(&result.messages);
    assert_eq!((answers[1].as_str(), answers[2].as_str()), ("d: told 1", "own: told 0"));
    assert!(
        answers[3].starts_with("theirs: Tool 'secret_1' is not in your current tool list."),
        "{answers:?}"
    );
    assert_eq!(tool_names(&nested.requests()[0]), ["delegate", "tool_search"], "nothing is inherited");
    for request in &outer.requests()[1..] {
        assert_eq!(
            tool_names(request),
            ["delegate", "tool_search", "secret_0"],
            "nothing is wiped or leaks up"
        );
    }
}
