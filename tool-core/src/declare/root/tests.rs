#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, dead_code)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use super::*;
use crate::ToolErrorKind;

#[derive(Debug, PartialEq, Clone, Serialize, Deserialize, JsonSchema)]
struct Search {
    #[serde(alias = "q")]
    query: String,
    limit: Option<u8>,
    #[serde(default)]
    sort: Sort,
}

#[derive(Debug, PartialEq, Clone, Default, Serialize, Deserialize, JsonSchema)]
struct Sort {
    by: Option<String>,
    descending: bool,
}

/// What serde makes of it where unknown members are refused.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Strict {
    #[serde(alias = "q")]
    query: String,
    limit: Option<u8>,
    #[serde(default)]
    sort: Sort,
}

fn message<T: ToolArg>(arguments: &str) -> String {
    let text = read_all::<T>(&arguments.into()).err().expect(arguments);
    assert_eq!(text.kind(), ToolErrorKind::InvalidArguments);
    let value: Value = serde_json::from_str(arguments).unwrap();
    let value = read_all::<T>(&value.into()).err().expect(arguments);
    assert_eq!(text.model_message(), value.model_message());
    text.model_message().to_owned()
}

#[test]
fn faults_are_told_as_for_single_parameters() {
    assert_eq!(message::<Search>("{}"), "missing argument `query`");
    assert_eq!(message::<Search>(r#"{"qeury":""}"#), "unknown argument `qeury`; did you mean `query`?");
    assert_eq!(message::<Search>(r#"{"query":1}"#), "query: invalid type: integer `1`, expected a string");
    assert_eq!(
        message::<Search>(r#"{"query":"","sort":{"descending":1}}"#),
        "sort.descending: invalid type: integer `1`, expected a boolean"
    );
    assert_eq!(
        message::<Search>(r#"{"query":"","sort":{"desc":true}}"#),
        "sort: unknown field `desc`, missing field `descending`"
    );
    assert_eq!(message::<Search>("[1]"), "the arguments must be a JSON object, not an array");
    assert_eq!(message::<Search>("7"), "the arguments must be a JSON object, not a number");
    let twice = read_all::<Search>(&r#"{"query":"","q":""}"#.into()).unwrap_err();
    assert_eq!(twice.to_string(), "duplicate argument `query`");
    let broken = read_all::<Search>(&r#"{"query":"""#.into()).unwrap_err();
    assert!(broken.to_string().starts_with("Invalid JSON input: "), "{broken}");
    let trailing = read_all::<Search>(&r#"{"query":""} x"#.into()).unwrap_err();
    assert!(trailing.to_string().starts_with("Invalid JSON input: trailing characters"), "{trailing}");
}

#[test]
fn packed_and_absent_objects_are_objects() {
    let search = r#"{"q":"a"}"#;
    for packed in [Value::from(search).into(), Value::from(search).to_string().into()] {
        assert_eq!(read_all::<Search>(&packed).unwrap().query, "a");
    }
    for nothing in ["", " ", "null", "{}", r#""""#, r#""{}""#] {
        assert_eq!(read_all::<BTreeMap<String, u8>>(&nothing.into()).unwrap(), BTreeMap::new(), "{nothing}");
        read_all::<()>(&nothing.into()).unwrap();
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Flattening {
    own: u8,
    #[serde(flatten)]
    sort: Sort,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Open {
    own: u8,
    #[serde(flatten)]
    more: BTreeMap<String, Value>,
}

#[test]
fn flattened_members_are_known_by_the_schema() {
    let flat = read_all::<Flattening>(&r#"{"own":1,"descending":true}"#.into()).unwrap();
    assert!(flat.sort.descending);
    assert_eq!(
        message::<Flattening>(r#"{"own":1,"descending":true,"decending":false}"#),
        "unknown argument `decending`; did you mean `descending`?"
    );
    let open = read_all::<Open>(&r#"{"own":1,"x":[2]}"#.into()).unwrap();
    assert_eq!(open.more["x"], serde_json::json!([2]));
}

proptest! {
    #[test]
    fn a_struct_is_read_as_by_serde(members in prop::collection::vec((
        prop_oneof![Just("query"), Just("q"), Just("limit"), Just("sort"), Just("\\u0071uery"), Just("other")],
        prop_oneof![
            Just("\"a\\n\\u00e9\"".to_owned()), any::<u8>().prop_map(|n| n.to_string()), Just("null".to_owned()),
            Just(r#"{"descending":true}"#.to_owned()), Just(r#"{"by":null,"descending":false,"x":1}"#.to_owned()),
        ],
    ), 0..4), cut in any::<prop::sample::Index>(), whole in prop::bool::weighted(0.8)) {
        let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
        let mut text = format!("{{{}}}", members.join(" ,"));
        if !whole {
            text.truncate(1 + cut.index(text.len()));
        }
        let ours = read_all::<Search>(&text.as_str().into());
        if let Ok(Strict { query, limit, sort }) = serde_json::from_str(&text) {
            prop_assert_eq!(ours.unwrap(), Search { query, limit, sort });
        } else {
            prop_assert_eq!(ours.unwrap_err().kind(), ToolErrorKind::InvalidArguments);
        }
    }
}
