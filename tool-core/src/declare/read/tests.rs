//! The walk against `serde_json`: what a struct that denies unknown fields takes, the slots take, and nothing else.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fmt::Write;

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Arguments, ToolError, ToolErrorKind,
    declare::private::{got, read_args, slot},
};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Item {
    price: u16,
    #[serde(default)]
    label: Option<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Taken {
    query: String,
    limit: Option<i64>,
    items: Option<Vec<Item>>,
    any: Option<Value>,
}

fn by_slots(arguments: &Arguments) -> Result<Taken, ToolError> {
    let (mut query, mut limit, mut items, mut any) = (None, None, None, None);
    let mut slots = [
        slot::<String>(&["query"], &mut query),
        slot::<Option<i64>>(&["limit"], &mut limit),
        slot::<Option<Vec<Item>>>(&["items"], &mut items),
        slot::<Option<Value>>(&["any"], &mut any),
    ];
    read_args(arguments, &mut slots)?;
    Ok(Taken {
        query: got(query, "query")?,
        limit: got(limit, "limit")?,
        items: got(items, "items")?,
        any: got(any, "any")?,
    })
}

fn by_derive(text: &str) -> Option<Taken> {
    let object = |text: &str| match text.trim_ascii() {
        "" | "null" => serde_json::from_str("{}").ok(),
        // A derived struct also reads an array; arguments are an object.
        text if text.starts_with('[') => None,
        text => serde_json::from_str(text).ok(),
    };
    match serde_json::from_str::<String>(text) {
        Ok(packed) => object(&packed),
        Err(_) => object(text),
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1000..1000i32).prop_map(|n| Value::from(f64::from(n) / 8.0)),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c\\PC]{0,3}", inner, 0..4)
                .prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// A value that fits the argument `name`, more often than not.
fn fitting(name: &str) -> BoxedStrategy<Value> {
    let item = (any::<u16>(), any::<Option<String>>())
        .prop_map(|(price, label)| serde_json::to_value(Item { price, label }).unwrap());
    match name {
        "query" => prop_oneof![9 => any::<String>().prop_map(Value::from), 1 => value()].boxed(),
        "limit" => prop_oneof![9 => any::<i64>().prop_map(Value::from), 1 => value()].boxed(),
        "items" => {
            prop_oneof![9 => prop::collection::vec(item, 0..3).prop_map(Value::from), 1 => value()].boxed()
        }
        _ => value().boxed(),
    }
}

/// A JSON string with some characters written as escapes.
fn spelled(text: &str, escape: &[bool]) -> String {
    let mut out = String::from("\"");
    for (index, c) in text.chars().enumerate() {
        if escape.get(index).copied().unwrap_or_default() {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").unwrap();
            }
        } else {
            let quoted = Value::from(c.to_string()).to_string();
            out.push_str(&quoted[1..quoted.len() - 1]);
        }
    }
    out.push('"');
    out
}

/// One member as text: its name maybe escaped, white space around.
fn member() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        6 => Just("query".to_owned()), 2 => Just("limit".to_owned()), 2 => Just("items".to_owned()),
        2 => Just("any".to_owned()), 1 => any::<String>(),
    ];
    let escape = prop_oneof![3 => Just(vec![]), 1 => prop::collection::vec(any::<bool>(), 5)];
    (name, escape, space(), space()).prop_flat_map(|(name, escape, before, after)| {
        fitting(&name).prop_map(move |value| {
            let name = spelled(&name, &escape);
            format!("{before}{name}{after}:{before}{value}{after}")
        })
    })
}

fn space() -> impl Strategy<Value = &'static str> {
    prop_oneof![3 => Just(""), 1 => Just(" "), 1 => Just("\r\n\t ")]
}

/// An object as text, with duplicates and unknown members, now and then broken, packed, or followed by something.
fn object() -> impl Strategy<Value = String> {
    let whole = (prop::collection::vec(member(), 0..5), space(), space())
        .prop_map(|(members, before, after)| format!("{before}{{{}{before}}}{after}", members.join(",")));
    let twist =
        prop_oneof![12 => Just(0u8), 1 => Just(1), 1 => Just(2), 1 => Just(3), 1 => Just(4), 1 => Just(5)];
    (whole, twist, any::<prop::sample::Index>(), "[\\[\\]{}\",:\\\\0-9a-z ]").prop_map(
        |(text, twist, place, other)| {
            let at = text.floor_char_boundary(place.index(text.len() + 1));
            match twist {
                1 => text[..at].to_owned(),
                2 => format!("{}{other}{}", &text[..at], &text[at..]),
                3 => Value::from(text).to_string(),
                4 => format!("{text}{other}"),
                5 => text.replacen([',', ':', '}', '"'], &other, 1),
                _ => text,
            }
        },
    )
}

fn agrees(text: &str) -> Result<(), TestCaseError> {
    match (by_slots(&text.into()), by_derive(text)) {
        (Ok(slots), Some(derived)) => prop_assert_eq!(slots, derived),
        (Err(error), None) => {
            prop_assert_eq!(error.kind(), ToolErrorKind::InvalidArguments);
            prop_assert!(error.model_message().len() <= 2_000);
            prop_assert!(!error.model_message().contains(char::is_control));
            prop_assert!(!error.model_message().is_empty());
        }
        (slots, derived) => prop_assert!(false, "{text:?}: {slots:?} but {derived:?}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn objects_are_read_as_by_serde(text in object()) {
        agrees(&text)?;
    }

    #[test]
    fn any_text_is_read_as_by_serde(text in any::<String>(), json in "[{}\\[\\]\",:\\\\ \\nnul0-9eE+.query-]{0,24}") {
        agrees(&text)?;
        agrees(&json)?;
    }

    #[test]
    fn a_value_is_read_as_its_text(members in prop::collection::btree_map(
        prop_oneof![Just("query"), Just("limit"), Just("items"), Just("any"), Just("limits")].prop_map(str::to_owned),
        prop_oneof![any::<String>().prop_map(Value::from), value()],
        0..5,
    )) {
        let value: Value = members.into_iter().collect();
        let text = by_slots(&value.to_string().into()).map_err(|error| error.to_string());
        prop_assert_eq!(by_slots(&value.into()).map_err(|error| error.to_string()), text);
    }
}

#[test]
fn depth_is_limited() {
    let nested = |depth: usize| format!(r#"{{"query":"","any":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    assert!(by_slots(&nested(126).into()).is_ok());
    for depth in [129, 100_000] {
        let error = by_slots(&nested(depth).into()).unwrap_err();
        assert!(error.to_string().starts_with("Invalid JSON input: recursion limit exceeded"), "{error}");
    }
}

#[test]
fn a_call_that_was_cut_off_is_not_json() {
    let whole = r#"{"query":"a","items":[{"price":1}]}"#;
    for end in 1..whole.len() {
        let error = by_slots(&whole[..end].into()).unwrap_err();
        assert!(error.to_string().starts_with("Invalid JSON input: "), "{end}: {error}");
    }
}

#[test]
fn only_one_layer_of_packing_is_taken_off() {
    let once = Value::from(r#"{"query":"a"}"#).to_string();
    let twice = Value::from(once.as_str()).to_string();
    assert_eq!(by_slots(&once.as_str().into()).unwrap().query, "a");
    let error = by_slots(&twice.into()).unwrap_err();
    assert_eq!(error.to_string(), "the arguments must be a JSON object, not a string");
}

#[test]
fn more_than_64_parameters_are_fine() {
    let mut places: Vec<Option<u8>> = vec![None; 100];
    let names: Vec<&'static str> = (0..100).map(|n| &*format!("a{n}").leak()).collect();
    let text: Value =
        names.iter().enumerate().map(|(n, name)| ((*name).to_owned(), Value::from(n))).collect();
    let mut slots: Vec<_> = names
        .iter()
        .zip(&mut places)
        .map(|(name, place)| slot::<u8>(Vec::leak(vec![*name]), place))
        .collect();
    read_args(&text.to_string().into(), &mut slots).unwrap();
    assert!(places.iter().enumerate().all(|(n, place)| place.map(usize::from) == Some(n)));
}
