//! Where one decoded argument goes. [`read_args`](super::read_args) sees every parameter as a `dyn` slot, so that the
//! reader exists once and decoding once per *type*, not per tool.

use serde::de::{
    DeserializeSeed, Deserializer, Error, MapAccess, value::MapAccessDeserializer, value::StrDeserializer,
};
use serde_json::Value;

use super::{
    arg::{ToolArg, absent, known_fields},
    explain::{Fault, decode_again, invalid},
};
use crate::ToolError;

/// The deserializer of one value inside a text.
pub(super) type TextDeserializer<'de> = serde_json::Deserializer<serde_json::de::StrRead<'de>>;

/// A place for an argument and the names under which the model may send it.
#[allow(missing_debug_implementations, reason = "lives only inside one expression of the expansion")]
pub struct Slot<'a> {
    pub(super) names: &'static [&'static str],
    pub(super) target: &'a mut dyn Target,
}

/// What a slot can do, without its type.
pub(super) trait Target {
    fn is_filled(&self) -> bool;
    fn read_text(&mut self, name: &str, value: &mut TextDeserializer<'_>) -> Result<(), serde_json::Error>;
    fn read_value(&mut self, name: &str, value: &Value) -> Result<(), serde_json::Error>;
    /// Decodes a refused value once more, for the place of the fault inside it.
    fn fault(&self, name: &str, value: &Value) -> Option<Fault>;
}

/// The slot of a parameter.
pub fn slot<'a, T: ToolArg>(names: &'static [&'static str], target: &'a mut Option<T>) -> Slot<'a> {
    Slot { names, target }
}

/// The slot of a parameter with serde attributes, which is the one field of `P`.
pub fn part_slot<P: ToolArg>(target: &mut Part<P>) -> Slot<'_> {
    Slot { names: known_fields::<P>().unwrap_or_default(), target }
}

impl<T: ToolArg> Target for Option<T> {
    fn is_filled(&self) -> bool {
        self.is_some()
    }

    fn read_text(&mut self, _: &str, value: &mut TextDeserializer<'_>) -> Result<(), serde_json::Error> {
        *self = Some(T::deserialize(value)?);
        Ok(())
    }

    fn read_value(&mut self, _: &str, value: &Value) -> Result<(), serde_json::Error> {
        *self = Some(T::deserialize(value)?);
        Ok(())
    }

    #[cold]
    fn fault(&self, _: &str, value: &Value) -> Option<Fault> {
        decode_again::<T>(value)
    }
}

/// The place of a parameter that is the one field of a hidden struct `P`.
#[derive(Debug)]
pub struct Part<P>(Option<P>);

impl<P> Part<P> {
    /// Not read yet.
    pub const EMPTY: Self = Self(None);
}

impl<P: ToolArg> Target for Part<P> {
    fn is_filled(&self) -> bool {
        self.0.is_some()
    }

    fn read_text(&mut self, name: &str, value: &mut TextDeserializer<'_>) -> Result<(), serde_json::Error> {
        self.0 = Some(P::deserialize(MapAccessDeserializer::new(Members::one(name, value)))?);
        Ok(())
    }

    fn read_value(&mut self, name: &str, value: &Value) -> Result<(), serde_json::Error> {
        self.0 = Some(P::deserialize(MapAccessDeserializer::new(Members::one(name, value)))?);
        Ok(())
    }

    #[cold]
    fn fault(&self, name: &str, value: &Value) -> Option<Fault> {
        let whole = Value::Object([(name.to_owned(), value.clone())].into_iter().collect());
        let fault = decode_again::<P>(&whole)?;
        Some(fault.below(name))
    }
}

/// An argument that was read, or what stands for it where the model left it out.
///
/// # Errors
/// ``missing argument `name` `` for types without such a value.
pub fn got<T: ToolArg>(read: Option<T>, name: &'static str) -> Result<T, ToolError> {
    read.or_else(absent).ok_or_else(|| missing(name))
}

/// An argument that was read, or its default.
pub fn got_or<T: ToolArg>(read: Option<T>, default: impl FnOnce() -> T) -> T {
    read.unwrap_or_else(default)
}

/// A parameter with serde attributes that was read, or what its attributes say where the model left it out.
///
/// # Errors
/// ``missing argument `name` `` where they say nothing.
pub fn got_part<P: ToolArg>(read: Part<P>) -> Result<P, ToolError> {
    match read.0 {
        Some(part) => Ok(part),
        None => P::deserialize(MapAccessDeserializer::new(Members::<&Value>::none()))
            .map_err(|error: serde_json::Error| Fault::of(&error).into_error()),
    }
}

#[cold]
fn missing(name: &str) -> ToolError {
    invalid(&format!("missing argument `{name}`"))
}

/// The members of an object with one member or none.
pub(super) struct Members<'n, D> {
    name: Option<&'n str>,
    value: Option<D>,
}

impl<'n, D> Members<'n, D> {
    fn one(name: &'n str, value: D) -> Self {
        Self { name: Some(name), value: Some(value) }
    }

    pub(super) fn none() -> Self {
        Self { name: None, value: None }
    }
}

impl<'de, D: Deserializer<'de>> MapAccess<'de> for Members<'_, D> {
    type Error = D::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, D::Error> {
        self.name.take().map(|name| seed.deserialize(StrDeserializer::new(name))).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, D::Error> {
        seed.deserialize(self.value.take().ok_or_else(|| D::Error::custom("a value without a name"))?)
    }
}
