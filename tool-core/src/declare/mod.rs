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
mod root;
mod slot;
mod tool_ref;

use std::{borrow::Cow, sync::OnceLock, time::Duration};

pub use arg::ToolArg;
pub(crate) use arg::{is_optional, known_fields, part_is_optional, unit_value};
pub(crate) use future::{blocking, failed};
#[cfg(feature = "inventory")]
pub(crate) use linked::linked;
pub use method::MethodRef;
pub(crate) use returned::{JsonValue, SchemaFn};
pub(crate) use returned::{from_boxed, serialised, structured};
pub(crate) use root::read_all;
pub use tool_ref::ToolRef;

use crate::{
    Approval, Arguments, EnabledFn, Loading, Location, ToolAnnotations, ToolContext, ToolDefinition,
    ToolError, ToolFuture, ToolKind, ToolName, ToolOptions,
    context::Requirements,
    definition::LazySchema,
    schema::{Schema, SchemaError, input_schema},
};

/// How an annotated function is called.
pub type FunctionCall = fn(&Arguments, ToolContext) -> ToolFuture<'static>;

/// Everything known of an annotated function or method at compile time.
#[derive(Debug)]
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
    /// What makes the output schema, if the function returns `Json<T>`.
    pub output_schema: fn() -> Option<SchemaFn>,
    /// Names the host values it looks up.
    pub requires: fn(&mut Requirements),
    /// Decodes the arguments and calls the function.
    pub call: FunctionCall,
    /// Where definition and options are kept once a registry has asked. A function, because a constant that points at a
    /// cell does not compile before Rust 1.91.
    pub made: fn() -> &'static Made,
}

/// The run-time form of a [`Declaration`], made once.
#[derive(Debug, Default)]
pub struct Made(OnceLock<(ToolDefinition, ToolOptions)>);

impl Made {
    /// Not made yet.
    #[allow(clippy::declare_interior_mutable_const, reason = "each static gets its own")]
    pub const NEW: Self = Self(OnceLock::new());
}

impl Declaration {
    /// What an expansion need not say.
    pub const BASE: Self = Self {
        name: "",
        title: None,
        description: "",
        annotations: ToolAnnotations::NONE,
        loading: Loading::Eager,
        kind: ToolKind::Ordinary,
        group: None,
        keywords: &[],
        approval: Approval::NotRequired,
        timeout: None,
        enabled: None,
        location: Location { file: "", line: 0, column: 0 },
        input_schema: || input_schema(&[]),
        output_schema: || None,
        requires: |_| {},
        call: |_, _| future::failed(ToolError::new("the declaration of this tool does not compile")),
        made: || {
            static MADE: Made = Made::NEW;
            &MADE
        },
    };

    fn make(&self) -> (ToolDefinition, ToolOptions) {
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
    /// Tells instances of a service apart, and functions that one `macro_rules!` call made; `None` stands for all.
    instance: Option<usize>,
}

impl Declared {
    /// Whether this names `other`.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        (self.name, self.location) == (other.name, other.location)
            && (self.instance.is_none() || self.instance == other.instance)
    }
}

#[cfg(test)]
mod tests;
