//! What a turn's definitions cost in tokens, and what hiding the others saves.

use std::sync::Arc;

use crate::{ToolName, registry::Entry};

/// The tokens of the definitions of one turn, tool by tool, from [`Turn::ledger`](crate::Turn::ledger).
///
/// How many tokens a definition has depends on how it is rendered for a provider and on that provider's tokenizer, so the
/// host counts: its function renders the definition as it would send it, and counts that.
///
/// # Examples
/// ```
/// use tool_core::{FunctionTool, Registry, ToolContext};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tool = |name: &'static str| FunctionTool::builder(name, "Does what it says.");
/// let registry = Registry::builder()
///     .tool(tool("echo").handler(async |_: (), _: ToolContext| ""))
///     .tool(tool("refund").deferred().handler(async |_: (), _: ToolContext| ""))
///     .build()?;
///
/// let turn = registry.session().turn().await?;
/// // Four bytes a token is a fair guess for English and JSON.
/// let ledger = turn.ledger(|tool| serde_json::to_string(tool).map_or(0, |json| json.len() / 4));
/// assert_eq!(ledger.sent().len(), 2, "echo and tool_search");
/// assert_eq!(ledger.hidden()[0].tool.as_str(), "refund");
/// assert!(ledger.hidden_tokens() < ledger.sent_tokens());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    sent: Vec<ToolTokens>,
    hidden: Vec<ToolTokens>,
}

/// The tokens of one definition.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolTokens {
    /// The tool.
    pub tool: ToolName,
    /// As the host's function counted them.
    pub tokens: usize,
}

impl Ledger {
    pub(crate) fn new<'a>(
        sent: impl Iterator<Item = &'a Arc<Entry>>,
        hidden: impl Iterator<Item = &'a Arc<Entry>>,
        mut count: impl FnMut(&Entry) -> usize,
    ) -> Self {
        let mut counted =
            |entry: &Arc<Entry>| ToolTokens { tool: entry.name().clone(), tokens: count(entry) };
        Self { sent: sent.map(&mut counted).collect(), hidden: hidden.map(&mut counted).collect() }
    }

    /// The tools of the list, in its order.
    pub fn sent(&self) -> &[ToolTokens] {
        &self.sent
    }

    /// The tools that the session could have and the list has not: deferred ones, and those of groups that are known
    /// without a build.
    pub fn hidden(&self) -> &[ToolTokens] {
        &self.hidden
    }

    /// Tokens of the list.
    pub fn sent_tokens(&self) -> usize {
        self.sent.iter().map(|tool| tool.tokens).sum()
    }

    /// Tokens that are not sent.
    pub fn hidden_tokens(&self) -> usize {
        self.hidden.iter().map(|tool| tool.tokens).sum()
    }
}
