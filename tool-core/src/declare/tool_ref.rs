//! A handle of a function's declaration. It is a [`Tool`] whose run-time form is made when a registry first asks.

use std::fmt;

use super::{Declaration, Declared};
use crate::{
    Arguments, Location, Tool, ToolContext, ToolDefinition, ToolFuture, ToolOptions, context::Requirements,
};

/// An annotated tool, as `payment_processor::TOOL`: what lists, policies and groups take.
#[derive(Clone, Copy)]
pub struct ToolRef(&'static Declaration);

impl ToolRef {
    /// For the expansion of `#[function_tool]`.
    #[doc(hidden)]
    pub const fn new(declaration: &'static Declaration) -> Self {
        Self(declaration)
    }

    /// The name that the author gave; a toolset's prefix is not in it.
    pub const fn name(&self) -> &'static str {
        self.0.name
    }

    /// Where the function is.
    pub const fn location(&self) -> Location {
        self.0.location
    }

    pub(crate) fn identity(self) -> Declared {
        let instance = Some(std::ptr::from_ref(self.0).addr());
        Declared { name: self.name(), location: self.location(), instance }
    }

    fn made(self) -> &'static (ToolDefinition, ToolOptions) {
        (self.0.made)().0.get_or_init(|| self.0.make())
    }
}

impl Tool for ToolRef {
    fn definition(&self) -> &ToolDefinition {
        &self.made().0
    }

    fn options(&self) -> &ToolOptions {
        &self.made().1
    }

    fn requires(&self, requirements: &mut Requirements) {
        (self.0.requires)(requirements);
    }

    fn declared(&self) -> Option<Declared> {
        Some(self.identity())
    }

    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a> {
        (self.0.call)(arguments, context)
    }
}

impl PartialEq for ToolRef {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for ToolRef {}

impl fmt::Debug for ToolRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolRef").field(&self.0.name).finish()
    }
}
