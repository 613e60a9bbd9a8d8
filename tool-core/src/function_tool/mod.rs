//! [`FunctionTool`]: a tool that is built by hand, from a closure, where `#[function_tool]` cannot be written: names that
//! are known at run time, closures that own something, schemas that come from outside.
//!
//! Building never fails. What makes a tool unusable (a bad name, no description, a schema that is none) is kept and
//! reported by `RegistryBuilder::build` with everything else.

mod result;
#[cfg(test)]
mod tests;

use std::{borrow::Cow, fmt, future::Future, sync::Arc, time::Duration};

pub use result::{IntoToolOutput, IntoToolResult};

use crate::{
    Approval, Arguments, EnabledFn, Loading, Location, Schema, Tool, ToolAnnotations, ToolContext,
    ToolDefinition, ToolFuture, ToolKind, ToolName, ToolOptions,
    declare::{ToolArg, blocking, failed, read_all},
    definition::LazySchema,
    schema::{SchemaError, args_schema},
};

/// What a tool does with a call.
type Handler = Box<dyn Fn(&Arguments, ToolContext) -> ToolFuture<'static> + Send + Sync>;

/// A tool made from a closure.
///
/// The closure takes the arguments as one type and an owned [`ToolContext`]; `()` is a tool without arguments. It
/// returns text, [`Json`](crate::Json), a [`ToolOutput`](crate::ToolOutput), or a `Result` of anything that serialises
/// (see [`IntoToolResult`]).
///
/// # Examples
/// ```
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use tool_core::{FunctionTool, Registry, ToolContext};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Add {
///     a: i64,
///     b: i64,
/// }
///
/// let add = FunctionTool::new("add", "Adds two numbers.", async |args: Add, _: ToolContext| {
///     args.a.checked_add(args.b).ok_or("the sum is too large")
/// });
/// let registry = Registry::builder().tool(add).build()?;
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
pub struct FunctionTool {
    definition: ToolDefinition,
    options: ToolOptions,
    handler: Handler,
    fault: Option<String>,
}

impl FunctionTool {
    /// A tool with default options: eager, without annotations.
    #[track_caller]
    pub fn new<A, F, Fut>(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        handler: F,
    ) -> Self
    where
        A: ToolArg,
        F: Fn(A, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoToolResult> + Send + 'static,
    {
        Self::builder(name, description).handler(handler)
    }

    /// A tool whose options are set before its closure.
    #[track_caller]
    pub fn builder(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
    ) -> FunctionToolBuilder {
        FunctionToolBuilder {
            name: name.into(),
            description: description.into(),
            title: None,
            annotations: ToolAnnotations::NONE,
            options: ToolOptions { location: Some(Location::caller()), ..ToolOptions::default() },
        }
    }
}

impl Tool for FunctionTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn options(&self) -> &ToolOptions {
        &self.options
    }

    fn fault(&self) -> Option<String> {
        self.fault.clone()
    }

    fn call<'a>(&'a self, arguments: &'a Arguments, context: ToolContext) -> ToolFuture<'a> {
        (self.handler)(arguments, context)
    }
}

impl fmt::Debug for FunctionTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionTool")
            .field("definition", &self.definition)
            .field("options", &self.options)
            .field("fault", &self.fault)
            .finish_non_exhaustive()
    }
}

/// The options of a [`FunctionTool`]; [`handler`](Self::handler), [`blocking`](Self::blocking) or [`raw`](Self::raw)
/// makes the tool.
#[derive(Debug)]
#[must_use = "a builder makes no tool before it has a handler"]
pub struct FunctionToolBuilder {
    name: Cow<'static, str>,
    description: Cow<'static, str>,
    title: Option<Cow<'static, str>>,
    annotations: ToolAnnotations,
    options: ToolOptions,
}

impl FunctionToolBuilder {
    /// A name for people.
    pub fn title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Behaviour hints.
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Eager or deferred.
    pub fn loading(mut self, loading: Loading) -> Self {
        self.options.loading = loading;
        self
    }

    /// Hidden until a discovery tool reveals it.
    pub fn deferred(self) -> Self {
        self.loading(Loading::Deferred)
    }

    /// An ordinary or a discovery tool.
    pub fn kind(mut self, kind: ToolKind) -> Self {
        self.options.kind = kind;
        self
    }

    /// The group that loads the tool as a whole. Tools of a group are deferred.
    pub fn group(mut self, group: impl Into<Cow<'static, str>>) -> Self {
        self.options.group = Some(group.into());
        self.deferred()
    }

    /// Words that only the search sees.
    pub fn keywords(mut self, keywords: impl IntoIterator<Item = impl Into<Cow<'static, str>>>) -> Self {
        self.options.keywords = keywords.into_iter().map(Into::into).collect();
        self
    }

    /// Calls wait for the host's approval policy.
    pub fn requires_approval(mut self) -> Self {
        self.options.approval = Approval::Required;
        self
    }

    /// Longest run of one call.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
        self
    }

    /// Asked whether the tool exists for a session.
    pub fn enabled(mut self, enabled: EnabledFn) -> Self {
        self.options.enabled = Some(enabled);
        self
    }

    /// The tool that awaits `handler`.
    pub fn handler<A, F, Fut>(self, handler: F) -> FunctionTool
    where
        A: ToolArg,
        F: Fn(A, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoToolResult> + Send + 'static,
    {
        self.typed::<A, Fut::Output>(move |arguments, context| match read_all::<A>(arguments) {
            Ok(arguments) => {
                let future = handler(arguments, context);
                Box::pin(async move { future.await.into_tool_result() })
            }
            Err(error) => failed(error),
        })
    }

    /// The tool that runs `handler` on the blocking pool of the runtime.
    ///
    /// # Examples
    /// ```
    /// use tool_core::{FunctionTool, ToolContext};
    ///
    /// let tool = FunctionTool::builder("hostname", "The name of this machine.")
    ///     .blocking(|_: (), _: ToolContext| std::fs::read_to_string("/etc/hostname"));
    /// ```
    pub fn blocking<A, F, R>(self, handler: F) -> FunctionTool
    where
        A: ToolArg,
        F: Fn(A, ToolContext) -> R + Send + Sync + 'static,
        R: IntoToolResult + 'static,
    {
        let handler = Arc::new(handler);
        self.typed::<A, R>(move |arguments, context| match read_all::<A>(arguments) {
            Ok(arguments) => {
                let handler = Arc::clone(&handler);
                blocking(move || handler(arguments, context).into_tool_result())
            }
            Err(error) => failed(error),
        })
    }

    /// The tool that awaits `handler` with the arguments as they came; `input_schema` is JSON text and is sent as it is.
    ///
    /// # Examples
    /// ```
    /// use tool_core::{Arguments, FunctionTool, ToolContext};
    ///
    /// let schema = r#"{"type":"object","properties":{"msg":{"type":"string"}}}"#;
    /// let tool = FunctionTool::builder("echo", "Says it again.")
    ///     .raw(schema, async |arguments: Arguments, _: ToolContext| arguments.to_text().into_owned());
    /// ```
    pub fn raw<F, Fut>(self, input_schema: &str, handler: F) -> FunctionTool
    where
        F: Fn(Arguments, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output: IntoToolResult> + Send + 'static,
    {
        let schema = Schema::foreign(input_schema);
        let fault = schema.as_ref().err().map(SchemaError::to_string);
        self.finish(fault, LazySchema::new(move || schema.clone()), None, move |arguments, context| {
            let future = handler(arguments.clone(), context);
            Box::pin(async move { future.await.into_tool_result() })
        })
    }

    fn typed<A: ToolArg, R: IntoToolResult>(
        self,
        handler: impl Fn(&Arguments, ToolContext) -> ToolFuture<'static> + Send + Sync + 'static,
    ) -> FunctionTool {
        self.finish(None, LazySchema::new(args_schema::<A>), R::output_schema().map(LazySchema::new), handler)
    }

    fn finish(
        self,
        fault: Option<String>,
        input_schema: LazySchema,
        output_schema: Option<LazySchema>,
        handler: impl Fn(&Arguments, ToolContext) -> ToolFuture<'static> + Send + Sync + 'static,
    ) -> FunctionTool {
        let mut faults: Vec<String> = fault.into_iter().collect();
        let name = ToolName::new(&self.name).unwrap_or_else(|error| {
            faults.push(error.to_string());
            ToolName::from_wire("", &self.name)
        });
        if self.description.trim().is_empty() {
            faults.push("the description is empty".to_owned());
        }
        FunctionTool {
            definition: ToolDefinition::new(name, self.description, input_schema)
                .with_title(self.title)
                .with_annotations(self.annotations)
                .with_output_schema(output_schema),
            options: self.options,
            handler: Box::new(handler),
            fault: (!faults.is_empty()).then(|| faults.join("; ")),
        }
    }
}
