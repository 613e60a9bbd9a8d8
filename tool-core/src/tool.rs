//! The one trait that everything callable implements.

use std::{future::Future, pin::Pin, sync::Arc};

use crate::{
    Arguments, ToolContext, ToolDefinition, ToolError, ToolOptions, ToolOutput, context::Requirements,
    declare::Declared,
};

/// The future of one call.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<ToolOutput, ToolError>> + Send + 'a>>;

/// One callable. Written by `#[function_tool]`, by [`FunctionTool`](crate::FunctionTool), or by hand for a layer
/// around other tools (`RegistryBuilder::wrap`).
///
/// The library asks for definition and options once, when the registry is built.
pub trait Tool: Send + Sync + 'static {
    /// What the model sees.
    fn definition(&self) -> &ToolDefinition;

    /// What only the host sees.
    fn options(&self) -> &ToolOptions;

    /// Names the host values that a call will look up, so that `build()` can say which are missing.
    fn requires(&self, requirements: &mut Requirements) {
        let _ = requirements;
    }

    /// The `#[function_tool]` behind this tool, so that nothing is listed twice.
    #[doc(hidden)]
    fn declared(&self) -> Option<Declared> {
        None
    }

    /// What makes this tool unusable, for `build()` to report with everything else.
    #[doc(hidden)]
    fn fault(&self) -> Option<String> {
        None
    }

    /// Runs one call. Decodes the arguments itself; an undecodable argument is an error of kind `InvalidArguments`.
    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a>;
}

impl<T: Tool + ?Sized> Tool for Arc<T> {
    fn definition(&self) -> &ToolDefinition {
        (**self).definition()
    }

    fn options(&self) -> &ToolOptions {
        (**self).options()
    }

    fn requires(&self, requirements: &mut Requirements) {
        (**self).requires(requirements);
    }

    fn declared(&self) -> Option<Declared> {
        (**self).declared()
    }

    fn fault(&self) -> Option<String> {
        (**self).fault()
    }

    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a> {
        (**self).call(arguments, context)
    }
}
