//! The texts of refused arguments. Cold: nothing here runs for a call that decodes.
//!
//! A refused value is decoded a second time from its JSON value, now with a record of where decoding is
//! (`serde_path_to_error`) and of what it skipped (`serde_ignored`), so that the model reads
//! `items[2].price: invalid type: …` and learns of a misspelt member together with the one that is missing.

use std::fmt::Write;

use serde_ignored::Path;
use serde_json::Value;

use super::arg::ToolArg;
use crate::{ToolError, ToolErrorKind, schema::kind_of, text};

/// Longest echo of a name that the model wrote, in bytes.
const MAX_ECHO: usize = 64;
/// Most names that a text lists.
const MAX_LISTED: usize = 20;

/// An error of kind `InvalidArguments`.
#[cold]
pub(super) fn invalid(message: &str) -> ToolError {
    ToolError::of_kind(ToolErrorKind::InvalidArguments, text::clean(message, crate::error::MAX_MODEL_MESSAGE))
}

/// What is wrong with a value, and where inside it.
#[derive(Debug)]
pub(super) struct Fault {
    /// Such as `[2].price`; empty for the value itself.
    path: String,
    message: String,
    /// Members that decoding skipped in the object at `path`.
    skipped: Vec<String>,
}

impl Fault {
    /// The message of an error, without a place.
    pub(super) fn of(error: &serde_json::Error) -> Self {
        Self { path: String::new(), message: without_position(&error.to_string()), skipped: Vec::new() }
    }

    /// The same fault seen from the member `name` of the value.
    pub(super) fn below(mut self, name: &str) -> Self {
        if let Some(rest) = self.path.strip_prefix(name) {
            self.path = rest.to_owned();
        }
        self
    }

    /// The text for a fault in the argument `name`.
    pub(super) fn in_argument(&self, name: &str) -> String {
        let separator = if self.path.is_empty() || self.path.starts_with('[') || self.path.starts_with('.') {
            ""
        } else {
            "."
        };
        format!("{}{separator}{}: {}", echo(name), self.path, self.message_with_skipped())
    }

    /// The error for a fault in the arguments as a whole.
    pub(super) fn into_error(self) -> ToolError {
        let message = self.message_with_skipped();
        let message = if self.path.is_empty() {
            ["missing", "duplicate", "unknown"]
                .iter()
                .find_map(|word| {
                    let rest = message.strip_prefix(word)?.strip_prefix(" field ")?;
                    Some(format!("{word} argument {rest}"))
                })
                .unwrap_or(message)
        } else {
            format!("{}: {message}", self.path)
        };
        invalid(&message)
    }

    fn message_with_skipped(&self) -> String {
        let missing = self.message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`'));
        let (Some(missing), Some(first)) = (missing, self.skipped.first()) else {
            return self.message.clone();
        };
        if let Some(close) = self.skipped.iter().find(|skipped| similar(skipped, missing)) {
            return format!("unknown field `{}`; did you mean `{missing}`?", echo(close));
        }
        format!("unknown field `{}`, missing field `{missing}`", echo(first))
    }
}

/// Decodes a value that was refused and says what is wrong with it; `None` if nothing is.
#[cold]
pub(super) fn decode_again<T: ToolArg>(value: &Value) -> Option<Fault> {
    let mut skipped = Vec::new();
    let mut track = serde_path_to_error::Track::new();
    let mut remember = |path: Path<'_>| skipped.push(split_last(&path));
    let ignored = serde_ignored::Deserializer::new(value, &mut remember);
    let error = T::deserialize(serde_path_to_error::Deserializer::new(ignored, &mut track)).err()?;
    let path = track.path().to_string();
    let path = if path == "." { String::new() } else { path };
    let skipped = skipped.into_iter().filter(|(parent, _)| *parent == path).map(|(_, name)| name).collect();
    Some(Fault { path, message: without_position(&error.to_string()), skipped })
}

/// The text for arguments that are not JSON.
#[cold]
pub(super) fn not_json(error: &serde_json::Error) -> ToolError {
    invalid(&format!("Invalid JSON input: {error}"))
}

/// The text for JSON that is no object.
#[cold]
pub(super) fn not_an_object(value: &Value) -> ToolError {
    invalid(&format!("the arguments must be a JSON object, not {}", kind_of(value)))
}

/// The text for an argument that is there twice.
#[cold]
pub(super) fn duplicate(name: &str) -> ToolError {
    invalid(&format!("duplicate argument `{}`", echo(name)))
}

/// The text for an argument that the tool does not have.
#[cold]
pub(super) fn unknown<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> ToolError {
    let mut message = format!("unknown argument `{}`", echo(name));
    let nearest = known
        .clone()
        .filter(|known| similar(name, known))
        .min_by_key(|known| strsim::damerau_levenshtein(&echo(name), known));
    if let Some(nearest) = nearest {
        let _ = write!(message, "; did you mean `{nearest}`?");
        return invalid(&message);
    }
    let total = known.clone().count();
    message.push_str(match total {
        0 => "; this tool takes no arguments",
        1 => "; expected ",
        _ => "; expected one of ",
    });
    for (index, known) in known.take(MAX_LISTED).enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        let _ = write!(message, "{separator}`{known}`");
    }
    if total > MAX_LISTED {
        message.push_str(", …");
    }
    invalid(&message)
}

/// Whether one of two names is likely a misspelling of the other: the same but for case and separators, one inside the
/// other, or at most a third of the letters wrong.
fn similar(written: &str, known: &str) -> bool {
    let (written, known) = (crate::name::folded(&echo(written)), crate::name::folded(known));
    if written == known {
        return true;
    }
    let longest = written.chars().count().max(known.chars().count());
    strsim::damerau_levenshtein(&written, &known) <= longest / 3
}

/// What the model wrote, cleaned and cut, as it may be said back.
fn echo(name: &str) -> String {
    text::one_line(name, MAX_ECHO)
}

/// `serde_json` ends its messages with a place in the text; the path says more.
fn without_position(message: &str) -> String {
    message.rsplit_once(" at line ").map_or(message, |(head, _)| head).to_owned()
}

/// A skipped member as the path of its object, in the notation of `serde_path_to_error`, and its name.
fn split_last(path: &Path<'_>) -> (String, String) {
    match path {
        Path::Map { parent, key } => (dotted(parent), key.clone()),
        Path::Seq { parent, index } => (dotted(parent), index.to_string()),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            split_last(parent)
        }
        Path::Root => (String::new(), String::new()),
    }
}

fn dotted(path: &Path<'_>) -> String {
    match path {
        Path::Root => String::new(),
        Path::Seq { parent, index } => format!("{}[{index}]", dotted(parent)),
        Path::Map { parent, key } => {
            let parent = dotted(parent);
            if parent.is_empty() { key.clone() } else { format!("{parent}.{key}") }
        }
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => {
            dotted(parent)
        }
    }
}
