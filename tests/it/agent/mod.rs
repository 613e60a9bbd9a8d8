//! Agents: the run loop, its ends, its events, what it leaves in the messages, and that runs do not touch each other.

mod cancellation;
mod entry_points;
mod events;
mod history;
mod isolation;
mod progress;
mod run;
mod scripted;
mod sub_agents;
mod suspension;
mod trimming;

use serde_json::json;
use tool_core::{
    Agent, FunctionTool, Message, ModelReply, Registry, ResultStatus, RunResult, ScriptedModel, SeenRequest,
    ToolCall, ToolContext,
};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct EchoArgs {
    /// Text to say again.
    msg: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct PaymentArgs {
    /// Amount to charge, in cents.
    amount_cents: u64,
}

fn echo() -> FunctionTool {
    FunctionTool::builder("echo", "Say a text again.")
        .handler(|args: EchoArgs, _: ToolContext| async move { args.msg })
}

fn payment_processor() -> FunctionTool {
    FunctionTool::builder("payment_processor", "Charge a credit card via the payment gateway.")
        .deferred()
        .handler(|args: PaymentArgs, _: ToolContext| async move { format!("charged {}", args.amount_cents) })
}

/// `echo` in the list, `payment_processor` hidden.
fn registry() -> Registry {
    Registry::builder().tool(echo()).tool(payment_processor()).build().unwrap()
}

fn agent(model: &ScriptedModel) -> Agent {
    Agent::builder(model.clone()).registry(registry()).build().unwrap()
}

fn call(id: &str, name: &str, arguments: serde_json::Value) -> ToolCall {
    ToolCall::new(id, name, arguments)
}

fn say(id: &str, msg: &str) -> ToolCall {
    call(id, "echo", json!({ "msg": msg }))
}

fn search(id: &str, query: &str) -> ToolCall {
    call(id, "tool_search", json!({ "query": query }))
}

fn charge(id: &str, amount_cents: u64) -> ToolCall {
    call(id, "payment_processor", json!({ "amount_cents": amount_cents }))
}

/// Search, call what was found, answer.
fn search_and_charge() -> ScriptedModel {
    ScriptedModel::new([
        ModelReply::calls([search("s", "charge a credit card")]),
        ModelReply::calls([charge("c", 1250)]),
        ModelReply::text("Charged."),
    ])
}

fn tool_names(request: &SeenRequest) -> Vec<&str> {
    request.tools.iter().map(tool_core::ToolName::as_str).collect()
}

/// `id: text` of each result, in order.
fn results(messages: &[Message]) -> Vec<String> {
    let results = messages.iter().filter_map(|message| match message {
        Message::Tool { call_id, output, .. } => Some(format!("{call_id}: {}", output.to_text())),
        _ => None,
    });
    results.collect()
}

fn statuses(messages: &[Message]) -> Vec<ResultStatus> {
    let statuses = messages.iter().filter_map(|message| match message {
        Message::Tool { status, .. } => Some(*status),
        _ => None,
    });
    statuses.collect()
}

/// What a provider asks of a history: each call has one result, right after its message and in call order; ids are
/// unique, names legal, arguments JSON objects; nothing is empty.
fn assert_acceptable(messages: &[Message]) {
    let mut ids = std::collections::HashSet::new();
    let mut open: std::collections::VecDeque<(String, String)> = std::collections::VecDeque::new();
    for message in messages {
        match message {
            Message::Tool { call_id, name, .. } => {
                assert_eq!(open.pop_front(), Some((call_id.clone(), name.clone())), "{messages:#?}");
            }
            Message::Assistant { text, calls, .. } => {
                assert!(open.is_empty(), "open calls before a reply: {messages:#?}");
                assert!(!calls.is_empty() || !text.trim().is_empty(), "an empty message: {messages:#?}");
                for call in calls {
                    assert!(
                        !call.id.trim().is_empty() && ids.insert(&call.id),
                        "id {:?}: {messages:#?}",
                        call.id
                    );
                    assert!(tool_core::ToolName::new(&call.name).is_ok(), "name {:?}", call.name);
                    let arguments: serde_json::Value =
                        serde_json::from_str(&call.arguments.to_text()).unwrap();
                    assert!(arguments.is_object(), "arguments {arguments}");
                    open.push_back((call.id.clone(), call.name.clone()));
                }
            }
            _ => assert!(open.is_empty(), "open calls before input: {messages:#?}"),
        }
    }
    assert!(open.is_empty(), "open calls at the end: {messages:#?}");
}

/// Each way of running one input to its end.
#[derive(Debug, Clone, Copy)]
enum Entry {
    Run,
    Continue,
    Stream,
    StreamConversation,
    Resume,
}

const ENTRIES: [Entry; 5] =
    [Entry::Run, Entry::Continue, Entry::Stream, Entry::StreamConversation, Entry::Resume];

impl Entry {
    async fn run(self, agent: &Agent, input: &str) -> RunResult {
        let mut conversation = agent.conversation(agent.registry().session()).unwrap();
        match self {
            Self::Run => agent.run(input).await.unwrap(),
            Self::Continue => agent.continue_run(&mut conversation, input).await.unwrap(),
            Self::Stream => last(agent.stream(input)).await,
            Self::Resume => {
                let input = Message::User { text: input.to_owned() };
                agent.resume(&mut conversation.with_messages([input])).await.unwrap()
            }
            Self::StreamConversation => last(agent.continue_run(&mut conversation, input).stream()).await,
        }
    }
}

async fn last(mut stream: tool_core::AgentStream<'_>) -> RunResult {
    while let Some(event) = stream.next().await {
        if let tool_core::AgentEvent::Finished(result) = event.unwrap() {
            assert!(stream.next().await.is_none(), "nothing follows the end");
            return result;
        }
    }
    panic!("the stream ended without a result");
}

fn always_ok() -> ScriptedModel {
    ScriptedModel::answering(|_| Ok(ModelReply::text("ok")))
}
