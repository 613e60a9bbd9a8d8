//! Decodes the arguments of a tool whose one parameter is a struct (`#[args]`, or the closure of a `FunctionTool`).
//!
//! Members that the type does not know are refused as they are for single parameters. What it knows comes from its
//! `Deserialize`; a type that takes any member there (it flattens another) is judged by its schema.

#[cfg(test)]
mod tests;

use std::{
    any::TypeId,
    borrow::Cow,
    collections::HashMap,
    marker::PhantomData,
    sync::{Arc, PoisonError, RwLock},
};

use serde::{
    Deserialize, Deserializer,
    de::{
        DeserializeSeed, Error, MapAccess, Visitor,
        value::{CowStrDeserializer, MapAccessDeserializer},
    },
};
use serde_json::Value;

use super::{
    arg::{ToolArg, known_fields, unit_value},
    explain,
    read::read_args,
};
use crate::{
    Arguments, ToolError,
    schema::{RootShape, root_of},
};

/// Decodes `arguments` as one `T`.
///
/// # Errors
/// Of kind `InvalidArguments`, with the text for the model.
pub fn read_all<T: ToolArg>(arguments: &Arguments) -> Result<T, ToolError> {
    if let Some(value) = unit_value() {
        return read_args(arguments, &mut []).map(|()| value);
    }
    let known = Known::of::<T>();
    match object_of(arguments)? {
        Object::Text(text) => {
            let mut unknown = None;
            let mut deserializer = serde_json::Deserializer::from_str(&text);
            let read = deserializer.deserialize_map(Whole::<T>::new(&known, &mut unknown));
            let read = read.and_then(|value| deserializer.end().map(|()| value));
            read.map_err(|error| match serde_json::from_str::<Value>(&text) {
                Ok(value) => refuse::<T>(&value, &known, unknown, &error),
                Err(error) => explain::not_json(&error),
            })
        }
        Object::Value(value) => {
            let mut unknown = None;
            let read = value.deserialize_map(Whole::<T>::new(&known, &mut unknown));
            read.map_err(|error| refuse::<T>(value, &known, unknown, &error))
        }
    }
}

/// Arguments that may be an object.
enum Object<'a> {
    Text(Cow<'a, str>),
    Value(&'a Value),
}

/// The arguments without what stands for an empty object and without one layer of packing.
fn object_of(arguments: &Arguments) -> Result<Object<'_>, ToolError> {
    match arguments {
        Arguments::Text(text) => {
            let trimmed = text.trim_ascii();
            if trimmed.starts_with('"') {
                let unpacked: String =
                    serde_json::from_str(trimmed).map_err(|error| explain::not_json(&error))?;
                return Ok(Object::Text(object_text(Cow::Owned(unpacked))));
            }
            Ok(Object::Text(object_text(Cow::Borrowed(text))))
        }
        Arguments::Value(Value::Null) => Ok(Object::Text(Cow::Borrowed("{}"))),
        Arguments::Value(Value::String(text)) => Ok(Object::Text(object_text(Cow::Borrowed(text)))),
        Arguments::Value(value) => Ok(Object::Value(value)),
    }
}

fn object_text(text: Cow<'_, str>) -> Cow<'_, str> {
    if matches!(text.trim_ascii(), "" | "null") { Cow::Borrowed("{}") } else { text }
}

#[cold]
fn refuse<T: ToolArg>(
    value: &Value,
    known: &Known,
    unknown: Option<String>,
    error: &serde_json::Error,
) -> ToolError {
    if let Some(name) = unknown {
        return explain::unknown(&name, known.names());
    }
    if !value.is_object() {
        return explain::not_an_object(value);
    }
    explain::decode_again::<T>(value).unwrap_or_else(|| explain::Fault::of(error)).into_error()
}

/// The members that a type takes.
enum Known {
    Fields(&'static [&'static str]),
    Shape(Arc<RootShape>),
}

impl Known {
    fn of<T: ToolArg>() -> Self {
        known_fields::<T>()
            .map_or_else(|| Self::Shape(shape_of(TypeId::of::<T>(), root_of::<T>)), Self::Fields)
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Self::Fields(names) => names.contains(&name),
            Self::Shape(shape) => shape.open || shape.names.iter().any(|known| known == name),
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> + Clone {
        let (fields, shape) = match self {
            Self::Fields(names) => (*names, None),
            Self::Shape(shape) => (<&[&str]>::default(), Some(shape)),
        };
        let of_shape = shape.into_iter().flat_map(|shape| shape.names.iter().map(String::as_str));
        fields.iter().copied().chain(of_shape)
    }
}

/// The shape of a type's schema, made once per type and process.
fn shape_of(id: TypeId, make: fn() -> RootShape) -> Arc<RootShape> {
    static SHAPES: RwLock<Option<HashMap<TypeId, Arc<RootShape>>>> = RwLock::new(None);
    let known = SHAPES
        .read()
        .unwrap_or_else(PoisonError::into_inner)
        .as_ref()
        .and_then(|shapes| shapes.get(&id).cloned());
    known.unwrap_or_else(|| {
        // Made outside of the lock: it runs the type's own `JsonSchema`.
        let shape = Arc::new(make());
        let mut shapes = SHAPES.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(shapes.get_or_insert_default().entry(id).or_insert(shape))
    })
}

/// Decodes a `T` from the members of an object and stops at the first one that `T` does not know.
struct Whole<'k, T> {
    known: &'k Known,
    unknown: &'k mut Option<String>,
    of: PhantomData<T>,
}

impl<'k, T> Whole<'k, T> {
    fn new(known: &'k Known, unknown: &'k mut Option<String>) -> Self {
        Self { known, unknown, of: PhantomData }
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Whole<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
        let members = Checked { members, known: self.known, unknown: self.unknown };
        T::deserialize(MapAccessDeserializer::new(members))
    }
}

/// The members of an object, each name checked before it is handed on.
struct Checked<'k, A> {
    members: A,
    known: &'k Known,
    unknown: &'k mut Option<String>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Checked<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let Some(name) = self.members.next_key_seed(Name)? else { return Ok(None) };
        if !self.known.has(&name) {
            *self.unknown = Some(name.into_owned());
            return Err(A::Error::custom("unknown argument"));
        }
        seed.deserialize(CowStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.members.next_value_seed(seed)
    }

    fn size_hint(&self) -> Option<usize> {
        self.members.size_hint()
    }
}

/// Reads the name of a member, borrowed where the input allows it.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}
