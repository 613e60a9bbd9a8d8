//! Names of tools as a model and a provider see them.
//!
//! [`ToolName`] is the one checked form: every name in a registry, a turn or a search result is one.
//! Names from outside (MCP) go through [`ToolName::from_wire`], which is a pure function of prefix and wire name.

use std::{borrow::Borrow, fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::text;

/// Longest name that all providers accept, in bytes (all legal characters are ASCII).
pub const MAX_NAME_LEN: usize = 64;

/// A name that every provider accepts: `[A-Za-z_][A-Za-z0-9_-]{0,63}`.
///
/// # Examples
/// ```
/// use tool_core::ToolName;
///
/// assert_eq!(ToolName::new("echo")?.as_str(), "echo");
/// assert!(ToolName::new("größe").is_err());
/// # Ok::<(), tool_core::NameError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(Arc<str>);

/// Why a text is not a [`ToolName`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Nothing but white space.
    #[error("the name is empty")]
    Empty,
    /// Longer than [`MAX_NAME_LEN`].
    #[error("the name `{name}` has {length} characters; at most {MAX_NAME_LEN} are allowed")]
    TooLong {
        /// The name as given.
        name: String,
        /// Its length in characters.
        length: usize,
    },
    /// A character outside the legal set.
    #[error("the name `{name}` has the character {character:?}; names match [A-Za-z_][A-Za-z0-9_-]*")]
    Character {
        /// The name as given.
        name: String,
        /// The first character that is not allowed at its place.
        character: char,
    },
}

impl ToolName {
    /// Checks a name.
    ///
    /// # Errors
    /// [`NameError`] says which rule the text breaks.
    pub fn new(name: impl AsRef<str>) -> Result<Self, NameError> {
        let name = name.as_ref();
        let mut characters = name.chars();
        let Some(first) = characters.next() else { return Err(NameError::Empty) };
        let illegal = Some(first)
            .filter(|c| !(c.is_ascii_alphabetic() || *c == '_'))
            .or_else(|| characters.find(|c| !is_name_character(*c)));
        if let Some(character) = illegal {
            return Err(NameError::Character { name: name.to_owned(), character });
        }
        if name.len() > MAX_NAME_LEN {
            return Err(NameError::TooLong { name: name.to_owned(), length: name.len() });
        }
        Ok(Self(name.into()))
    }

    /// A name that the macro has checked at compile time.
    pub(crate) fn checked(name: &'static str) -> Self {
        debug_assert!(Self::new(name).is_ok(), "checked by the macro: {name}");
        Self(name.into())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The model-facing name of a tool that a source calls `wire_name`, under `prefix` (joined by `_`; may be empty).
    ///
    /// Depends on nothing else, so a tool has the same name in every process and whatever other tools exist.
    /// Illegal characters become `_`; a name that this or the length limit changed ends in eight hexadecimal
    /// digits of the SHA-256 of the wire name.
    ///
    /// # Examples
    /// ```
    /// use tool_core::ToolName;
    ///
    /// assert_eq!(ToolName::from_wire("git", "get_issue").as_str(), "git_get_issue");
    /// assert!(ToolName::from_wire("git", "get.issue").as_str().starts_with("git_get_issue_"));
    /// ```
    #[must_use]
    pub fn from_wire(prefix: &str, wire_name: &str) -> Self {
        let joined = if prefix.is_empty() { wire_name.to_owned() } else { format!("{prefix}_{wire_name}") };
        if let Ok(name) = Self::new(&joined) {
            return name;
        }
        let mut head: String = joined.chars().map(|c| if is_name_character(c) { c } else { '_' }).collect();
        if !head.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            head.insert(0, '_');
        }
        head.truncate(MAX_NAME_LEN - 9);
        let digest = Sha256::digest(wire_name.as_bytes());
        head.push('_');
        text::push_hex(&mut head, digest.get(..4).unwrap_or_default());
        Self(head.into())
    }
}

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// The name without separators and case: equal for spellings that a model mixes up.
pub(crate) fn folded(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            folded.push(c.to_ascii_lowercase());
        } else if c.is_alphanumeric() {
            folded.extend(c.to_lowercase());
        }
    }
    folded
}

impl fmt::Debug for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Borrow<str> for ToolName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for ToolName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for ToolName {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for ToolName {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl TryFrom<String> for ToolName {
    type Error = NameError;

    fn try_from(name: String) -> Result<Self, NameError> {
        Self::new(name)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.as_str().to_owned()
    }
}
