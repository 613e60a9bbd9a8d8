//! [`ToolSearch`]: which discovery tools there are, what they are called, and what they may do.

use std::{fmt, time::Duration};

use crate::{
    Budget, BuildError, Location, ToolName,
    search::{Ranker, RankerChoice},
};

/// How many tools a search returns unless host or model ask for more or fewer.
const DEFAULT_TOP_K: usize = 5;
/// How many tools search-then-load holds at a time unless the host says otherwise.
const DEFAULT_LOADED: usize = 20;
/// How many tokens of schemas an answer of the bridge's search has.
const DEFAULT_SCHEMA_TOKENS: usize = 4_000;
/// How long a host's ranker may take.
const DEFAULT_RANKER_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a search waits for sources that are connecting.
pub(crate) const DEFAULT_SOURCE_WAIT: Duration = Duration::from_secs(2);

/// The way from need to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// What a search finds is revealed.
    Reveal,
    /// A search offers, `load_tool` reveals.
    Load,
    /// A search shows schemas, `tool_call` calls; the list never changes.
    Bridge,
}

/// A tool of a [`ToolSearch`], for setting its name and description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DiscoveryTool {
    /// `tool_search`, or `search_tools` in search-then-load.
    Search,
    /// `load_tool`.
    Load,
    /// `unload_tool`.
    Unload,
    /// `clear_loaded_tools`.
    Clear,
    /// `tool_call` of the bridge.
    Call,
}

impl DiscoveryTool {
    fn defaults(self, mode: Mode) -> (&'static str, &'static str) {
        match (self, mode) {
            (Self::Search, Mode::Reveal) => (
                "tool_search",
                "Search for more tools by what they do. The tools that are found can be called from your next \
                 message. Use this when no tool in your list fits the task.",
            ),
            (Self::Search, Mode::Load) => (
                "search_tools",
                "Search for more tools by what they do. Load a tool with load_tool before you call it. Use this when \
                 no tool in your list fits the task.",
            ),
            (Self::Search, Mode::Bridge) => (
                "tool_search",
                "Search for more tools by what they do. The tools that are found can be called with tool_call from \
                 your next message. Use this when no tool in your list fits the task.",
            ),
            (Self::Load, _) => {
                ("load_tool", "Load a tool that a search found: it is in your list from your next message.")
            }
            (Self::Unload, _) => {
                ("unload_tool", "Take a loaded tool out of your list, to make room for others.")
            }
            (Self::Clear, _) => ("clear_loaded_tools", "Take all loaded tools out of your list."),
            (Self::Call, _) => {
                ("tool_call", "Call a tool that a search found, by its name and with its arguments.")
            }
        }
    }
}

/// What the model is told of hidden tools before it searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Listing {
    /// Nothing.
    #[default]
    None,
    /// The toolsets and how many tools they hide, at most this many tokens.
    Groups {
        /// Estimated at four bytes each.
        tokens: usize,
    },
    /// The names of all hidden tools; where they do not fit, toolsets and counts; then counts alone.
    Names {
        /// Estimated at four bytes each.
        tokens: usize,
    },
}

/// Name and description of one tool.
#[derive(Debug, Clone, Default)]
pub(crate) struct Setting {
    name: Option<String>,
    description: Option<String>,
}

/// Configuration of the discovery tools.
///
/// On a registry it covers every toolset that has none of its own.
///
/// # Examples
/// ```
/// use tool_core::{Budget, Registry, ToolSearch};
///
/// // What is found is callable in the next turn.
/// let reveal = ToolSearch::new().name("find_tools").description("Find tools for a task.").above(10);
/// // The model loads what it was offered, at most ten at a time.
/// let load = ToolSearch::search_then_load().top_k(3).budget(Budget::tools(10));
/// // The tool list never changes.
/// let bridge = ToolSearch::bridge();
/// # for search in [reveal, load, bridge] { Registry::builder().search(search).build()?; }
/// # Ok::<(), tool_core::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct ToolSearch {
    mode: Mode,
    settings: Vec<(DiscoveryTool, Setting)>,
    ranker: RankerChoice,
    above: usize,
    top_k: usize,
    budget: Budget,
    listing: Listing,
    schema_tokens: usize,
    source_wait: Duration,
    location: Location,
}

impl Default for ToolSearch {
    #[track_caller]
    fn default() -> Self {
        Self::new()
    }
}

impl ToolSearch {
    #[track_caller]
    fn of(mode: Mode) -> Self {
        Self {
            mode,
            settings: Vec::new(),
            ranker: RankerChoice::default(),
            above: 0,
            top_k: DEFAULT_TOP_K,
            budget: if mode == Mode::Load { Budget::tools(DEFAULT_LOADED) } else { Budget::unlimited() },
            listing: Listing::None,
            schema_tokens: DEFAULT_SCHEMA_TOKENS,
            source_wait: DEFAULT_SOURCE_WAIT,
            location: Location::caller(),
        }
    }

    /// Reveal on search: `tool_search` reveals what it finds.
    #[must_use]
    #[track_caller]
    pub fn new() -> Self {
        Self::of(Mode::Reveal)
    }

    /// Search, then load: `search_tools` offers, `load_tool` reveals, `unload_tool` and `clear_loaded_tools` make room.
    /// At most 20 tools at a time, unless [`budget`](Self::budget) says otherwise.
    #[must_use]
    #[track_caller]
    pub fn search_then_load() -> Self {
        Self::of(Mode::Load)
    }

    /// Bridge: `tool_search` shows schemas and `tool_call` calls, so that the tool list never changes by a byte: for
    /// strict prompt caches, and for clients that ignore list changes.
    #[must_use]
    #[track_caller]
    pub fn bridge() -> Self {
        Self::of(Mode::Bridge)
    }

    /// Sets the name of the search tool.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        self.name_of(DiscoveryTool::Search, name)
    }

    /// Sets what the model reads about the search tool.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        self.description_of(DiscoveryTool::Search, description)
    }

    /// Sets the name of one of the tools.
    #[must_use]
    pub fn name_of(mut self, tool: DiscoveryTool, name: impl Into<String>) -> Self {
        self.setting(tool).name = Some(name.into());
        self
    }

    /// Sets what the model reads about one of the tools.
    #[must_use]
    pub fn description_of(mut self, tool: DiscoveryTool, description: impl Into<String>) -> Self {
        self.setting(tool).description = Some(description.into());
        self
    }

    /// Ranks with the host's own ranker. If it fails or takes more than 2 s, the built-in one answers and the
    /// session's events say `Degraded`.
    #[must_use]
    pub fn ranker(mut self, ranker: impl Ranker) -> Self {
        self.ranker = RankerChoice::of(ranker, DEFAULT_RANKER_TIMEOUT);
        self
    }

    /// Sets how long the host's ranker may take.
    #[must_use]
    pub fn ranker_timeout(mut self, limit: Duration) -> Self {
        if let RankerChoice::Custom { timeout, .. } = &mut self.ranker {
            *timeout = limit;
        }
        self
    }

    /// Hides tools only if at least `n` are deferred when the registry is built; with fewer, all are eager.
    #[must_use]
    pub fn above(mut self, n: usize) -> Self {
        self.above = n;
        self
    }

    /// How many tools a search returns, 1 to 50: 5 unless set. In reveal-on-search and bridge the model may ask for
    /// more or fewer.
    #[must_use]
    pub fn top_k(mut self, n: usize) -> Self {
        self.top_k = n;
        self
    }

    /// How many tools may be revealed at a time, of all toolsets that this search covers together.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Tells the model in the search tool's description what is hidden.
    #[must_use]
    pub fn listing(mut self, listing: Listing) -> Self {
        self.listing = listing;
        self
    }

    /// How many tokens of schemas one answer of the bridge's search has (estimated at four bytes each): 4,000 unless
    /// set. Hits past it are shown by name and description.
    #[must_use]
    pub fn schema_tokens(mut self, n: usize) -> Self {
        self.schema_tokens = n;
        self
    }

    /// How long a search waits for sources that are still connecting: 2 s unless set. What it does not find then, its answer
    /// says.
    #[must_use]
    pub fn source_wait(mut self, at_most: Duration) -> Self {
        self.source_wait = at_most;
        self
    }

    fn setting(&mut self, tool: DiscoveryTool) -> &mut Setting {
        let index = self.settings.iter().position(|(of, _)| *of == tool).unwrap_or_else(|| {
            self.settings.push((tool, Setting::default()));
            self.settings.len() - 1
        });
        #[allow(clippy::indexing_slicing, reason = "found or just pushed")]
        &mut self.settings[index].1
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// The tools of this mode, in their order in the list.
    pub(crate) fn tools(&self) -> &'static [DiscoveryTool] {
        match self.mode {
            Mode::Reveal => &[DiscoveryTool::Search],
            Mode::Load => {
                &[DiscoveryTool::Search, DiscoveryTool::Load, DiscoveryTool::Unload, DiscoveryTool::Clear]
            }
            Mode::Bridge => &[DiscoveryTool::Search, DiscoveryTool::Call],
        }
    }

    fn given(&self, tool: DiscoveryTool) -> Option<&Setting> {
        self.settings.iter().find(|(of, _)| *of == tool).map(|(_, setting)| setting)
    }

    pub(crate) fn tool_name(&self, tool: DiscoveryTool) -> &str {
        let given = self.given(tool).and_then(|setting| setting.name.as_deref());
        given.unwrap_or(tool.defaults(self.mode).0)
    }

    pub(crate) fn tool_description(&self, tool: DiscoveryTool) -> &str {
        let given = self.given(tool).and_then(|setting| setting.description.as_deref());
        given.unwrap_or(tool.defaults(self.mode).1)
    }

    pub(crate) fn threshold(&self) -> usize {
        self.above
    }

    pub(crate) fn location(&self) -> Location {
        self.location
    }

    pub(crate) fn ranker_choice(&self) -> &RankerChoice {
        &self.ranker
    }

    pub(crate) fn default_top_k(&self) -> usize {
        self.top_k
    }

    pub(crate) fn limits(&self) -> &Budget {
        &self.budget
    }

    pub(crate) fn shown_schema_tokens(&self) -> usize {
        self.schema_tokens
    }

    pub(crate) fn longest_wait(&self) -> Duration {
        self.source_wait
    }

    pub(crate) fn shown_listing(&self) -> Listing {
        self.listing
    }

    /// The rules of `build()` for these settings.
    pub(crate) fn check(&self, errors: &mut Vec<BuildError>) {
        let mut faults = Vec::new();
        for tool in self.tools() {
            if let Err(error) = ToolName::new(self.tool_name(*tool)) {
                faults.push(error.to_string());
            }
            if self.tool_description(*tool).trim().is_empty() {
                faults.push(format!("the description of `{}` is empty", self.tool_name(*tool)));
            }
        }
        let unused = self.settings.iter().filter(|(tool, _)| !self.tools().contains(tool));
        faults.extend(unused.map(|(tool, _)| format!("this mode has no tool `{tool:?}` to set up")));
        if self.top_k == 0 {
            faults.push("`top_k` is 0: a search would never find anything".to_owned());
        }
        faults.extend(self.budget.fault().map(str::to_owned));
        let location = self.location;
        errors.extend(faults.into_iter().map(|fault| BuildError::Search { location, fault }));
    }
}

impl fmt::Debug for ToolSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolSearch")
            .field("mode", &self.mode)
            .field("above", &self.above)
            .field("top_k", &self.top_k)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}
