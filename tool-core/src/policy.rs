//! Which tools a host hides: `deny` and `allow` by declaration or by pattern.
//!
//! A hidden tool does not exist for the model: it is not listed, not found, and its name is refused like an unknown one.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use crate::{
    ToolName,
    declare::{Declared, ToolRef},
};

/// A pattern over model-facing names (prefix included): `*` stands for any run of characters.
///
/// # Examples
/// ```
/// use tool_core::ToolPattern;
///
/// let pattern = ToolPattern::new("github_*")?;
/// assert!(pattern.matches("github_get_issue"));
/// assert!(!pattern.matches("git_status"));
/// # Ok::<(), tool_core::PatternError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolPattern(String);

/// A text that is no [`ToolPattern`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a pattern of tool names: only letters, digits, `_`, `-` and `*` can match")]
pub struct PatternError(String);

impl ToolPattern {
    /// Checks a pattern.
    ///
    /// # Errors
    /// [`PatternError`] where the text is empty or has characters that no tool name has.
    pub fn new(pattern: impl Into<String>) -> Result<Self, PatternError> {
        let pattern = pattern.into();
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*');
        if pattern.is_empty() || !pattern.chars().all(legal) {
            return Err(PatternError(pattern));
        }
        Ok(Self(pattern))
    }

    /// Whether a name matches, case included.
    pub fn matches(&self, name: &str) -> bool {
        let mut pieces = self.0.split('*');
        let Some(mut rest) = pieces.next().and_then(|head| name.strip_prefix(head)) else { return false };
        let mut tail = None;
        for piece in pieces {
            if let Some(middle) = tail.replace(piece) {
                let Some(at) = rest.find(middle) else { return false };
                rest = rest.get(at + middle.len()..).unwrap_or_default();
            }
        }
        tail.map_or(rest.is_empty(), |tail| rest.ends_with(tail))
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What an entry of `deny` or `allow` names: a declaration, under whatever prefix, or a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolSelector {
    /// An annotated tool.
    Declared(Declared),
    /// All tools whose model-facing name matches.
    Pattern(ToolPattern),
}

impl ToolSelector {
    pub(crate) fn selects(&self, declared: Option<Declared>, name: &ToolName) -> bool {
        match self {
            Self::Declared(wanted) => declared.is_some_and(|declared| wanted.covers(&declared)),
            Self::Pattern(pattern) => pattern.matches(name.as_str()),
        }
    }
}

impl From<ToolRef> for ToolSelector {
    fn from(tool: ToolRef) -> Self {
        Self::Declared(tool.identity())
    }
}

impl From<ToolPattern> for ToolSelector {
    fn from(pattern: ToolPattern) -> Self {
        Self::Pattern(pattern)
    }
}

impl fmt::Display for ToolSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declared(declared) => write!(f, "{}::TOOL ({})", declared.name, declared.location),
            Self::Pattern(pattern) => pattern.fmt(f),
        }
    }
}

/// The `deny` and `allow` lists of a registry, a toolset or a sub-agent type. Deny wins; an `allow` list narrows to what
/// it names.
#[derive(Debug, Default, Clone)]
pub(crate) struct Policy {
    deny: Vec<Counted>,
    allow: Option<Vec<Counted>>,
    /// The policy that this one narrows.
    outer: Option<Arc<Policy>>,
}

#[derive(Debug)]
struct Counted {
    selector: ToolSelector,
    matched: AtomicBool,
}

/// A clone belongs to another registry: it has matched nothing there.
impl Clone for Counted {
    fn clone(&self) -> Self {
        Self { selector: self.selector.clone(), matched: AtomicBool::new(false) }
    }
}

/// Whether an `allow` list applies to a tool: it never takes the library's own tools away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Tool,
    BuiltIn,
}

impl Policy {
    pub(crate) fn deny(&mut self, selectors: impl IntoIterator<Item = impl Into<ToolSelector>>) {
        self.deny.extend(counted(selectors));
    }

    pub(crate) fn allow(&mut self, selectors: impl IntoIterator<Item = impl Into<ToolSelector>>) {
        self.allow.get_or_insert_default().extend(counted(selectors));
    }

    /// Hides what either hides.
    pub(crate) fn narrowed_by(self, inner: Self) -> Self {
        Self { outer: Some(Arc::new(self)), ..inner }
    }

    /// Judges one tool, and remembers which entries it matched.
    pub(crate) fn hides(&self, subject: Subject, declared: Option<Declared>, name: &ToolName) -> bool {
        // Both are asked, so that an entry that matches only what the other hides is no warning.
        let by_outer = self.outer.as_ref().is_some_and(|outer| outer.hides(subject, declared, name));
        let denied = matches_any(&self.deny, declared, name);
        let allowed = match &self.allow {
            Some(entries) => matches_any(entries, declared, name) || subject == Subject::BuiltIn,
            None => true,
        };
        by_outer || denied || !allowed
    }

    /// Entries that matched nothing; those of the policy that this one narrows aside.
    pub(crate) fn unmatched(&self) -> impl Iterator<Item = &ToolSelector> {
        self.deny
            .iter()
            .chain(self.allow.iter().flatten())
            .filter(|entry| !entry.matched.load(Ordering::Relaxed))
            .map(|entry| &entry.selector)
    }
}

fn counted(selectors: impl IntoIterator<Item = impl Into<ToolSelector>>) -> impl Iterator<Item = Counted> {
    selectors
        .into_iter()
        .map(|selector| Counted { selector: selector.into(), matched: AtomicBool::new(false) })
}

fn matches_any(entries: &[Counted], declared: Option<Declared>, name: &ToolName) -> bool {
    let mut any = false;
    for entry in entries.iter().filter(|entry| entry.selector.selects(declared, name)) {
        entry.matched.store(true, Ordering::Relaxed);
        any = true;
    }
    any
}
