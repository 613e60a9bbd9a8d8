//! A real model, through `tool-genai`. The tools are the example's own, so the worst that it can do is to charge a card
//! that does not exist.

use tool_core::{Agent, ModelErrorKind, RunLimits, StopReason};
use tool_genai::GenaiModel;

use crate::{error::QuickstartError, record, recorded::INSTRUCTIONS, setup::Setup};

/// Small models call the same tool again and again.
const MAX_TURNS: usize = 8;

/// Asks the model and prints each turn as it ends.
pub(crate) async fn run(
    setup: Setup<'_>,
    name: &str,
    base_url: Option<&str>,
    question: &str,
) -> Result<(), QuickstartError> {
    let Setup { registry, tokens, mut report, .. } = setup;
    let mut model = GenaiModel::new(name);
    if let Some(url) = base_url {
        // The same answer each time. Not for hosted models: some refuse a temperature.
        model = model.with_base_url(url).with_temperature(0.0);
    }
    let agent = Agent::builder(model)
        .registry(registry)
        .instructions(INSTRUCTIONS)
        .limits(RunLimits::DEFAULT.turns(MAX_TURNS))
        .build()?;
    report.title(&format!("{name}, live. The shop behind the tools is made up."))?;
    report.said("You", question)?;
    let result = record::watch(agent.run(question), &tokens, &mut report).await?;
    if !result.text.is_empty() {
        report.said("Model", &result.text)?;
    }
    match result.stop_reason {
        StopReason::Answered => {}
        StopReason::ModelError(error) => {
            let help = help(error.kind(), name, base_url);
            return Err(QuickstartError::Model { error, help });
        }
        reason => report.said("Stopped", &reason.to_string())?,
    }
    report.totals(&tokens)?;
    Ok(())
}

/// What the user can do about it.
fn help(kind: ModelErrorKind, name: &str, base_url: Option<&str>) -> String {
    match (kind, base_url) {
        (ModelErrorKind::Connection, Some(url)) => format!("no server answers at {url}; is it running?"),
        (ModelErrorKind::Connection, None) => {
            format!("nobody answers for `{name}`; for a server of your own add `--base-url URL`")
        }
        (ModelErrorKind::Unauthorized, None) => {
            "set it, or name a server of your own with `--base-url URL`".to_owned()
        }
        (ModelErrorKind::Rejected, _) => format!("is `{name}` the name of a model there?"),
        _ => "try again later, or another model".to_owned(),
    }
}
