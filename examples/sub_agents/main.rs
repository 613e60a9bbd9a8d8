//! A planner that gives its work to two sub-agents. Look at what each of them sees: the researchers build their own group
//! of web tools and cannot book anything, whatever they are told; the planner reads their last text and pays for all.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use tool_core::{
    Agent, AgentEvent, FunctionTool, Message, ModelReply, Registry, RunOptions, ScriptedModel, StopReason,
    SubAgent, ToolCall, ToolContext, ToolError, ToolGroup, Usage, function_tool, tools,
};

/// Book a hotel room.
#[function_tool(defer_loading)]
fn book_hotel(city: &str) -> String {
    format!("booked a room in {city}")
}

/// The distance between two cities, in kilometres.
#[function_tool]
fn distance(from: &str, to: &str) -> String {
    format!("{from} to {to}: 420 km")
}

/// Pages of the web, for one researcher at a time: each run builds it for itself.
fn web(builds: &Arc<AtomicUsize>) -> ToolGroup {
    let builds = Arc::clone(builds);
    ToolGroup::lazy("web", "Search and read web pages.", move |_: ToolContext| {
        builds.fetch_add(1, Ordering::SeqCst);
        async {
            let search = FunctionTool::builder("search_web", "Search the web.")
                .handler(async |(): (), _: ToolContext| "the museum opens at nine");
            Ok::<_, ToolError>([search])
        }
    })
}

fn call(name: &str, arguments: serde_json::Value) -> ToolCall {
    ToolCall::new(name, name, arguments)
}

/// Loads the group, tries to book what it must not, looks something up, and reports.
fn researcher_model() -> ScriptedModel {
    ScriptedModel::answering(|request| {
        let reply = match request.messages.last() {
            Some(Message::Tool { name, .. }) if name == "load_tools" => ModelReply::calls([
                call("book_hotel", json!({"city": "Oslo"})),
                call("search_web", json!({})),
            ]),
            Some(Message::Tool { output, .. }) => ModelReply::text(format!("I read: {}.", output.to_text())),
            _ => ModelReply::calls([call("load_tools", json!({"name": "web"}))]),
        };
        Ok(reply.with_usage(Usage::new(100, 10)))
    })
}

/// Finds the hidden tool, calls it, and reports.
fn booker_model() -> ScriptedModel {
    ScriptedModel::new([
        ModelReply::calls([call("tool_search", json!({"query": "book a room"}))]),
        ModelReply::calls([call("book_hotel", json!({"city": "Oslo"}))]),
        ModelReply::text("The room is booked."),
    ])
}

fn planner_model() -> ScriptedModel {
    let spawn =
        |id: &str, of: &str, task: &str| ToolCall::new(id, "spawn", json!({"type": of, "task": task}));
    ScriptedModel::new([
        ModelReply::calls([
            spawn("1", "researcher", "When does the museum in Oslo open?"),
            spawn("2", "researcher", "What is there for children in Oslo?"),
        ])
        .with_usage(Usage::new(1_000, 50)),
        ModelReply::calls([spawn("3", "booker", "A room in Oslo, one night.")]),
        ModelReply::text("You have a room, and the museum opens at nine."),
    ])
}

/// Events of sub-agents come to the sink too, each with the type and the call that started it.
fn show(event: &AgentEvent) {
    match event {
        AgentEvent::SubAgent { name, call_id, event } => {
            print!("{name} {call_id}: ");
            show(event);
        }
        AgentEvent::TurnStarted { turn, tools } => println!("turn {turn} sees {tools:?}"),
        AgentEvent::ModelReplied { turn, reply } => println!("turn {turn} calls {}", reply.calls.len()),
        AgentEvent::CallEnded { result, .. } => println!("{} -> {result}", result.name),
        AgentEvent::Finished(result) => println!("ends: {}", result.text),
        _ => {}
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let builds = Arc::new(AtomicUsize::new(0));
    let registry = Registry::builder().tools(tools![book_hotel, distance]).build()?;
    let agent = Agent::builder(planner_model())
        .registry(registry)
        .instructions("Plan trips. Give research and bookings to others.")
        .sub_agent(
            SubAgent::new("researcher", "Finds facts on the web.")
                .model(researcher_model())
                .group(web(&builds))
                .deny(tools![book_hotel]),
        )
        .sub_agent(SubAgent::new("booker", "Books rooms.").model(booker_model()))
        .build()?;

    let result = agent.run("A weekend in Oslo, please.").options(RunOptions::new().on_event(show)).await?;
    println!("{:?}", result.usage);

    assert!(matches!(result.stop_reason, StopReason::Answered));
    assert_eq!(builds.load(Ordering::SeqCst), 2, "each researcher built its own group");
    let answers: Vec<String> = result
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { output, .. } => Some(output.to_text().into_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(
        answers,
        ["I read: the museum opens at nine.", "I read: the museum opens at nine.", "The room is booked."]
    );
    assert_eq!(result.usage, Usage::new(1_600, 110), "three requests of each researcher are in it");
    Ok(())
}
