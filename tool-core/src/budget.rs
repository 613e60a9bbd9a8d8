//! How many tools may be revealed at a time.

use std::{fmt, sync::Arc};

use crate::ToolDefinition;

/// Counts the tokens that a tool's definition costs.
pub(crate) type TokenCounter = Arc<dyn Fn(&ToolDefinition) -> usize + Send + Sync>;

/// The most tools, or tokens of definitions, that may be revealed at a time. There is no eviction: the model unloads.
///
/// # Examples
/// ```
/// use tool_core::Budget;
///
/// let budget = Budget::tools(20).and_tokens(8_000);
/// ```
#[derive(Clone, Default)]
pub struct Budget {
    pub(crate) tools: Option<usize>,
    pub(crate) tokens: Option<usize>,
    counter: Option<TokenCounter>,
}

/// Which limit a reveal would pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The number of revealed tools.
    Tools(usize),
    /// The tokens of their definitions.
    Tokens(usize),
}

impl Budget {
    /// No limit.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// At most `n` revealed tools; at least 1.
    #[must_use]
    pub fn tools(n: usize) -> Self {
        Self { tools: Some(n), ..Self::default() }
    }

    /// At most `n` tokens of revealed definitions; at least 1. Tokens are estimated at four bytes each unless
    /// [`counted_by`](Self::counted_by) says otherwise.
    #[must_use]
    pub fn tokens(n: usize) -> Self {
        Self::default().and_tokens(n)
    }

    /// Limits the tokens too.
    #[must_use]
    pub fn and_tokens(mut self, n: usize) -> Self {
        self.tokens = Some(n);
        self
    }

    /// Counts tokens with the host's own tokenizer.
    #[must_use]
    pub fn counted_by(mut self, counter: impl Fn(&ToolDefinition) -> usize + Send + Sync + 'static) -> Self {
        self.counter = Some(Arc::new(counter));
        self
    }

    /// Why the settings cannot work.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let zero = self.tools == Some(0) || self.tokens == Some(0);
        zero.then_some("a budget of 0 reveals nothing: it must be at least 1")
    }

    /// Whether `more` fits beside `revealed`.
    pub(crate) fn check<'a>(
        &self,
        revealed: impl Iterator<Item = &'a ToolDefinition>,
        more: &ToolDefinition,
    ) -> Result<(), Limit> {
        if self.tools.is_none() && self.tokens.is_none() {
            return Ok(());
        }
        let (mut tools, mut tokens) = (0, 0);
        for definition in revealed {
            tools += 1;
            if self.tokens.is_some() {
                tokens += self.cost(definition);
            }
        }
        if let Some(limit) = self.tools.filter(|limit| tools >= *limit) {
            return Err(Limit::Tools(limit));
        }
        match self.tokens {
            Some(limit) if tokens + self.cost(more) > limit => Err(Limit::Tokens(limit)),
            _ => Ok(()),
        }
    }

    fn cost(&self, definition: &ToolDefinition) -> usize {
        match &self.counter {
            Some(counter) => counter(definition),
            None => estimated_tokens(definition),
        }
    }
}

/// Four bytes of JSON a token.
pub(crate) fn estimated_tokens(definition: &ToolDefinition) -> usize {
    let schema = definition.input_schema().map_or(0, |schema| schema.as_str().len());
    (definition.name().as_str().len() + definition.description().len() + schema).div_ceil(4)
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("tools", &self.tools)
            .field("tokens", &self.tokens)
            .finish_non_exhaustive()
    }
}
