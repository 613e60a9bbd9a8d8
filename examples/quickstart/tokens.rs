//! What a tool definition costs: the tokens of its JSON as OpenAI's chat completions take it, in the `o200k_base`
//! vocabulary. Each definition is counted once per registry; messages are not counted.

use std::collections::HashMap;

use serde::Serialize;
use tool_core::{Registry, Schema, ToolDefinition, ToolName};

/// The name of the search tool, where nobody sets another.
pub(crate) const SEARCH_TOOL: &str = "tool_search";

/// `{"type":"function","function":{"name","description","parameters"}}`.
#[derive(Serialize)]
struct ChatTool<'d> {
    r#type: &'static str,
    function: Function<'d>,
}

#[derive(Serialize)]
struct Function<'d> {
    name: &'d ToolName,
    description: &'d str,
    parameters: &'d Schema,
}

/// The tokens of every definition of a registry.
#[derive(Debug)]
pub(crate) struct TokenCounts(HashMap<ToolName, usize>);

impl TokenCounts {
    pub(crate) fn of(registry: &Registry) -> Self {
        let counted = registry
            .definitions()
            .into_iter()
            .filter_map(|definition| Some((definition.name().clone(), tokens(definition)?)));
        Self(counted.collect())
    }

    /// How many definitions there are, the search tool's too.
    pub(crate) fn definitions(&self) -> usize {
        self.0.len()
    }

    /// Tokens of the definitions of these tools.
    pub(crate) fn sent(&self, names: &[ToolName]) -> usize {
        names.iter().filter_map(|name| self.0.get(name)).sum()
    }

    /// Tokens of all other definitions.
    pub(crate) fn hidden(&self, visible: &[ToolName]) -> usize {
        self.0.values().sum::<usize>() - self.sent(visible)
    }

    /// Tokens of a request in which nothing is hidden, so that there is nothing to search for either.
    pub(crate) fn without_hiding(&self) -> usize {
        let listed = self.0.iter().filter(|(name, _)| **name != SEARCH_TOOL);
        listed.map(|(_, tokens)| tokens).sum()
    }
}

/// `None` where a schema cannot be made: no turn lists such a tool.
fn tokens(definition: &ToolDefinition) -> Option<usize> {
    let function = Function {
        name: definition.name(),
        description: definition.description(),
        parameters: definition.input_schema().ok()?,
    };
    let json = serde_json::to_string(&ChatTool { r#type: "function", function }).ok()?;
    Some(tiktoken_rs::o200k_base_singleton().count_ordinary(&json))
}
