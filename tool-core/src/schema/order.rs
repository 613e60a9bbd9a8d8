//! Writes a schema as text in an order of our own: keywords in a fixed order, the root's properties as declared,
//! every other object by name. Whether `serde_json` keeps insertion order is one feature for a whole build, so the
//! order of its maps says nothing, and the bytes of a schema must not depend on it.

use serde_json::{Map, Value};

use super::walk::{Place, place_of};

/// Keywords as a reader wants them; what is not listed follows by name, before `$defs`.
const KEYWORDS: [&str; 28] = [
    "$ref",
    "type",
    "description",
    "const",
    "enum",
    "default",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "uniqueItems",
    "properties",
    "patternProperties",
    "required",
    "additionalProperties",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
];

/// The schema as JSON text; the root's properties come in the order of `declared`, others after them by name.
pub(super) fn write(schema: &Value, declared: &[&str]) -> String {
    let mut out = String::with_capacity(256);
    write_schema(schema, declared, &mut out);
    out
}

fn write_schema(schema: &Value, declared: &[&str], out: &mut String) {
    let Value::Object(object) = schema else { return write_value(schema, out) };
    write_object(object, keyword_rank, out, |keyword, value, out| match (place_of(keyword), value) {
        (Place::Schema, value) => write_schema(value, &[], out),
        (Place::Schemas, Value::Array(schemas)) => {
            write_list(schemas, out, |schema, out| write_schema(schema, &[], out));
        }
        (Place::SchemasByName, Value::Object(schemas)) => {
            let declared = if keyword == "properties" { declared } else { &[] };
            write_object(
                schemas,
                |name| position(declared, name),
                out,
                |_, schema, out| {
                    write_schema(schema, &[], out);
                },
            );
        }
        (_, value) => write_value(value, out),
    });
}

fn write_value(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => write_object(object, |_| 0, out, |_, value, out| write_value(value, out)),
        Value::Array(values) => write_list(values, out, write_value),
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn write_list(values: &[Value], out: &mut String, write: impl Fn(&Value, &mut String)) {
    out.push('[');
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(value, out);
    }
    out.push(']');
}

/// Members by `rank`, equal ones by name.
fn write_object(
    object: &Map<String, Value>,
    rank: impl Fn(&str) -> usize,
    out: &mut String,
    write: impl Fn(&str, &Value, &mut String),
) {
    let mut members: Vec<(usize, &String, &Value)> =
        object.iter().map(|(name, value)| (rank(name), name, value)).collect();
    members
        .sort_unstable_by(|(rank_a, name_a, _), (rank_b, name_b, _)| (rank_a, name_a).cmp(&(rank_b, name_b)));
    out.push('{');
    for (index, (_, name, value)) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&Value::from(name.as_str()).to_string());
        out.push(':');
        write(name, value, out);
    }
    out.push('}');
}

fn keyword_rank(keyword: &str) -> usize {
    if keyword == "$defs" { usize::MAX } else { position(&KEYWORDS, keyword) }
}

fn position(names: &[&str], name: &str) -> usize {
    names.iter().position(|known| *known == name).unwrap_or(names.len())
}
