//! Compile errors, collected so that the user sees all faults of a declaration at once.
//!
//! Each has the narrowest span that names the fault, one line that says what is wrong, and a `help:` line that says
//! what to write. Every stage of the pipeline adds to one [`Faults`]; [`lib.rs`](crate) prints them after the user's item.

use std::fmt::Display;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The faults found so far.
#[derive(Default)]
#[must_use]
pub(crate) struct Faults(Vec<syn::Error>);

impl Faults {
    /// Adds a fault at the tokens that are wrong.
    pub(crate) fn add(&mut self, at: impl ToTokens, what: impl Display, help: impl Display) {
        self.0.push(syn::Error::new_spanned(at, format_args!("{what}\nhelp: {help}")));
    }

    /// Adds a parser's error, whose words say what was expected.
    pub(crate) fn add_syntax(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    /// Adds the faults of a part.
    pub(crate) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl ToTokens for Faults {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.0.iter().map(syn::Error::to_compile_error));
    }
}
