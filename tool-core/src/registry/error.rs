//! What `build()` refuses and what it only warns of.

use std::fmt;

use crate::{Location, NameError, SchemaError, ToolName};

/// Everything that `build()` refuses, at once.
#[derive(Debug)]
pub struct BuildErrors(pub(super) Vec<BuildError>);

impl BuildErrors {
    /// The errors, in the order of the checks.
    pub fn errors(&self) -> &[BuildError] {
        &self.0
    }
}

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the registry cannot be built:")?;
        self.0.iter().try_for_each(|error| write!(f, "\n  {error}"))
    }
}

impl std::error::Error for BuildErrors {}

/// One thing that cannot work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A tool that no provider would take, or that has nothing to tell the model.
    #[error("{}tool `{tool}`: {fault}", At(*location))]
    Tool {
        /// The name as declared.
        tool: String,
        /// Where it was declared.
        location: Option<Location>,
        /// What is wrong with it.
        fault: String,
    },
    /// With the toolset's prefix the name is too long.
    #[error("{}tool `{tool}` with the prefix `{prefix}`: {error}", At(*location))]
    Prefixed {
        /// The name as declared.
        tool: String,
        /// The prefix of its toolset.
        prefix: String,
        /// Where it was declared.
        location: Option<Location>,
        /// What is wrong with the joined name.
        error: NameError,
    },
    /// Two tools have one name.
    #[error("{}two tools are called `{name}`; the other one is {}", At(*second), Other(*first))]
    DuplicateName {
        /// The model-facing name.
        name: ToolName,
        /// Where the first was declared.
        first: Option<Location>,
        /// Where the second was declared.
        second: Option<Location>,
    },
    /// A tool is called like a discovery tool.
    #[error(
        "{}tool `{name}` is called like a discovery tool that was set up at {search}; rename one: `ToolSearch::name(…)`",
        At(*location)
    )]
    ReservedName {
        /// The name.
        name: ToolName,
        /// Where the tool was declared.
        location: Option<Location>,
        /// Where the discovery tool was set up.
        search: Location,
    },
    /// One annotated tool is in two lists.
    #[error("{location}: tool `{tool}` is registered twice: in toolset `{first}` and in toolset `{second}`")]
    RegisteredTwice {
        /// The name as declared.
        tool: &'static str,
        /// Where it was declared.
        location: Location,
        /// A toolset that has it.
        first: String,
        /// The other one.
        second: String,
    },
    /// Two toolsets have one namespace.
    #[error("two toolsets have the namespace `{0}`; each needs its own")]
    DuplicateNamespace(String),
    /// A namespace of nothing but white space.
    #[error("a toolset has a blank namespace; `Toolset::new` needs a name")]
    BlankNamespace,
    /// A prefix that no legal name can begin with.
    #[error("the prefix of toolset `{namespace}`: {error}")]
    Prefix {
        /// The toolset.
        namespace: String,
        /// What is wrong with the prefix.
        error: NameError,
    },
    /// A tool looks up a host value that nobody declared.
    #[error("{}tool `{tool}` needs a host value of type `{type_name}`; {help}", At(*location))]
    MissingHostValue {
        /// The tool.
        tool: ToolName,
        /// Where it was declared.
        location: Option<Location>,
        /// The type it looks up.
        type_name: &'static str,
        /// What to write.
        help: String,
    },
    /// A value of one type was given twice.
    #[error("two host values have the type `{0}`; wrap one in a type of its own")]
    DuplicateHostValue(&'static str),
    /// A tool belongs to a group that the registry does not have.
    #[error("{}tool `{tool}` is in the group `{group}`, which {fault}", At(*location))]
    UnknownGroup {
        /// The tool.
        tool: ToolName,
        /// Where it was declared.
        location: Option<Location>,
        /// The group it names.
        group: String,
        /// What is wrong with the group, and what to write.
        fault: &'static str,
    },
    /// A tool wants approval and nobody can give it.
    #[error("{}tool `{tool}` requires approval, but the registry has no approval policy", At(*location))]
    NoApprovalPolicy {
        /// The tool.
        tool: ToolName,
        /// Where it was declared.
        location: Option<Location>,
    },
    /// A deferred tool that no discovery tool can reach.
    #[error(
        "{}tool `{tool}` is deferred, but nothing can reveal it: remove `.without_search()`, register a `discovery` tool, or make it eager",
        At(*location)
    )]
    Undiscoverable {
        /// The tool.
        tool: ToolName,
        /// Where it was declared.
        location: Option<Location>,
    },
    /// A setting of a group.
    #[error("{location}: group `{group}`: {fault}")]
    Group {
        /// The name of the group.
        group: String,
        /// Where it was made.
        location: Location,
        /// What is wrong.
        fault: String,
    },
    /// The budget of a toolset.
    #[error("toolset `{namespace}`: {fault}")]
    Budget {
        /// The toolset.
        namespace: String,
        /// What is wrong.
        fault: &'static str,
    },
    /// The source of a toolset.
    #[error("toolset `{namespace}`: {fault}")]
    Source {
        /// The toolset.
        namespace: String,
        /// What is wrong, and what to write.
        fault: String,
    },
    /// `require_approval` without a policy.
    #[error(
        "`require_approval` names tools, but the registry has no approval policy: call `.approval(policy)`"
    )]
    ApprovalWithoutPolicy,
    /// A setting of the search tool.
    #[error("{location}: the search tool: {fault}")]
    Search {
        /// Where the search tool was set up.
        location: Location,
        /// What is wrong.
        fault: String,
    },
    /// `linked()` found nothing.
    #[error(
        "`linked()` found no annotated tools: a crate that is never mentioned is not linked; write `use my_tools as _;` for each crate that declares tools"
    )]
    NothingLinked,
}

/// Something that works, but hardly as meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// An entry of `deny` or `allow` that matches no tool.
    #[error("`{entry}` in deny or allow matches no tool")]
    UnmatchedSelector {
        /// The entry.
        entry: String,
    },
    /// A text that the model reads from the first turn names a tool that it cannot see.
    #[error("the description of `{tool}` names `{hidden}`, which is hidden until it is revealed")]
    NamesHiddenTool {
        /// The tool whose description it is.
        tool: ToolName,
        /// The hidden tool.
        hidden: ToolName,
    },
    /// Something of a type of sub-agent.
    #[error("sub-agent `{name}`: {warning}")]
    SubAgent {
        /// The name of the type.
        name: String,
        /// What is hardly meant.
        warning: Box<Warning>,
    },
    /// The instructions of an agent name a tool that the model cannot see.
    #[error("the instructions name `{hidden}`, which is hidden until it is revealed")]
    InstructionsNameHiddenTool {
        /// The hidden tool.
        hidden: ToolName,
    },
}

/// All schemas that cannot be made, from [`Registry::check`](crate::Registry::check).
#[derive(Debug)]
pub struct CheckErrors(pub(super) Vec<CheckError>);

impl CheckErrors {
    /// The errors, in (toolset, name) order.
    pub fn errors(&self) -> &[CheckError] {
        &self.0
    }
}

impl fmt::Display for CheckErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("some tools cannot be offered:")?;
        self.0.iter().try_for_each(|error| write!(f, "\n  {error}"))
    }
}

impl std::error::Error for CheckErrors {}

/// A tool whose schema cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("{}tool `{tool}`: {error}", At(*location))]
#[non_exhaustive]
pub struct CheckError {
    /// The tool.
    pub tool: ToolName,
    /// Where it was declared.
    pub location: Option<Location>,
    /// What is wrong with its types.
    pub error: SchemaError,
}

/// `file:line: ` where it is known.
struct At(Option<Location>);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |location| write!(f, "{location}: "))
    }
}

struct Other(Option<Location>);

impl fmt::Display for Other {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(location) => write!(f, "at {location}"),
            None => f.write_str("made by hand"),
        }
    }
}
