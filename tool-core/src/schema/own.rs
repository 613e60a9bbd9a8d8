//! Makes the schemas of tools that are written in Rust, from the types of their parameters and results.
//!
//! The expansion of `#[function_tool]` lists its [`Param`]s; [`input_schema`] joins them into one object schema that
//! says exactly what decoding accepts.

use std::any::type_name;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, value::RawValue};

use super::{
    Schema, SchemaError, check_root,
    normalise::{names, normalise, without_null},
    order,
};
use crate::declare::{ToolArg, is_optional, known_fields, part_is_optional, unit_value};

/// A parameter of a function as its schema shows it.
#[derive(Debug)]
pub struct Param {
    name: &'static str,
    doc: &'static str,
    kind: ParamKind,
    schema: fn(&mut SchemaGenerator) -> schemars::Schema,
    optional: fn() -> bool,
    default: Option<fn() -> Option<Value>>,
    fields: fn() -> Option<&'static [&'static str]>,
}

#[derive(Debug, Clone, Copy)]
enum ParamKind {
    /// One property.
    Property,
    /// The properties of a hidden struct.
    Part,
    /// The whole object.
    Whole,
}

/// A parameter of type `T`; `doc` may be empty.
pub fn param<T: ToolArg>(name: &'static str, doc: &'static str) -> Param {
    Param { optional: is_optional::<T>, ..new::<T>(ParamKind::Property, name, doc) }
}

/// A parameter with serde or schemars attributes, as a hidden struct with that one field.
pub fn part<P: ToolArg>() -> Param {
    Param { optional: part_is_optional::<P>, ..new::<P>(ParamKind::Part, "", "") }
}

impl Param {
    /// The value that stands for the argument where the model leaves it out.
    #[must_use]
    pub fn with_default(self, default: fn() -> Option<Value>) -> Self {
        Self { default: Some(default), ..self }
    }
}

/// The input schema of a function whose one parameter takes all arguments.
///
/// # Errors
/// [`SchemaError::NotAnObject`] where `T` is no object.
pub fn args_schema<T: ToolArg>() -> Result<Schema, SchemaError> {
    if unit_value::<T>().is_some() {
        return input_schema(&[]);
    }
    input_schema(&[new::<T>(ParamKind::Whole, "", "")])
}

fn new<T: ToolArg>(kind: ParamKind, name: &'static str, doc: &'static str) -> Param {
    Param {
        name,
        doc,
        kind,
        schema: |generator| generator.subschema_for::<T>(),
        optional: || true,
        default: None,
        fields: known_fields::<T>,
    }
}

/// The input schema of a function with these parameters.
///
/// # Errors
/// [`SchemaError::NotAnObject`] where the type of an `#[args]` parameter is no object.
pub fn input_schema(params: &[Param]) -> Result<Schema, SchemaError> {
    let mut generator = generator(SchemaSettings::draft2020_12().for_deserialize());
    let mut root = Map::new();
    let mut declared = Vec::new();
    for param in params {
        let mut schema = (param.schema)(&mut generator).to_value();
        normalise(&mut schema);
        match param.kind {
            ParamKind::Property => add_property(&mut root, &mut declared, param, schema),
            ParamKind::Part => add_part(&mut root, &mut declared, param, schema),
            ParamKind::Whole => {
                let Value::Object(whole) = schema else { continue };
                root = whole;
                if root.is_empty() {
                    // Any value; arguments are an object, so any object.
                    root.insert("additionalProperties".to_owned(), Value::Bool(true));
                }
                declared.extend((param.fields)().unwrap_or_default().iter().map(|name| (*name).to_owned()));
            }
        }
    }
    close(&mut root);
    finish(root, &mut generator, &declared)
}

/// The schema of a result of type `T`.
///
/// # Errors
/// [`SchemaError::NotAnObject`] where `T` does not serialise as an object.
pub(crate) fn output_schema<T: JsonSchema>() -> Result<Schema, SchemaError> {
    let mut generator = generator(SchemaSettings::draft2020_12().for_serialize());
    let mut schema = generator.subschema_for::<T>().to_value();
    normalise(&mut schema);
    match schema {
        Value::Object(root) => finish(root, &mut generator, &[]),
        _ => Err(SchemaError::NotAnObject(format!("`{}` is any value", type_name::<T>()))),
    }
}

/// What [`args_schema`] makes of an object type, for decoding that has no list of fields to go by.
pub(crate) fn root_of<T: ToolArg>() -> RootShape {
    let schema = args_schema::<T>().ok().and_then(|schema| serde_json::from_str(schema.as_str()).ok());
    let mut shape = RootShape { names: Vec::new(), open: false };
    shape.add(&schema.unwrap_or_default());
    shape
}

/// The argument names of an object schema, and whether it takes others.
#[derive(Debug)]
pub(crate) struct RootShape {
    pub(crate) names: Vec<String>,
    pub(crate) open: bool,
}

impl RootShape {
    fn add(&mut self, schema: &Value) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            let new: Vec<_> = properties.keys().filter(|name| !self.names.contains(name)).cloned().collect();
            self.names.extend(new);
        }
        let extra = schema.get("additionalProperties");
        self.open |= extra.is_some_and(|extra| *extra != Value::Bool(false));
        for choice in choices(schema) {
            self.add(choice);
        }
    }
}

fn choices(schema: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf", "allOf"]
        .into_iter()
        .filter_map(|keyword| schema.get(keyword).and_then(Value::as_array))
        .flatten()
}

fn generator(settings: SchemaSettings) -> SchemaGenerator {
    settings
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .into_generator()
}

fn add_property(root: &mut Map<String, Value>, declared: &mut Vec<String>, param: &Param, mut schema: Value) {
    let optional = param.default.is_some() || (param.optional)();
    if optional {
        without_null(&mut schema);
    }
    if let Value::Object(property) = &mut schema {
        if !param.doc.is_empty() {
            property.insert("description".to_owned(), param.doc.into());
        }
        if let Some(default) = param.default.and_then(|default| default()).filter(|value| !value.is_null()) {
            property.insert("default".to_owned(), default);
        }
    }
    insert(root, declared, param.name, schema, optional);
}

fn add_part(root: &mut Map<String, Value>, declared: &mut Vec<String>, param: &Param, schema: Value) {
    let Value::Object(mut part) = schema else { return };
    let Some(Value::Object(properties)) = part.remove("properties") else { return };
    let optional = (param.optional)();
    for (name, mut property) in properties {
        if optional {
            without_null(&mut property);
        }
        insert(root, declared, &name, property, optional);
    }
}

fn insert(
    root: &mut Map<String, Value>,
    declared: &mut Vec<String>,
    name: &str,
    schema: Value,
    optional: bool,
) {
    if let Value::Object(properties) = root.entry("properties").or_insert_with(|| Map::new().into()) {
        properties.insert(name.to_owned(), schema);
    }
    if !optional
        && let Value::Array(required) = root.entry("required").or_insert_with(|| Value::Array(Vec::new()))
    {
        required.push(name.into());
    }
    declared.push(name.to_owned());
}

/// Makes the root an object that takes no other names, unless it says that it does.
fn close(root: &mut Map<String, Value>) {
    let of_objects = |keyword: &str| {
        let choices = root.get(keyword).and_then(Value::as_array);
        choices.is_some_and(|choices| {
            choices.iter().all(|choice| choice.get("type").is_some_and(|name| name == "object"))
        })
    };
    if root.is_empty()
        || root.contains_key("properties")
        || root.contains_key("additionalProperties")
        || of_objects("oneOf")
        || of_objects("anyOf")
    {
        root.entry("type").or_insert_with(|| "object".into());
    }
    if root.get("type").is_none_or(|name| name != "object") {
        return;
    }
    root.entry("properties").or_insert_with(|| Map::new().into());
    let branches = ["oneOf", "anyOf", "allOf"].iter().any(|keyword| root.contains_key(*keyword));
    let closing = if branches { "unevaluatedProperties" } else { "additionalProperties" };
    if !root.contains_key("additionalProperties") {
        root.entry(closing).or_insert(Value::Bool(false));
    }
}

fn finish(
    mut root: Map<String, Value>,
    generator: &mut SchemaGenerator,
    declared: &[String],
) -> Result<Schema, SchemaError> {
    let mut definitions = Value::Object(generator.take_definitions(true));
    if let Value::Object(schemas) = &mut definitions
        && !schemas.is_empty()
    {
        schemas.values_mut().for_each(normalise);
        root.insert("$defs".to_owned(), definitions);
    }
    let mut declared: Vec<&str> = declared.iter().map(String::as_str).collect();
    declared.dedup();
    if let Some(Value::Array(required)) = root.get_mut("required") {
        let mut sorted: Vec<String> =
            names(Some(&Value::Array(std::mem::take(required)))).map(str::to_owned).collect();
        sorted.sort_by_key(|name| declared.iter().position(|known| known == name));
        *required = sorted.into_iter().map(Value::from).collect();
    }
    let root = Value::Object(root);
    check_root(&root)?;
    RawValue::from_string(order::write(&root, &declared))
        .map(Schema)
        .map_err(|error| SchemaError::NotJson(error.to_string()))
}
