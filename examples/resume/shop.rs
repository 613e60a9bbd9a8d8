//! The tools and a recorded model. What a tool does is a line in a log, which stands for the world outside: it cannot be
//! taken back, and it is there whatever becomes of the process.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde_json::json;
use tool_core::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, BuildErrors, Message, ModelReply,
    Registry, ScriptedModel, ToolCall, ToolContext, function_tool, tools,
};

/// The world outside.
struct Log(PathBuf);

impl Log {
    fn add(&self, line: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.0)?;
        writeln!(file, "{line}")
    }
}

/// Charge a credit card.
#[function_tool(defer_loading, requires_approval)]
fn charge_card(cents: u64, #[context] log: &Log) -> io::Result<String> {
    log.add(&format!("charge_card {cents}"))?;
    Ok(format!("charged {cents} cents"))
}

/// Pay money back to a credit card.
#[function_tool(defer_loading, requires_approval)]
fn refund_payment(cents: u64, #[context] log: &Log) -> io::Result<String> {
    log.add(&format!("refund_payment {cents}"))?;
    Ok(format!("paid back {cents} cents"))
}

/// The person is not here: every such call waits.
struct AskPerson;

impl ApprovalPolicy for AskPerson {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(async { ApprovalDecision::Suspend })
    }
}

/// Each process builds the same one.
pub(crate) fn registry(folder: &Path) -> Result<Registry, BuildErrors> {
    let tools = tools![charge_card, refund_payment];
    Registry::builder().tools(tools).state(Log(folder.join("log"))).approval(AskPerson).build()
}

/// What has happened in the world.
pub(crate) fn log(folder: &Path) -> io::Result<String> {
    match fs::read_to_string(folder.join("log")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        text => text,
    }
}

/// Answers by the last message, as a real model does: it knows nothing of processes.
pub(crate) fn model() -> ScriptedModel {
    ScriptedModel::answering(|request| {
        let call = |id: &str, name: &str, arguments| ModelReply::calls([ToolCall::new(id, name, arguments)]);
        Ok(match request.messages.last() {
            Some(Message::Tool { name, output, .. }) if name == "charge_card" => {
                ModelReply::text(format!("Done: {}.", output.to_text()))
            }
            Some(Message::Tool { .. }) => call("call_2", "charge_card", json!({"cents": 1250})),
            _ => call("call_1", "tool_search", json!({"query": "charge a card", "top_k": 1})),
        })
    })
}
