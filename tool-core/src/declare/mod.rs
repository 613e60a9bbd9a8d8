//! What `#[function_tool]` expands to: a static [`Declaration`] and a [`ToolRef`] that points at it.

#[cfg(feature = "inventory")]
mod linked;
mod tool_ref;

use std::{fmt, sync::OnceLock, time::Duration};

use crate::{
    Approval, Arguments, EnabledFn, Loading, Location, ToolAnnotations, ToolContext, ToolDefinition,
    ToolFuture, ToolKind, ToolOptions,
    context::Requirements,
    schema::{Schema, SchemaError},
};

#[cfg(feature = "inventory")]
pub(crate) use linked::linked;

/// Everything known of an annotated function at compile time.
#[derive(Debug)]
#[non_exhaustive]
pub struct Declaration {
    /// Model-facing name, checked by the macro.
    pub name: &'static str,
    /// Name for people.
    pub title: Option<&'static str>,
    /// Description for the model.
    pub description: &'static str,
    /// Hints.
    pub annotations: ToolAnnotations,
    /// Eager or deferred.
    pub loading: Loading,
    /// Ordinary or discovery.
    pub kind: ToolKind,
    /// Group that loads it.
    pub group: Option<&'static str>,
    /// Search-only words.
    pub keywords: &'static [&'static str],
    /// Whether calls wait for the host.
    pub approval: Approval,
    /// Longest run.
    pub timeout: Option<Duration>,
    /// Asked whether it exists for a session.
    pub enabled: Option<EnabledFn>,
    /// Where the function is.
    pub location: Location,
    /// Makes the input schema.
    pub input_schema: fn() -> Result<Schema, SchemaError>,
    /// Makes the output schema, if the function returns `Json<T>`.
    pub output_schema: Option<fn() -> Result<Schema, SchemaError>>,
    /// Names the host values it looks up.
    pub requires: fn(&mut Requirements),
    /// Decodes the arguments and calls the function.
    pub call: fn(&Arguments, ToolContext) -> ToolFuture<'static>,
    /// Definition and options, made when a registry first asks.
    pub made: Made,
}

/// The run-time form of a [`Declaration`], made once.
#[derive(Debug, Default)]
pub struct Made(OnceLock<(ToolDefinition, ToolOptions)>);

impl Made {
    /// Not made yet.
    #[allow(clippy::declare_interior_mutable_const, reason = "each static gets its own")]
    pub const NEW: Self = Self(OnceLock::new());
}

/// The identity of an annotated tool, whatever name and prefix it is registered under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Declared {
    /// The name that the author gave.
    pub name: &'static str,
    /// Where the function is.
    pub location: Location,
}

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

    pub(crate) const fn identity(self) -> Declared {
        Declared { name: self.0.name, location: self.0.location }
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
