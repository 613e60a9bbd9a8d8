//! Groups: toolsets that the model loads as a whole.

use std::{borrow::Cow, error::Error, fmt, future::Future, pin::Pin, sync::Arc, time::Duration};

use crate::{Location, Tool, ToolContext, ToolError, ToolErrorKind, toolset::RegisteredTool};

/// How long a build may take unless the host says otherwise.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) type BuildFuture = Pin<Box<dyn Future<Output = Result<Vec<Arc<dyn Tool>>, ToolError>> + Send>>;
/// Makes the tools of a group for one session.
pub(crate) type GroupBuilder = Arc<dyn Fn(ToolContext) -> BuildFuture + Send + Sync>;

/// Where the tools of a group come from.
#[derive(Clone)]
pub(crate) enum Origin {
    /// Built for each session when the model loads the group.
    Lazy(GroupBuilder),
    /// The annotated tools with `group = "…"`, and those of a list; hidden until the group is loaded.
    Declared,
    /// In every list from the first turn.
    Resident,
}

/// Tools that the model loads as a whole with `load_tools`.
///
/// # Examples
/// ```
/// use tool_core::{FunctionTool, Registry, ToolContext, ToolError, ToolGroup};
///
/// let web = ToolGroup::lazy("web", "Search and read web pages.", async |_: ToolContext| {
///     // Connect, log in, ask what there is; then:
///     let search = FunctionTool::builder("search_web", "Search the web.")
///         .handler(async |_: (), _: ToolContext| "nothing found");
///     Ok::<_, ToolError>(vec![search])
/// })
/// .guidance("Prefer search_web over guessing.");
/// let registry = Registry::builder().group(web).build()?;
/// assert!(registry.definition("load_tools").is_some());
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct ToolGroup {
    pub(crate) name: Cow<'static, str>,
    pub(crate) description: Cow<'static, str>,
    pub(crate) guidance: Option<Cow<'static, str>>,
    pub(crate) note: Option<Cow<'static, str>>,
    pub(crate) timeout: Duration,
    pub(crate) origin: Origin,
    pub(crate) tools: Vec<RegisteredTool>,
    pub(crate) location: Location,
}

impl ToolGroup {
    #[track_caller]
    fn of(name: Cow<'static, str>, description: Cow<'static, str>, origin: Origin) -> Self {
        Self {
            name,
            description,
            guidance: None,
            note: None,
            timeout: DEFAULT_TIMEOUT,
            origin,
            tools: Vec::new(),
            location: Location::caller(),
        }
    }

    /// A group whose tools are built for each session when the model first loads it. The build is shared by concurrent
    /// loads; if it fails, panics or passes its time-out, the group stays loadable.
    #[track_caller]
    pub fn lazy<B, F, I, E>(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        build: B,
    ) -> Self
    where
        B: Fn(ToolContext) -> F + Send + Sync + 'static,
        F: Future<Output = Result<I, E>> + Send + 'static,
        I: IntoIterator<Item: Tool> + 'static,
        E: Into<Box<dyn Error + Send + Sync>> + 'static,
    {
        let build: GroupBuilder = Arc::new(move |context| {
            let building = build(context);
            Box::pin(async move { building.await.map(shared).map_err(ToolError::from_error) })
        });
        Self::of(name.into(), description.into(), Origin::Lazy(build))
    }

    /// As [`lazy`](Self::lazy), for a builder that blocks: it runs where it does not hold up other tasks.
    #[track_caller]
    pub fn lazy_blocking<B, I, E>(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        build: B,
    ) -> Self
    where
        B: Fn(ToolContext) -> Result<I, E> + Send + Sync + 'static,
        I: IntoIterator<Item: Tool> + 'static,
        E: Into<Box<dyn Error + Send + Sync>> + 'static,
    {
        let build = Arc::new(build);
        let build: GroupBuilder = Arc::new(move |context| {
            let build = Arc::clone(&build);
            let work = tokio::task::spawn_blocking(move || {
                build(context).map(shared).map_err(ToolError::from_error)
            });
            Box::pin(async move {
                work.await.unwrap_or_else(|error| {
                    let message =
                        if error.is_panic() { "the builder panicked" } else { "the builder was cancelled" };
                    Err(ToolError::of_kind(ToolErrorKind::Panicked, message))
                })
            })
        });
        Self::of(name.into(), description.into(), Origin::Lazy(build))
    }

    /// The group of the annotated tools with `group = "name"`: hidden until the group is loaded.
    #[track_caller]
    pub fn linked(name: impl Into<Cow<'static, str>>, description: impl Into<Cow<'static, str>>) -> Self {
        Self::of(name.into(), description.into(), Origin::Declared)
    }

    /// A group whose tools are in every list: named for the model, never loaded.
    #[track_caller]
    pub fn resident(name: impl Into<Cow<'static, str>>, description: impl Into<Cow<'static, str>>) -> Self {
        Self::of(name.into(), description.into(), Origin::Resident)
    }

    /// Adds tools to a linked or resident group.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = impl Tool>) -> Self {
        self.tools.extend(tools.into_iter().map(RegisteredTool::new));
        self
    }

    /// What the model reads when it loads the group.
    #[must_use]
    pub fn guidance(mut self, guidance: impl Into<Cow<'static, str>>) -> Self {
        self.guidance = Some(guidance.into());
        self
    }

    /// What the model reads behind the description in `available_tools`: a limit, say, or which of the tools ask first.
    #[must_use]
    pub fn note(mut self, note: impl Into<Cow<'static, str>>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// How long a build may take: 60 s unless set.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }
}

fn shared(tools: impl IntoIterator<Item: Tool>) -> Vec<Arc<dyn Tool>> {
    tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect()
}

impl fmt::Debug for ToolGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolGroup").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What came of loading a group.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum GroupOutcome {
    /// Its tools are visible from the next turn.
    Loaded(LoadedGroup),
    /// It was loaded before.
    AlreadyLoaded,
    /// Its tools are in every list.
    Resident,
    /// The registry has no such group.
    NotFound,
    /// Its build failed, panicked or passed its time-out; it stays loadable.
    Failed {
        /// What the build said.
        error: String,
    },
    /// The batch of these operations has ended; nothing was changed.
    BatchEnded,
}

/// The tools that a load made visible.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LoadedGroup {
    /// In load order.
    pub tools: Vec<crate::ToolName>,
    /// Tools whose name is taken, or that cannot be offered, and why.
    pub skipped: Vec<SkippedTool>,
    /// Other groups that its builder loaded.
    pub with: Vec<String>,
}

/// A tool that was not added, because its name is taken or it cannot be offered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SkippedTool {
    /// The name it would have had.
    pub name: String,
    /// Why it is not there.
    pub reason: SkipReason,
}

/// Why a tool was not added.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkipReason {
    /// Somebody else has the name.
    NameTaken {
        /// A group, a toolset, or the agent's own tools.
        by: String,
    },
    /// The tool cannot work here.
    Unusable {
        /// Why.
        fault: String,
    },
}
