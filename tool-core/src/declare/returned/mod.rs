//! Turns what a function returns into what a model reads, chosen by the return type after all aliases are resolved.
//!
//! The expansion cannot see through `type Answer = Result<…>`, so the compiler chooses: `probe(&r).tag()` looks for an
//! inherent method on `Probe<R, 0>`, then along its `Deref` chain on level 1, 2 …; the first level whose impl fits `R`
//! wins. The last level of each chain has no bounds, and all bounds are on the method that is called next, so that a
//! type that does not fit is one error with our words.

#![allow(clippy::unused_self, reason = "the level that was chosen is the receiver")]

mod error;
#[cfg(test)]
mod tests;
mod text;
mod value;

use std::{marker::PhantomData, ops::Deref};

use serde::Serialize;

pub use self::value::unit;
pub(crate) use self::{
    error::from_boxed,
    value::{JsonValue, serialised, structured},
};
use crate::{
    Json,
    schema::{self, Schema, SchemaError},
};

/// Makes a schema.
pub type SchemaFn = fn() -> Result<Schema, SchemaError>;

/// Chooses how `R` is split into a value and an error.
#[derive(Debug)]
pub struct Probe<R, const LEVEL: u8>(PhantomData<fn() -> R>);
/// Chooses how `R` is shown to the model.
#[derive(Debug)]
pub struct Shape<R, const LEVEL: u8>(PhantomData<fn() -> R>);
/// Chooses whether `R` has an output schema.
#[derive(Debug)]
pub struct Out<R, const LEVEL: u8 = 0>(PhantomData<fn() -> R>);
/// Chooses whether a default can be shown in a schema.
#[derive(Debug)]
pub struct DefaultOf<T, const LEVEL: u8>(PhantomData<fn() -> T>);

macro_rules! levels {
    ($chain:ident: $($from:literal -> $to:literal),+) => {$(
        impl<R> Deref for $chain<R, $from> {
            type Target = $chain<R, $to>;

            fn deref(&self) -> &Self::Target {
                &$chain(PhantomData)
            }
        }
    )+};
}
levels!(Probe: 0 -> 1, 1 -> 2, 2 -> 3, 3 -> 4, 4 -> 5);
levels!(Shape: 0 -> 1);
levels!(Out: 0 -> 1);
levels!(DefaultOf: 0 -> 1);

/// First step: value and error.
pub fn probe<R>(_: &R) -> Probe<R, 0> {
    Probe(PhantomData)
}

/// Second step: what the model reads of the value.
pub fn shape<R>(_: &R) -> Shape<R, 0> {
    Shape(PhantomData)
}

/// How to show a default in a schema.
pub fn default_of<T>(_: &T) -> DefaultOf<T, 0> {
    DefaultOf(PhantomData)
}

impl<R> Out<R, 0> {
    /// For the return type `R`.
    #[allow(clippy::new_without_default, reason = "called by the expansion only")]
    pub const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: JsonValue> Out<Json<T>, 0> {
    /// The schema of `T`.
    pub fn schema(&self) -> Option<SchemaFn> {
        Some(schema::output_schema::<T>)
    }
}

impl<T: JsonValue, E> Out<Result<Json<T>, E>, 0> {
    /// The schema of `T`.
    pub fn schema(&self) -> Option<SchemaFn> {
        Some(schema::output_schema::<T>)
    }
}

impl<R> Out<R, 1> {
    /// No output schema.
    pub fn schema(&self) -> Option<SchemaFn> {
        None
    }
}

impl<T: Serialize> DefaultOf<T, 0> {
    /// The default as JSON.
    pub fn value(&self, default: &T) -> Option<serde_json::Value> {
        serde_json::to_value(default).ok()
    }
}

impl<T> DefaultOf<T, 1> {
    /// A default that does not serialise is not shown.
    pub fn value(&self, _: &T) -> Option<serde_json::Value> {
        None
    }
}
