//! Golden schemas, and their agreement with decoding.
//!
//! The same file is right with and without `preserve_order` of `serde_json`, which a whole-workspace build turns on:
//! `cargo test -p tool-core` and `cargo test -p tool-core --features serde_json/preserve_order`.
//! `UPDATE_GOLDEN=1` writes it anew.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, dead_code)]

mod types;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::types::*;
use super::{args_schema, input_schema, output_schema, param, part};
use crate::declare::{ToolArg, private::read_all};

fn line<T: ToolArg>(name: &str) -> String {
    match args_schema::<T>() {
        Ok(schema) => format!("{name}: {}\n", schema.as_str()),
        Err(error) => format!("{name}: error: {error}\n"),
    }
}

macro_rules! lines {
    ($($type:ty),+ $(,)?) => { [$(line::<$type>(stringify!($type))),+].concat() };
}

#[test]
fn golden() {
    let made = lines![
        Numbers,
        Strings,
        Nullable,
        Collections,
        Keywords,
        Attributes,
        Defaults,
        Denying,
        Transparent,
        FlattenedStruct,
        FlattenedMap,
        FlattenedEnum,
        InternallyTagged,
        AdjacentlyTagged,
        ExternallyTagged,
        Untagged,
        Units,
        Described,
        Tree,
        Expression,
        Ping,
        (),
        Value,
        Option<Numbers>,
        Vec<Numbers>,
    ] + &format!("output of Nullable: {}\n", output_schema::<Nullable>().unwrap().as_str());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/schema/tests/golden.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &made).unwrap();
    }
    let golden = std::fs::read_to_string(path).unwrap();
    for (made, golden) in made.lines().zip(golden.lines()) {
        assert_eq!(made, golden);
    }
    assert_eq!(made.lines().count(), golden.lines().count());
}

/// Takes each member out of `sample`: decoding takes what is left exactly if the schema does not require the member.
fn required_as_decoded<T: ToolArg>(sample: &Value) {
    let schema: Value = serde_json::from_str(args_schema::<T>().unwrap().as_str()).unwrap();
    assert!(read_all::<T>(&sample.clone().into()).is_ok(), "{sample}");
    for (name, property) in schema["properties"].as_object().unwrap() {
        let mut less = sample.clone();
        less.as_object_mut().unwrap().remove(name);
        let required = schema["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
        assert_eq!(read_all::<T>(&less.into()).is_err(), required, "`{name}` of {schema}");
        assert!(property.is_object(), "no boolean schema: `{name}`");
    }
    let mut more = sample.clone();
    more["no_such_member"] = json!(1);
    let open = schema["additionalProperties"] != json!(false);
    assert_eq!(read_all::<T>(&more.into()).is_ok(), open, "{schema}");
}

#[test]
fn required_and_open_agree_with_decoding() {
    let numbers = json!({"a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1, "h": 1});
    required_as_decoded::<Numbers>(&numbers);
    required_as_decoded::<Transparent>(&numbers);
    let nullable = json!({
        "text": "x", "unit": "A", "items": [null], "object": null, "any": 1, "described": "A", "list": [1],
        "twice": 1, "default": 1, "documented": "B",
    });
    required_as_decoded::<Nullable>(&nullable);
    required_as_decoded::<Keywords>(
        &json!({"title": "", "format": "", "$schema": 1, "properties": 1, "required": 1}),
    );
    required_as_decoded::<Defaults>(&json!({"z": 1, "a": "", "unit": "A"}));
    required_as_decoded::<Denying>(&json!({"a": 1, "z": {}}));
    required_as_decoded::<FlattenedMap>(&json!({"own": 1}));
    required_as_decoded::<FlattenedStruct>(&json!({"own": 1, "b": 1, "a": null}));
    required_as_decoded::<Tree>(&json!({"label": "", "kids": [{"label": "", "kids": []}]}));
    assert!(read_all::<Value>(&json!({"x": 1}).into()).is_ok());
}

#[test]
fn null_stands_for_what_may_be_left_out() {
    let nulls =
        json!({"items": [], "text": null, "unit": null, "object": null, "described": null, "twice": null});
    let read = read_all::<Nullable>(&nulls.into()).unwrap();
    assert!(read.text.is_none() && read.unit.is_none() && read.object.is_none() && read.twice.is_none());
}

#[test]
fn tagged_roots_take_the_members_of_their_variants() {
    assert!(read_all::<InternallyTagged>(&json!({"kind": "Struct", "b": 1}).into()).is_ok());
    let error =
        read_all::<InternallyTagged>(&json!({"kind": "Struct", "b": 1, "q": 1}).into()).err().unwrap();
    assert_eq!(error.to_string(), "unknown argument `q`; expected one of `kind`, `b`, `text`");
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Lenient {
    #[serde(deserialize_with = "lenient")]
    flag: Option<bool>,
}

fn lenient<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    Option::deserialize(deserializer)
}

#[test]
fn a_parameter_with_attributes_is_required_as_it_decodes() {
    // serde's derive requires such a field although its type is an `Option`.
    let schema = input_schema(&[part::<Lenient>()]).unwrap();
    assert!(schema.as_str().contains(r#""required":["flag"]"#), "{}", schema.as_str());
}

#[test]
fn parameters_keep_their_order_and_nested_members_have_ours() {
    let schema = input_schema(&[
        param::<u8>("zebra", "Black and white."),
        param::<Defaults>("apple", ""),
        param::<Value>("mango", "Anything."),
    ])
    .unwrap();
    assert_eq!(
        schema.as_str(),
        concat!(
            r#"{"type":"object","properties":{"zebra":{"type":"integer","description":"Black and white.","minimum":0,"#,
            r#""maximum":255},"apple":{"type":"object","properties":{"a":{"type":"string"},"unit":{"type":"string","#,
            r#""enum":["A","B"],"default":"B"},"z":{"type":"integer","default":3,"minimum":0,"maximum":255}}},"#,
            r#""mango":{"description":"Anything."}},"required":["zebra","apple","mango"],"additionalProperties":false}"#
        )
    );
}
