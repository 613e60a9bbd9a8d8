//! One type for each thing that schemars says in its own way.

#![allow(clippy::option_option, reason = "users write them")]

use std::{
    collections::{BTreeSet, HashMap},
    net::{IpAddr, Ipv4Addr},
    num::NonZeroU8,
    path::PathBuf,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Numbers {
    a: u8,
    b: i32,
    c: u64,
    d: f32,
    e: f64,
    f: usize,
    g: i128,
    h: NonZeroU8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Strings {
    text: char,
    path: PathBuf,
    ip: IpAddr,
    ipv4: Ipv4Addr,
    boxed: Box<str>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) enum Units {
    A,
    B,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) enum Described {
    /// The first.
    A,
    /// The second.
    B,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Nullable {
    pub(super) text: Option<String>,
    pub(super) unit: Option<Units>,
    items: Vec<Option<u32>>,
    pub(super) object: Option<Numbers>,
    any: Option<Value>,
    described: Option<Described>,
    list: Option<Vec<u8>>,
    pub(super) twice: Option<Option<u8>>,
    #[serde(default)]
    default: Option<u8>,
    /// The field's own words.
    documented: Option<Units>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Collections {
    map: HashMap<String, u8>,
    tuple: (u8, String),
    array: [u8; 3],
    set: BTreeSet<String>,
    any: Value,
    any_map: HashMap<String, Value>,
    any_list: Vec<Value>,
    unit: (),
}

/// Members that are called like keywords are members.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Keywords {
    title: String,
    format: String,
    #[serde(rename = "$schema")]
    schema: u8,
    properties: u8,
    required: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Attributes {
    #[schemars(length(min = 1, max = 3), regex(pattern = "^a$"), example = "x".to_owned(), extend("x-own" = 1))]
    a: String,
    #[schemars(range(min = 1, max = 5))]
    b: u8,
    #[schemars(with = "String", title = "Noise")]
    c: Numbers,
    #[serde(skip)]
    d: u8,
    #[serde(rename = "e-e", alias = "ee")]
    e: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct Defaults {
    z: u8,
    a: Option<String>,
    unit: Units,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { z: 3, a: None, unit: Units::B }
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Denying {
    a: u8,
    #[serde(default)]
    z: Defaults,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Transparent(Numbers);

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Inner {
    b: u8,
    a: Option<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct FlattenedStruct {
    own: u8,
    #[serde(flatten)]
    inner: Inner,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct FlattenedMap {
    own: u8,
    #[serde(flatten)]
    inner: HashMap<String, Value>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct FlattenedEnum {
    own: u8,
    #[serde(flatten)]
    inner: ExternallyTagged,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) enum ExternallyTagged {
    Unit,
    New(u8),
    Tuple(u8, u8),
    Struct { b: u8, a: Option<u8> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind")]
pub(super) enum InternallyTagged {
    Unit,
    Struct { b: u8 },
    New(Text),
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Text {
    text: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "value")]
pub(super) enum AdjacentlyTagged {
    Unit,
    New(u8),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Untagged {
    Number(u8),
    Text(String),
    Struct { x: u8 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Tree {
    label: String,
    kids: Vec<Tree>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op")]
pub(super) enum Expression {
    Number { n: f64 },
    Add { left: Box<Expression>, right: Box<Expression> },
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Ping {
    pong: Option<Box<Pong>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Pong {
    ping: Option<Box<Ping>>,
}
