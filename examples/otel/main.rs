//! A run in OpenTelemetry. Look at what arrives at the collector: a span a run, a model request and a call, with the names
//! of the conventions for generative AI, each inside of the one that caused it, and nothing of what was said.
//!
//! The exporter is the usual one, over HTTP. The collector is a stub in this process that keeps what it is sent.

mod collector;

use std::error::Error;

use collector::Arrived;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use serde_json::json;
use tool_core::{
    Agent, Model, ModelFuture, ModelIdentity, ModelReply, ModelRequest, Registry, RegistryBuilder,
    ScriptedModel, ToolCall, Usage, function_tool, tools,
};
use tracing_subscriber::{layer::SubscriberExt, util::SubscriberInitExt};

/// Charge a credit card via the payment gateway.
#[function_tool(defer_loading)]
fn payment_processor(
    /// Amount to charge, in cents.
    amount_cents: u64,
) -> Result<String, String> {
    if amount_cents > 10_000 {
        Err("over the limit".to_owned())
    } else {
        Ok(format!("charged {amount_cents}"))
    }
}

/// A model that says who it is, as an adapter of a provider does.
struct Shopkeeper(ScriptedModel);

impl Model for Shopkeeper {
    fn respond<'a>(&'a self, request: ModelRequest<'a>) -> ModelFuture<'a> {
        self.0.respond(request)
    }

    fn identity(&self) -> ModelIdentity<'_> {
        ModelIdentity::new(Some("openai"), "gpt-4o")
    }
}

fn model() -> Shopkeeper {
    let call = |id: &str, name: &str, arguments| {
        ModelReply::calls([ToolCall::new(id, name, arguments)]).with_usage(Usage::new(100, 10))
    };
    Shopkeeper(ScriptedModel::new([
        call("call_1", "tool_search", json!({"query": "charge a card"})),
        call("call_2", "payment_processor", json!({"amount_cents": 99_999})),
        call("call_3", "payment_processor", json!({"amount_cents": 1_250})),
        ModelReply::text("Charged 12.50.").with_usage(Usage::new(100, 10)),
    ]))
}

/// What has arrived when a run has ended.
fn exported(registry: RegistryBuilder) -> Result<Vec<Arrived>, Box<dyn Error>> {
    let (address, arrived) = collector::start()?;
    let exporter = SpanExporter::builder()
        .with_http()
        // The collector is here: whatever proxy the environment names is not for it.
        .with_http_client(reqwest::blocking::Client::builder().no_proxy().build()?)
        .with_protocol(Protocol::HttpJson)
        .with_endpoint(format!("http://{address}/v1/traces"))
        .build()?;
    let provider =
        SdkTracerProvider::builder().with_sampler(Sampler::AlwaysOn).with_batch_exporter(exporter).build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("tool-core"));
    let subscriber = tracing_subscriber::registry().with(layer).set_default();
    tokio::runtime::Builder::new_current_thread().build()?.block_on(run(registry))?;
    drop(subscriber);
    provider.shutdown()?; // sends what is left
    Ok(arrived.try_iter().flatten().collect())
}

async fn run(registry: RegistryBuilder) -> Result<(), Box<dyn Error>> {
    let registry = registry.tools(tools![payment_processor]).build()?;
    let agent = Agent::builder(model()).registry(registry.clone()).name("shop").build()?;
    let mut conversation = agent.conversation(registry.session().with_id("conversation 7"))?;
    agent.continue_run(&mut conversation, "Charge 12.50 to the card.").await?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let spans = exported(Registry::builder())?;
    let name_of = |id: &str| spans.iter().find(|span| span.id == id).map_or("", |span| span.name.as_str());
    for span in &spans {
        let error = span.get("error.type").map(|error| format!(": {error}")).unwrap_or_default();
        println!("{:32} in: {}{error}", span.name, name_of(&span.parent));
    }
    let inside = |name: &str| {
        let found = spans.iter().filter(|span| span.name == name);
        found.map(|span| name_of(&span.parent)).collect::<Vec<_>>()
    };
    assert_eq!(inside("invoke_agent shop"), [""]);
    assert_eq!(inside("chat gpt-4o"), ["invoke_agent shop"; 4]);
    assert_eq!(inside("execute_tool tool_search"), ["invoke_agent shop"]);
    assert_eq!(inside("execute_tool payment_processor"), ["invoke_agent shop"; 2]);
    assert_eq!(spans.len(), 8);
    for span in &spans {
        assert_eq!(span.get("gen_ai.operation.name").as_deref(), span.name.split(' ').next());
    }

    let run = spans.iter().find(|span| span.name == "invoke_agent shop").ok_or("the run is missing")?;
    assert_eq!(run.get("gen_ai.conversation.id").as_deref(), Some("conversation 7"));
    assert_eq!(run.get("gen_ai.usage.input_tokens").as_deref(), Some("400"));
    let by_call = |id: &str| spans.iter().find(|span| span.get("gen_ai.tool.call.id").as_deref() == Some(id));
    let failed = by_call("call_2").ok_or("the failed call is missing")?;
    assert_eq!(failed.get("error.type").as_deref(), Some("failed"));
    assert!(by_call("call_3").ok_or("the good call is missing")?.get("error.type").is_none());

    let contents = ["gen_ai.tool.call.arguments", "gen_ai.tool.call.result"];
    let has_content = |span: &Arrived| contents.iter().any(|key| span.get(key).is_some());
    assert!(!spans.iter().any(has_content), "nothing of what was said is sent");
    let spans = exported(Registry::builder().capture_content())?;
    let charge = spans.iter().find(|span| span.get("gen_ai.tool.call.id").as_deref() == Some("call_3"));
    let charge = charge.ok_or("the good call is missing")?;
    let [arguments, result] = contents.map(|key| charge.get(key).unwrap_or_default());
    println!("\nWith `capture_content` the last call also says {arguments} and {result}.");
    assert_eq!((arguments.as_str(), result.as_str()), (r#"{"amount_cents":1250}"#, "charged 1250"));
    Ok(())
}
