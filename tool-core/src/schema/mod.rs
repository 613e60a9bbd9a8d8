//! JSON Schemas as text.
//!
//! Own schemas (from Rust types) are normalised and ordered by us, so that the same types give the same bytes whatever
//! features other crates turn on; foreign ones (MCP) are kept as they came.

mod foreign;
mod normalise;
mod order;
mod own;
#[cfg(test)]
mod tests;
mod walk;

use serde::{Serialize, Serializer};
use serde_json::{Value, value::RawValue};

pub use own::{Param, args_schema, input_schema, param, part};
pub(crate) use own::{RootShape, output_schema, root_of};

/// Longest schema of a source, in bytes: three times the longest of real servers.
const MAX_FOREIGN: usize = 256 * 1024;

/// A JSON Schema, 2020-12, whose root is an object schema. Kept as text; serialising copies it.
#[derive(Debug, Clone)]
pub struct Schema(Box<RawValue>);

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// Not a JSON document.
    #[error("the schema is not JSON: {0}")]
    NotJson(String),
    /// The root does not describe an object.
    #[error("the root of the schema must be an object schema, but {0}")]
    NotAnObject(String),
    /// Longer than any tool needs.
    #[error("the schema has {length} bytes; at most {MAX_FOREIGN} are taken")]
    TooLarge {
        /// Its length in bytes.
        length: usize,
    },
}

impl Schema {
    /// Keeps a schema that came from outside, as it came.
    ///
    /// # Errors
    /// [`SchemaError`] where the text is no JSON or its root is no object schema.
    pub fn foreign(text: &str) -> Result<Self, SchemaError> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| SchemaError::NotJson(error.to_string()))?;
        check_root(&value)?;
        RawValue::from_string(text.to_owned())
            .map(Self)
            .map_err(|error| SchemaError::NotJson(error.to_string()))
    }

    /// Keeps a schema of a source, without characters that no reader sees.
    pub(crate) fn of_source(text: &str) -> Result<Self, SchemaError> {
        if text.len() > MAX_FOREIGN {
            return Err(SchemaError::TooLarge { length: text.len() });
        }
        Self::foreign(&foreign::cleaned(text))
    }

    /// The JSON text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// The JSON text as `serde_json` copies it.
    pub(crate) fn as_raw(&self) -> &RawValue {
        &self.0
    }
}

fn check_root(schema: &Value) -> Result<(), SchemaError> {
    let Value::Object(object) = schema else {
        return Err(SchemaError::NotAnObject(format!("it is {}", kind_of(schema))));
    };
    match object.get("type") {
        Some(Value::String(name)) if name == "object" => Ok(()),
        Some(other) => Err(SchemaError::NotAnObject(format!("its type is {other}"))),
        None => Err(SchemaError::NotAnObject("it has no type".to_owned())),
    }
}

/// What kind of JSON value it is, with its article.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}
