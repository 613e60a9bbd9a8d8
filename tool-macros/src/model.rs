//! The validated declaration: what the expansion sees, and all it sees.
//!
//! [`Tool::validate`] is the one way to make a [`Tool`]; from there on nothing can fail. Rules stand with the part they
//! judge: [`function`] (what kind of `fn`), [`parameter`], [`types`], [`options`] (keys together).

mod function;
mod options;
mod parameter;
mod types;

use std::time::Duration;

use proc_macro2::Ident;
use syn::{Attribute, Expr, LitStr, Path, Type, Visibility, parse_quote};

use crate::{args::ToolArgs, diagnostics::Faults, docs, keys, name, signature::Function};

/// What names a tool from outside. Exists for faulty declarations too, so that their uses stay quiet.
pub(crate) struct Front {
    pub(crate) vis: Visibility,
    pub(crate) handle: Handle,
    pub(crate) name: String,
    pub(crate) krate: Path,
}

/// The type beside the function.
pub(crate) enum Handle {
    Named(Ident),
    None,
}

/// A declaration without faults.
pub(crate) struct Tool {
    pub(crate) ident: Ident,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) options: Options,
    pub(crate) execution: Execution,
    /// How a method takes its service; `None` for free functions.
    pub(crate) receiver: Option<SelfKind>,
    /// In the order of the call.
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) output: Output,
}

/// Keys that become fields of the declaration. `None` and `false` are the defaults of tool-core.
pub(crate) struct Options {
    pub(crate) title: Option<LitStr>,
    pub(crate) deferred: bool,
    pub(crate) discovery: bool,
    pub(crate) requires_approval: bool,
    pub(crate) group: Option<LitStr>,
    pub(crate) keywords: Vec<LitStr>,
    pub(crate) hints: Hints,
    pub(crate) timeout: Option<Duration>,
    pub(crate) enabled: Option<Path>,
}

/// Annotations, each as written or not sent.
#[derive(Default)]
pub(crate) struct Hints {
    pub(crate) read_only: Option<bool>,
    pub(crate) destructive: Option<bool>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) open_world: Option<bool>,
}

/// Where and how the body runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Execution {
    Async,
    Sync,
    /// On the blocking pool.
    Blocking,
}

/// How a method takes its service, which is kept as `Arc<Self>`.
#[derive(Clone, Copy)]
pub(crate) enum SelfKind {
    /// `&self`
    Borrowed,
    /// `self: Arc<Self>`
    Arc,
    /// `self: &Arc<Self>`
    BorrowedArc,
}

/// One parameter of the function.
pub(crate) enum Parameter {
    /// A value of the host.
    Context(Type),
    /// All arguments as one struct.
    Args(Type),
    /// One argument of the model. Boxed: it is much larger than the others.
    Argument(Box<Argument>),
}

/// One argument of the model.
pub(crate) struct Argument {
    pub(crate) ident: Ident,
    /// The member of the JSON object.
    pub(crate) key: String,
    pub(crate) doc: String,
    /// What is decoded: owned.
    pub(crate) ty: Type,
    pub(crate) pass: Pass,
    pub(crate) source: Source,
}

/// How the decoded value becomes the function's parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    Value,
    /// `String` to `&str`.
    Str,
    /// `Option<String>` to `Option<&str>`.
    OptionStr,
}

/// How an argument is decoded.
pub(crate) enum Source {
    /// By its type.
    Plain,
    /// By its type, or this where it is missing.
    Default(Expr),
    /// By the derives of a hidden struct that carries these attributes.
    Part { attrs: Vec<Attribute>, default: Option<Expr> },
}

/// What the function returns.
pub(crate) enum Output {
    Unit,
    /// `impl Trait` somewhere: cannot be named again.
    Opaque,
    Type(Box<Type>),
}

impl Front {
    /// Never fails: where a key is wrong, the default stands in. A method has no handle: an `impl` block takes no types.
    pub(crate) fn new(args: &ToolArgs, function: &Function) -> Self {
        let ident = &function.sig.ident;
        let handle = match &args.handle {
            _ if function.is_method() => Handle::None,
            Some(none) if none == "none" => Handle::None,
            Some(handle) if !name::is_primitive(handle) => Handle::Named(handle.clone()),
            None if !name::is_primitive(ident) => Handle::Named(ident.clone()),
            _ => Handle::None,
        };
        Self {
            vis: function.vis.clone(),
            handle,
            name: args.name.as_ref().map_or_else(|| keys::key_text(ident), LitStr::value),
            krate: args.crate_path.clone().unwrap_or_else(default_crate),
        }
    }
}

/// Where tool-core is unless `crate = …` says otherwise.
pub(crate) fn default_crate() -> Path {
    parse_quote!(::tool_core)
}

impl Tool {
    pub(crate) fn owner(&self) -> Owner {
        if self.receiver.is_some() { Owner::Method } else { Owner::Free }
    }

    /// Judges everything, adds all faults, and gives the model only if there are none.
    pub(crate) fn validate(
        args: ToolArgs,
        function: &mut Function,
        owner: Owner,
        faults: &mut Faults,
    ) -> Option<Self> {
        let (receiver, parameters) = function.take_parameters();
        let receiver = function::check(function, receiver.as_ref(), owner, faults);
        let ident = function.sig.ident.clone();
        let name = name::tool_name(args.name.as_ref(), &ident, faults);
        let description = description(&args, function, faults);
        if owner == Owner::Free {
            check_handle(&args, &ident, faults);
        }
        let parameters = parameter::validate_all(parameters, faults);
        let output = function::output(&function.sig.output, faults);
        let execution = options::execution(&args, &function.sig, faults);
        let options = Options::validate(args, faults);
        if !faults.is_empty() {
            return None;
        }
        function.allow_what_a_tool_needs();
        Some(Self { ident, name, description, options, execution, receiver, parameters, output })
    }
}

/// Where an annotated function stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    Free,
    /// In a `#[function_tools] impl`.
    Method,
}

/// The key, else the doc comment. No text is ever invented.
fn description(args: &ToolArgs, function: &Function, faults: &mut Faults) -> String {
    if let Some(text) = &args.description {
        return text.value().trim().to_owned();
    }
    let ident = &function.sig.ident;
    let docs = docs::docs(&function.attrs);
    if args.description_meant {
        // Its fault is reported already.
    } else if let Some(computed) = docs.computed {
        let help = "write the text as a plain doc comment, or as `#[function_tool(description = \"…\")]`";
        faults.add(computed, "the text of a doc comment made by a macro cannot be read", help);
    } else if docs.text.is_empty() && docs.written {
        let what = format!("the doc comment of `{ident}` has no text before its first heading");
        faults.add(
            ident,
            what,
            "say first what the tool does: what follows a heading is not sent to the model",
        );
    } else if docs.text.is_empty() {
        let what = format!("the tool `{ident}` has no description");
        faults.add(ident, what, "write a doc comment above it, or `#[function_tool(description = \"…\")]`");
    }
    docs.text
}

fn check_handle(args: &ToolArgs, ident: &Ident, faults: &mut Faults) {
    let taken = args.handle.as_ref().unwrap_or(ident);
    if !name::is_primitive(taken) {
        return;
    }
    let what = format!("the handle `{taken}` would hide the primitive type of that name");
    let help = if args.handle.is_some() {
        "write another name".to_owned()
    } else {
        format!("rename the function and write `name = \"{taken}\"`, or write `handle = OtherName`")
    };
    faults.add(taken, what, help);
}
