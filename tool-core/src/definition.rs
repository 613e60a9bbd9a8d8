//! What the model sees of a tool, and what only the host sees.
//!
//! [`ToolDefinition`] is sent to the model; [`ToolOptions`] never is. Both are declared once and never change;
//! a definition's schemas are made on first use and shared by every clone.

use std::{borrow::Cow, fmt, sync::Arc, sync::OnceLock, time::Duration};

use serde::{Serialize, ser::SerializeStruct};

use crate::{
    ToolContext, ToolName,
    schema::{Schema, SchemaError},
};

/// Whether a tool is in every list, or only once it was revealed. Declared by the author, never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Loading {
    /// In the list from the first turn.
    #[default]
    Eager,
    /// Hidden until a discovery tool reveals it.
    Deferred,
}

/// Behaviour hints for hosts and models, as in MCP. What the author did not write is not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// The tool changes nothing.
    #[serde(rename = "readOnlyHint", skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// The tool may destroy or overwrite something.
    #[serde(rename = "destructiveHint", skip_serializing_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// A second call with the same arguments changes nothing more.
    #[serde(rename = "idempotentHint", skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// The tool reaches things outside of the host.
    #[serde(rename = "openWorldHint", skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
}

impl ToolAnnotations {
    /// Nothing declared.
    pub const NONE: Self = Self { read_only: None, destructive: None, idempotent: None, open_world: None };

    /// For the expansion of `#[function_tool]`.
    #[doc(hidden)]
    pub const fn new(
        read_only: Option<bool>,
        destructive: Option<bool>,
        idempotent: Option<bool>,
        open_world: Option<bool>,
    ) -> Self {
        Self { read_only, destructive, idempotent, open_world }
    }
}

/// A schema that is made when it is first asked for, once, for all clones.
#[derive(Clone)]
pub(crate) struct LazySchema(Arc<LazySchemaInner>);

enum LazySchemaInner {
    Made(Schema),
    Lazy {
        made: OnceLock<Result<Schema, SchemaError>>,
        make: Box<dyn Fn() -> Result<Schema, SchemaError> + Send + Sync>,
    },
}

impl LazySchema {
    pub(crate) fn new(make: impl Fn() -> Result<Schema, SchemaError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(LazySchemaInner::Lazy { made: OnceLock::new(), make: Box::new(make) }))
    }

    pub(crate) fn made(schema: Schema) -> Self {
        Self(Arc::new(LazySchemaInner::Made(schema)))
    }

    pub(crate) fn get(&self) -> Result<&Schema, &SchemaError> {
        match &*self.0 {
            LazySchemaInner::Made(schema) => Ok(schema),
            LazySchemaInner::Lazy { made, make } => made.get_or_init(make).as_ref(),
        }
    }
}

/// What the model sees of a tool: name, description, input schema, annotations.
///
/// Cheap to clone. Serialises as `{"name", "title"?, "description", "inputSchema", "outputSchema"?, "annotations"?}`,
/// the member names of MCP.
#[derive(Clone)]
pub struct ToolDefinition {
    name: ToolName,
    title: Option<Cow<'static, str>>,
    description: Cow<'static, str>,
    annotations: ToolAnnotations,
    input_schema: LazySchema,
    output_schema: Option<LazySchema>,
}

impl ToolDefinition {
    pub(crate) fn new(name: ToolName, description: Cow<'static, str>, input_schema: LazySchema) -> Self {
        Self {
            name,
            title: None,
            description,
            annotations: ToolAnnotations::NONE,
            input_schema,
            output_schema: None,
        }
    }

    pub(crate) fn with_title(mut self, title: Option<Cow<'static, str>>) -> Self {
        self.title = title;
        self
    }

    pub(crate) fn with_annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = annotations;
        self
    }

    pub(crate) fn with_output_schema(mut self, schema: Option<LazySchema>) -> Self {
        self.output_schema = schema;
        self
    }

    /// The same definition under another name (a toolset's prefix); schemas stay shared.
    pub(crate) fn renamed(&self, name: ToolName) -> Self {
        Self { name, ..self.clone() }
    }

    /// The name under which the model calls the tool.
    pub fn name(&self) -> &ToolName {
        &self.name
    }

    /// A name for people, if the author gave one.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// What the tool does, for the model.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The hints that the author declared.
    pub fn annotations(&self) -> ToolAnnotations {
        self.annotations
    }

    /// The JSON Schema of the arguments. Tools in a turn always have one.
    ///
    /// # Errors
    /// [`SchemaError`] if the parameter types do not make an object schema; `Registry::check` reports these.
    pub fn input_schema(&self) -> Result<&Schema, &SchemaError> {
        self.input_schema.get()
    }

    /// The JSON Schema of the structured result, for tools that return `Json<T>`.
    ///
    /// # Errors
    /// As [`input_schema`](Self::input_schema).
    pub fn output_schema(&self) -> Result<Option<&Schema>, &SchemaError> {
        self.output_schema.as_ref().map(LazySchema::get).transpose()
    }

    /// Why the tool cannot be offered, if so. Makes its schemas.
    pub(crate) fn unusable(&self) -> Option<&SchemaError> {
        self.input_schema().err().or(self.output_schema().err())
    }
}

impl fmt::Debug for ToolDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolDefinition")
            .field("name", &self.name)
            .field("description", &self.description)
            .finish_non_exhaustive()
    }
}

impl Serialize for ToolDefinition {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let input = self.input_schema().map_err(serde::ser::Error::custom)?;
        let output = self.output_schema().map_err(serde::ser::Error::custom)?;
        let annotated = self.annotations != ToolAnnotations::NONE;
        let members =
            3 + usize::from(self.title.is_some()) + usize::from(output.is_some()) + usize::from(annotated);
        let mut object = serializer.serialize_struct("ToolDefinition", members)?;
        object.serialize_field("name", &self.name)?;
        if let Some(title) = &self.title {
            object.serialize_field("title", title)?;
        }
        object.serialize_field("description", &self.description)?;
        object.serialize_field("inputSchema", input)?;
        if let Some(output) = output {
            object.serialize_field("outputSchema", output)?;
        }
        if annotated {
            object.serialize_field("annotations", &self.annotations)?;
        }
        object.end()
    }
}

/// Whether the host must agree to each call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Approval {
    /// Calls run without asking.
    #[default]
    NotRequired,
    /// Calls wait for the host's approval policy.
    Required,
}

/// What kind of call a tool makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ToolKind {
    /// Runs beside the other calls of its batch.
    #[default]
    Ordinary,
    /// May search and reveal through its context; runs in call order with the other discovery calls of its batch.
    Discovery,
}

/// Asked whether a tool exists for this session: at the turn, at the search and at the call. A panic counts as `false`.
pub type EnabledFn = fn(&ToolContext) -> bool;

/// Where a tool was declared, for messages to the developer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// Path of the source file as the compiler saw it.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl Location {
    /// The place of the caller of the function that calls this.
    #[track_caller]
    pub(crate) const fn caller() -> Self {
        let place = std::panic::Location::caller();
        Self { file: place.file(), line: place.line(), column: place.column() }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// What only the host sees of a tool: how it is loaded, found, limited and allowed.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ToolOptions {
    /// Eager (default) or deferred.
    pub loading: Loading,
    /// Ordinary (default) or discovery.
    pub kind: ToolKind,
    /// The group that loads this tool as a whole.
    pub group: Option<Cow<'static, str>>,
    /// Words that only the search sees.
    pub keywords: Vec<Cow<'static, str>>,
    /// Whether calls wait for the host.
    pub approval: Approval,
    /// Longest run of one call; none by default.
    pub timeout: Option<Duration>,
    /// Asked whether the tool exists for a session.
    pub enabled: Option<EnabledFn>,
    /// Where the tool was declared.
    pub location: Option<Location>,
}
