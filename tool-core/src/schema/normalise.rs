//! Takes out of a generated schema what costs tokens or breaks clients: `$schema`, `title`, Rust's number formats,
//! boolean schemas, and the `null` of a member that may be left out anyway.

use serde_json::{Map, Value, json};

use super::walk::{Place, place_of};

/// The formats that JSON Schema 2020-12 defines; every other one is noise to a model and a warning in some clients.
const FORMATS: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// Normalises a schema and all schemas in it.
pub(super) fn normalise(schema: &mut Value) {
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({ "not": {} }),
        Value::Object(object) => normalise_object(object),
        _ => {}
    }
}

fn normalise_object(object: &mut Map<String, Value>) {
    object.remove("$schema");
    object.remove("title");
    if object.get("format").and_then(Value::as_str).is_some_and(|format| !FORMATS.contains(&format)) {
        object.remove("format");
    }
    for (keyword, value) in object.iter_mut() {
        match (place_of(keyword), value) {
            // `additionalProperties: false` is what clients know; `{"not": {}}` is not.
            (Place::Schema, Value::Bool(_)) if closes_or_opens(keyword) => {}
            (Place::Schema, value) => normalise(value),
            (Place::Schemas, Value::Array(schemas)) => schemas.iter_mut().for_each(normalise),
            (Place::SchemasByName, Value::Object(schemas)) => schemas.values_mut().for_each(normalise),
            _ => {}
        }
    }
    let required: Vec<String> = names(object.get("required")).map(str::to_owned).collect();
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        for (name, property) in properties.iter_mut() {
            if !required.contains(name) {
                without_null(property);
            }
        }
    }
    if let Some(Value::Array(names)) = object.get_mut("required") {
        names.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    }
}

/// Keywords whose boolean form is common and means an open or a closed object or array.
fn closes_or_opens(keyword: &str) -> bool {
    matches!(keyword, "additionalProperties" | "unevaluatedProperties" | "unevaluatedItems")
}

/// The texts of an array of texts.
pub(super) fn names(list: Option<&Value>) -> impl Iterator<Item = &str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Takes `null` out of the schema of a member that may be left out: leaving it out says the same, and several clients
/// and models do not understand a list of types. Decoding takes `null` all the same.
pub(super) fn without_null(schema: &mut Value) {
    let Value::Object(object) = schema else { return };
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_mut_slice() {
            let one = one.take();
            object.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.remove("default");
    }
    if let Some(Value::Array(mut choices)) = object.remove("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if choices.len() == 1 {
            // The member's own words win over those of its type.
            if let Some(Value::Object(only)) = choices.pop() {
                for (keyword, value) in only {
                    object.entry(keyword).or_insert(value);
                }
            }
        } else {
            object.insert("anyOf".to_owned(), Value::Array(choices));
        }
    }
}
