//! The tools to play with: some of our own, or those of a file. A tool that cannot be taken is one tool less.

use std::{collections::HashSet, error::Error, fs, io::Write, path::Path};

use serde::Deserialize;
use serde_json::value::RawValue;
use tool_core::{
    Arguments, FunctionTool, Registry, RegistryBuilder, Schema, ToolContext, ToolName, function_tool,
};

/// Say the message back.
#[function_tool(read_only)]
fn echo(msg: String) -> String {
    msg
}

/// Charge a credit card via the payment gateway.
#[function_tool(defer_loading, destructive, keywords = ["pay", "billing"])]
fn payment_processor(
    /// Amount to charge, in cents.
    amount_cents: u64,
) -> String {
    format!("charged {amount_cents}")
}

/// Give money of an order back to the customer.
#[function_tool(defer_loading, destructive, keywords = ["pay back"])]
fn refund_issuer(order_id: &str, amount_cents: u64) -> String {
    format!("refunded {amount_cents} of {order_id}")
}

/// Say where a parcel is.
#[function_tool(defer_loading, read_only, keywords = ["delivery"])]
fn shipment_tracker(tracking_number: &str) -> String {
    format!("{tracking_number}: in the sorting centre")
}

/// Forecast the weather of a city.
#[function_tool(defer_loading, read_only)]
fn weather_forecast(
    city: &str,
    /// How many days, 1 to 7.
    #[default(3)]
    days: u8,
) -> String {
    format!("{days} days of rain in {city}")
}

/// The annotated functions above: one is always listed, the others are hidden.
pub(crate) fn own() -> RegistryBuilder {
    Registry::builder().linked()
}

/// A tool as it is sent to a model; the schema is kept as text, so that its members keep their order.
#[derive(Deserialize)]
struct Given {
    name: String,
    description: Option<String>,
    #[serde(alias = "inputSchema", alias = "input_schema")]
    parameters: Option<Box<RawValue>>,
}

/// The tools of a file, all hidden. What is not taken, or gets another name, is said on `err`.
pub(crate) fn read(file: &Path, err: &mut dyn Write) -> Result<RegistryBuilder, Box<dyn Error>> {
    let shown = file.display();
    let text = fs::read_to_string(file).map_err(|error| format!("cannot read {shown}: {error}"))?;
    let given: Result<Vec<Given>, _> = if text.trim_start().starts_with('[') {
        serde_json::from_str(&text)
    } else {
        serde_json::Deserializer::from_str(&text).into_iter().collect()
    };
    let given = given.map_err(|error| format!("{shown} is no list of tools: {error}"))?;
    let (mut builder, mut names) = (Registry::builder(), HashSet::new());
    for tool in given {
        let name = ToolName::from_wire("", &tool.name);
        match take(&tool, &name) {
            Ok(_) if !names.insert(name.clone()) => {
                writeln!(err, "{:?} is not taken: an earlier tool has this name", tool.name)?;
            }
            Ok(taken) => {
                if name != tool.name.as_str() {
                    writeln!(
                        err,
                        "{:?} is listed as {name}: not all of its characters are legal",
                        tool.name
                    )?;
                }
                builder = builder.tool(taken);
            }
            Err(reason) => writeln!(err, "{:?} is not taken: {reason}", tool.name)?,
        }
    }
    if names.is_empty() {
        return Err(format!("{shown} has no tool that can be taken").into());
    }
    Ok(builder)
}

fn take(tool: &Given, name: &ToolName) -> Result<FunctionTool, String> {
    let description = tool.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let description = description.ok_or("it has no description, and a model must know what it does")?;
    let schema = tool.parameters.as_ref().map_or(r#"{"type":"object","properties":{}}"#, |raw| raw.get());
    Schema::foreign(schema).map_err(|error| error.to_string())?;
    Ok(FunctionTool::builder(name.to_string(), description.to_owned())
        .deferred()
        .raw(schema, async |arguments: Arguments, _: ToolContext| arguments.to_text().into_owned()))
}
