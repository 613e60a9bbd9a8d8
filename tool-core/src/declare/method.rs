//! Tools that are methods: a declaration and the instance that they are called on.

use std::{fmt, sync::Arc};

use super::{Declaration, Declared};
use crate::{
    Arguments, Location, Tool, ToolContext, ToolDefinition, ToolFuture, ToolOptions, ToolSelector,
    context::Requirements,
};

/// How a method is called.
pub type MethodCall<S> = fn(&Arc<S>, &Arguments, ToolContext) -> ToolFuture<'static>;

/// A [`Declaration`] of a method of `S`.
pub type MethodDeclaration<S> = Declaration<MethodCall<S>>;

/// A method of an instance, as a tool.
pub struct MethodTool<S: ?Sized> {
    declaration: MethodDeclaration<S>,
    instance: Arc<S>,
}

impl<S: ?Sized> MethodTool<S> {
    /// The method of `declaration`, on `instance`.
    pub fn new(instance: Arc<S>, declaration: MethodDeclaration<S>) -> Self {
        Self { declaration, instance }
    }
}

impl<S: ?Sized + Send + Sync + 'static> Tool for MethodTool<S> {
    fn definition(&self) -> &ToolDefinition {
        self.declaration.definition()
    }

    fn options(&self) -> &ToolOptions {
        self.declaration.options()
    }

    fn requires(&self, requirements: &mut Requirements) {
        (self.declaration.requires)(requirements);
    }

    fn declared(&self) -> Option<Declared> {
        Some(self.declaration.identity())
    }

    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a> {
        (self.declaration.call)(&self.instance, arguments, context)
    }
}

impl<S: ?Sized> fmt::Debug for MethodTool<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MethodTool").field("name", &self.declaration.name).finish_non_exhaustive()
    }
}

/// The name of a method that is a tool, as `Service::TOOLS.find`: what policies take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodRef(Declared);

impl MethodRef {
    /// For the expansion of `#[function_tools]`.
    #[doc(hidden)]
    pub const fn new(name: &'static str, location: Location) -> Self {
        Self(Declared { name, location })
    }

    /// The name that the author gave; a toolset's prefix is not in it.
    pub const fn name(&self) -> &'static str {
        self.0.name
    }

    /// Where the method is.
    pub const fn location(&self) -> Location {
        self.0.location
    }
}

impl From<MethodRef> for ToolSelector {
    fn from(method: MethodRef) -> Self {
        Self::Declared(method.0)
    }
}
