//! Against a hosted model, with the key of its provider in the environment.

use std::env;

use tool_core::{Agent, RunLimits};
use tool_genai::GenaiModel;

use crate::{agent::results, tools::registry};

/// `TOOL_GENAI_LIVE_MODEL=claude-haiku-4-5 cargo test -p tool-genai --test it -- --ignored hosted`
#[tokio::test]
#[ignore = "needs a hosted model's name in TOOL_GENAI_LIVE_MODEL and its provider's key; costs money"]
async fn hosted_model_finds_and_calls_a_hidden_tool() {
    let name =
        env::var("TOOL_GENAI_LIVE_MODEL").expect("TOOL_GENAI_LIVE_MODEL is the name of a hosted model");
    let agent = Agent::builder(GenaiModel::new(name))
        .registry(registry())
        .instructions("Search for a tool before you say that you have none.")
        .limits(RunLimits::DEFAULT.turns(6))
        .build()
        .unwrap();
    let result = agent.run("Charge my credit card 1250 cents.").await.unwrap();
    let results = results(&result.messages);
    assert!(
        results.iter().any(|(name, _, text)| *name == "payment_processor" && text == "charged 1250"),
        "{}: {results:?}",
        result.stop_reason
    );
}
