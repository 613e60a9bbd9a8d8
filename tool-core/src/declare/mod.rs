//! What `#[function_tool]` expands to: a static [`Declaration`] and a [`ToolRef`] that points at it, and everything
//! that the expansion calls at run time ([`private`]).
//!
//! The expansion is small on purpose: reading arguments is one shared walk over `dyn` slots ([`read`]), so generic code
//! exists once per parameter *type*, and a crate with hundreds of tools compiles quickly.

mod arg;
mod distinct;
mod explain;
mod future;
mod linked;
mod method;
#[doc(hidden)]
pub mod private;
mod read;
mod returned;
mod returned_text;
mod root;
mod slot;
mod tool_ref;

use std::{borrow::Cow, sync::OnceLock, time::Duration};

pub(crate) use arg::{ToolArg, is_optional, known_fields, part_is_optional};
#[cfg(feature = "inventory")]
pub(crate) use linked::linked;
pub use method::MethodRef;
use returned::SchemaFn;
pub use tool_ref::ToolRef;

use crate::{
    Approval, Arguments, EnabledFn, Loading, Location, ToolAnnotations, ToolContext, ToolDefinition,
    ToolFuture, ToolKind, ToolName, ToolOptions,
    context::Requirements,
    definition::LazySchema,
    schema::{Schema, SchemaError},
};

/// How an annotated function is called.
pub type FunctionCall = fn(&Arguments, ToolContext) -> ToolFuture<'static>;

/// Everything known of an annotated function or method at compile time.
#[derive(Debug)]
pub struct Declaration<C = FunctionCall> {
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
    /// What makes the output schema, if the function returns `Json<T>`.
    pub output_schema: fn() -> Option<SchemaFn>,
    /// Names the host values it looks up.
    pub requires: fn(&mut Requirements),
    /// Decodes the arguments and calls the function.
    pub call: C,
    /// Definition and options, made when a registry first asks.
    pub made: Made,
}

/// The run-time form of a [`Declaration`], made once.
#[derive(Debug, Default)]
pub struct Made(OnceLock<(ToolDefinition, ToolOptions)>);

impl Made {
    /// Not made yet.
    #[allow(clippy::declare_interior_mutable_const, reason = "each declaration gets its own")]
    pub const NEW: Self = Self(OnceLock::new());
}

impl<C> Declaration<C> {
    fn identity(&self) -> Declared {
        Declared { name: self.name, location: self.location }
    }

    fn definition(&self) -> &ToolDefinition {
        &self.made().0
    }

    fn options(&self) -> &ToolOptions {
        &self.made().1
    }

    fn made(&self) -> &(ToolDefinition, ToolOptions) {
        self.made.0.get_or_init(|| {
            let name = ToolName::checked(self.name);
            let definition =
                ToolDefinition::new(name, self.description.into(), LazySchema::new(self.input_schema))
                    .with_title(self.title.map(Cow::Borrowed))
                    .with_annotations(self.annotations)
                    .with_output_schema((self.output_schema)().map(LazySchema::new));
            let options = ToolOptions {
                loading: self.loading,
                kind: self.kind,
                group: self.group.map(Cow::Borrowed),
                keywords: self.keywords.iter().map(|word| Cow::Borrowed(*word)).collect(),
                approval: self.approval,
                timeout: self.timeout,
                enabled: self.enabled,
                location: Some(self.location),
            };
            (definition, options)
        })
    }
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

#[cfg(test)]
mod tests;
