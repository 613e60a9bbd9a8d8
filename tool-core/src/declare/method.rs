//! Tools that are methods: a declaration and the instance that they are called on.

use std::sync::Arc;

use super::{Declaration, Declared};
use crate::{
    Arguments, Location, Tool, ToolContext, ToolDefinition, ToolFuture, ToolOptions, ToolSelector,
    context::Requirements,
};

/// A method of `S` as the expansion of `#[function_tools]` declares it.
#[derive(Debug)]
pub struct MethodDeclaration<S: ?Sized> {
    /// Everything but the call.
    pub declaration: Declaration,
    /// Decodes the arguments and calls the method.
    pub call: fn(Arc<S>, &Arguments, ToolContext) -> ToolFuture<'static>,
}

/// The tool of a method of `instance`.
pub fn method<S: Send + Sync + 'static>(
    instance: &Arc<S>,
    method: &'static MethodDeclaration<S>,
) -> Arc<dyn Tool> {
    let (definition, options) = method.declaration.make();
    Arc::new(MethodTool { method, instance: Arc::clone(instance), definition, options })
}

/// A method of an instance.
struct MethodTool<S: 'static> {
    method: &'static MethodDeclaration<S>,
    instance: Arc<S>,
    definition: ToolDefinition,
    options: ToolOptions,
}

impl<S: Send + Sync + 'static> Tool for MethodTool<S> {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn options(&self) -> &ToolOptions {
        &self.options
    }

    fn requires(&self, requirements: &mut Requirements) {
        (self.method.declaration.requires)(requirements);
    }

    fn declared(&self) -> Option<Declared> {
        let Declaration { name, location, .. } = self.method.declaration;
        Some(Declared { name, location, instance: Some(Arc::as_ptr(&self.instance).addr()) })
    }

    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a> {
        (self.method.call)(Arc::clone(&self.instance), arguments, context)
    }
}

/// The name of a method that is a tool, as `Service::TOOLS.find`: what policies take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodRef(Declared);

impl MethodRef {
    /// For the expansion of `#[function_tools]`.
    #[doc(hidden)]
    pub const fn new(name: &'static str, location: Location) -> Self {
        Self(Declared { name, location, instance: None })
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
