//! The text of a returned value: strings and unit variants bare, `()` as `ok`, all else as JSON.
//!
//! Done by a serializer that looks at the outermost value only, so it is right for `Cow`, `Arc<str>`, newtypes and
//! `Option<String>` without naming them, and writes no JSON string only to take its quotes off again.

use serde::{Serialize, Serializer};
use serde_json::Error;

type Json<'a> = &'a mut serde_json::Serializer<Vec<u8>>;

/// The text that a model reads for `value`.
pub(super) fn of<T: Serialize + ?Sized>(value: &T) -> Result<String, Error> {
    let mut text = None;
    let mut json = serde_json::Serializer::new(Vec::new());
    value.serialize(Root { text: &mut text, json: &mut json })?;
    text.map_or_else(|| String::from_utf8(json.into_inner()).map_err(serde::ser::Error::custom), Ok)
}

/// Serialises the outermost value: as `text` where it is one, else as JSON.
struct Root<'a> {
    text: &'a mut Option<String>,
    json: Json<'a>,
}

impl Root<'_> {
    #[allow(clippy::unnecessary_wraps, reason = "what every method of the trait returns")]
    fn text(self, text: impl Into<String>) -> Result<(), Error> {
        *self.text = Some(text.into());
        Ok(())
    }
}

macro_rules! as_json {
    ($($method:ident: $type:ty),+ $(,)?) => {$(
        fn $method(self, value: $type) -> Result<(), Error> {
            self.json.$method(value)
        }
    )+};
}

impl<'a> Serializer for Root<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = <Json<'a> as Serializer>::SerializeSeq;
    type SerializeTuple = <Json<'a> as Serializer>::SerializeTuple;
    type SerializeTupleStruct = <Json<'a> as Serializer>::SerializeTupleStruct;
    type SerializeTupleVariant = <Json<'a> as Serializer>::SerializeTupleVariant;
    type SerializeMap = <Json<'a> as Serializer>::SerializeMap;
    type SerializeStruct = <Json<'a> as Serializer>::SerializeStruct;
    type SerializeStructVariant = <Json<'a> as Serializer>::SerializeStructVariant;

    as_json! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_f32: f32, serialize_f64: f64, serialize_bytes: &[u8],
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.text(value)
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.text(value)
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.text("null")
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.text("ok")
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.text("ok")
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.text(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.json.serialize_newtype_variant(name, index, variant, value)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        self.json.serialize_seq(len)
    }

    fn serialize_tuple(self, len: usize) -> Result<Self::SerializeTuple, Error> {
        self.json.serialize_tuple(len)
    }

    fn serialize_tuple_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleStruct, Error> {
        self.json.serialize_tuple_struct(name, len)
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        self.json.serialize_tuple_variant(name, index, variant, len)
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, Error> {
        self.json.serialize_map(len)
    }

    fn serialize_struct(self, name: &'static str, len: usize) -> Result<Self::SerializeStruct, Error> {
        self.json.serialize_struct(name, len)
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        self.json.serialize_struct_variant(name, index, variant, len)
    }

    fn collect_str<T: std::fmt::Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.text(value.to_string())
    }
}
