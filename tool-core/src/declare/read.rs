//! Reads the arguments of a call into the slots of a function, member by member.
//!
//! Only the top-level object is walked here; each value is decoded in place by `serde_json`. The walk is not generic:
//! it exists once for all tools. It accepts exactly what `serde_json` would for a struct that denies unknown fields
//! (its depth limit counts from each value), and also nothing at all, `null`, and an object that was packed into a
//! JSON string once. A text that is refused is never judged here: the cold path parses it again as a whole.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Map, Value};

use super::{explain, slot::Slot};
use crate::{Arguments, ToolError};

/// Decodes `arguments` into `slots`. A slot whose argument is not there stays empty.
///
/// # Errors
/// Of kind `InvalidArguments`, with the text for the model.
pub fn read_args(arguments: &Arguments, slots: &mut [Slot<'_>]) -> Result<(), ToolError> {
    match arguments {
        Arguments::Text(text) => read_text(text, slots, Packed::Maybe),
        Arguments::Value(value) => read_value(value, slots),
    }
}

/// Whether a JSON string may still hold the arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packed {
    Maybe,
    No,
}

fn read_text(text: &str, slots: &mut [Slot<'_>], packed: Packed) -> Result<(), ToolError> {
    let mut scanner = Scanner { text, at: 0 };
    match scanner.arguments(slots) {
        Ok(()) => Ok(()),
        Err(Refusal::Other) if packed == Packed::Maybe && scanner.peek() == Some(b'"') => {
            let unpacked: String = serde_json::from_str(text).map_err(|error| explain::not_json(&error))?;
            read_text(&unpacked, slots, Packed::No)
        }
        Err(refusal) => Err(explain_text(text, slots, refusal)),
    }
}

fn read_value(value: &Value, slots: &mut [Slot<'_>]) -> Result<(), ToolError> {
    match value {
        Value::Object(members) => {
            read_members(members, slots).map_err(|refusal| explain_members(members, slots, refusal))
        }
        Value::Null => Ok(()),
        Value::String(text) => read_text(text, slots, Packed::No),
        other => Err(explain::not_an_object(other)),
    }
}

fn read_members(members: &Map<String, Value>, slots: &mut [Slot<'_>]) -> Result<(), Refusal> {
    for (name, value) in members {
        let slot = empty_slot(slots, name)?;
        slot.target.read_value(name, value).map_err(|error| Refusal::Value(name.clone(), error))?;
    }
    Ok(())
}

fn empty_slot<'s, 'a>(slots: &'s mut [Slot<'a>], name: &str) -> Result<&'s mut Slot<'a>, Refusal> {
    match slots.iter_mut().find(|slot| slot.names.contains(&name)) {
        Some(slot) if slot.target.is_filled() => Err(Refusal::Duplicate(name.to_owned())),
        Some(slot) => Ok(slot),
        None => Err(Refusal::Unknown(name.to_owned())),
    }
}

/// Why the walk stopped.
enum Refusal {
    Unknown(String),
    Duplicate(String),
    Value(String, serde_json::Error),
    /// Not JSON, or not an object.
    Other,
}

#[cold]
fn explain_text(text: &str, slots: &[Slot<'_>], refusal: Refusal) -> ToolError {
    match serde_json::from_str::<Value>(text) {
        Err(error) => explain::not_json(&error),
        Ok(Value::Object(members)) => explain_members(&members, slots, refusal),
        Ok(other) => explain::not_an_object(&other),
    }
}

#[cold]
fn explain_members(members: &Map<String, Value>, slots: &[Slot<'_>], refusal: Refusal) -> ToolError {
    match refusal {
        Refusal::Unknown(name) => {
            // The first name of a slot is its own, the others are aliases.
            explain::unknown(&name, slots.iter().filter_map(|slot| slot.names.first().copied()))
        }
        Refusal::Duplicate(name) => explain::duplicate(&name),
        Refusal::Value(name, error) => {
            let slot = slots.iter().find(|slot| slot.names.contains(&name.as_str()));
            let fault =
                slot.zip(members.get(&name)).and_then(|(slot, value)| slot.target.fault(&name, value));
            let fault = fault.unwrap_or_else(|| explain::Fault::of(&error));
            explain::invalid(&fault.in_argument(&name))
        }
        Refusal::Other => explain::invalid("the arguments must be a JSON object"),
    }
}

/// Walks the members of one JSON object.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    fn arguments(&mut self, slots: &mut [Slot<'_>]) -> Result<(), Refusal> {
        match self.peek() {
            None => return Ok(()),
            Some(b'{') => self.members(slots)?,
            Some(b'n') if self.rest().starts_with("null") => self.at += "null".len(),
            Some(_) => return Err(Refusal::Other),
        }
        if self.peek().is_none() { Ok(()) } else { Err(Refusal::Other) }
    }

    fn members(&mut self, slots: &mut [Slot<'_>]) -> Result<(), Refusal> {
        self.at += 1;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(());
        }
        loop {
            let name = self.name()?;
            if self.peek() != Some(b':') {
                return Err(Refusal::Other);
            }
            self.at += 1;
            let slot = empty_slot(slots, &name)?;
            let mut value = serde_json::Deserializer::from_str(self.rest());
            let read = slot.target.read_text(&name, &mut value);
            read.map_err(|error| Refusal::Value(name.into_owned(), error))?;
            self.at += value.into_iter::<IgnoredAny>().byte_offset();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(Refusal::Other),
            }
            // A comma wants a name after it.
            self.peek();
        }
    }

    /// The name of a member, and the scanner behind it.
    fn name(&mut self) -> Result<Cow<'t, str>, Refusal> {
        let rest = self.rest();
        let inside = rest.strip_prefix('"').ok_or(Refusal::Other)?;
        let end = inside.bytes().position(|byte| matches!(byte, b'"' | b'\\')).ok_or(Refusal::Other)?;
        if inside.as_bytes().get(end) == Some(&b'"') {
            self.at += end + 2;
            return inside.get(..end).map(Cow::Borrowed).ok_or(Refusal::Other);
        }
        let mut name = serde_json::Deserializer::from_str(rest);
        let escaped = String::deserialize(&mut name).map_err(|_| Refusal::Other)?;
        self.at += name.into_iter::<IgnoredAny>().byte_offset();
        Ok(Cow::Owned(escaped))
    }

    /// The next byte that is no white space, and the scanner at it.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(*byte);
            }
            self.at += 1;
        }
        None
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }
}
