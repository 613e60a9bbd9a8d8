//! Which types can be parameters, and what their `Deserialize` says about itself without any input.
//!
//! Asking the implementation of `Deserialize` is what keeps schema and decoding in agreement: a parameter is optional
//! where decoding takes its absence, whatever its type is called, and its names are those that decoding knows.

use std::fmt;

use schemars::JsonSchema;
use serde::{
    Deserializer,
    de::{DeserializeOwned, Error, Visitor, value::MapAccessDeserializer},
    forward_to_deserialize_any,
};

use super::slot::Members;

/// A type that can be a parameter of a tool. Implemented for every type that can.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a parameter of a tool",
    label = "not a tool parameter type",
    note = "every type in `{Self}` needs `serde::Deserialize` and `schemars::JsonSchema`: derive both",
    note = "is it a value of the host, not of the model? mark the parameter with `#[context]`"
)]
pub trait ToolArg: DeserializeOwned + JsonSchema + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> ToolArg for T {}

/// Whether a parameter of this type may be left out.
pub(crate) fn is_optional<T: ToolArg>() -> bool {
    absent::<T>().is_some()
}

/// Whether the one field of a hidden struct may be left out.
pub(crate) fn part_is_optional<P: ToolArg>() -> bool {
    P::deserialize(MapAccessDeserializer::new(Members::<Missing>::none())).is_ok()
}

/// The value of a parameter that the model left out, for types that have one (`Option`).
pub(super) fn absent<T: ToolArg>() -> Option<T> {
    T::deserialize(Missing).ok()
}

/// The names that decoding a struct knows, aliases included, in the order of its fields; `None` for a type that takes
/// any member (a map, a struct that flattens one).
pub(crate) fn known_fields<T: ToolArg>() -> Option<&'static [&'static str]> {
    T::deserialize(Fields).err().and_then(|names| names.0)
}

/// The value of a type that decodes from nothing (`()`, a unit struct): a tool without arguments.
pub(crate) fn unit_value<T: ToolArg>() -> Option<T> {
    T::deserialize(Unit).ok()
}

/// Stands for a member that is not there: what serde's derive does for a missing field.
pub(super) struct Missing;

/// Why [`Missing`] or [`Fields`] gave no value; the field names if that is what they were asked for.
#[derive(Debug)]
pub(super) struct Nothing(Option<&'static [&'static str]>);

impl fmt::Display for Nothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no value")
    }
}

impl std::error::Error for Nothing {}

impl Error for Nothing {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(None)
    }
}

impl<'de> Deserializer<'de> for Missing {
    type Error = Nothing;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Nothing> {
        Err(Nothing(None))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Nothing> {
        visitor.visit_none()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Answers nothing but which fields it was asked for.
struct Fields;

impl<'de> Deserializer<'de> for Fields {
    type Error = Nothing;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Nothing> {
        Err(Nothing(None))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Nothing> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Nothing> {
        Err(Nothing(Some(fields)))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// Answers only types without content.
struct Unit;

impl<'de> Deserializer<'de> for Unit {
    type Error = Nothing;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Nothing> {
        Err(Nothing(None))
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Nothing> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Nothing> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option newtype_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
