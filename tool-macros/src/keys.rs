//! The grammar of an attribute's arguments: `key`, `key = value`, separated by commas.
//!
//! Knows no key. Values are kept as tokens until somebody asks for a form, so that a fault in one value does not hide
//! the faults of the others.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    LitBool, LitStr, Path, Token,
    ext::IdentExt as _,
    parse::{Parse, ParseStream, Parser as _},
    punctuated::Punctuated,
};

use crate::diagnostics::Faults;

/// `key` or `key = value`.
pub(crate) struct Entry {
    pub(crate) key: Ident,
    pub(crate) value: Option<TokenStream>,
}

/// A flag and the key that set it, for messages about combinations.
pub(crate) struct Flag {
    pub(crate) key: Ident,
    pub(crate) value: bool,
}

/// Reads all entries; what is no entry is a fault and the rest goes on.
pub(crate) fn entries(tokens: TokenStream, faults: &mut Faults) -> Vec<Entry> {
    let mut entries = Vec::new();
    for piece in split_at_commas(tokens) {
        match entry.parse2(piece.clone()) {
            Ok(entry) => entries.push(entry),
            Err(_) => entries.extend(malformed(piece, faults)),
        }
    }
    entries
}

/// The pieces between commas; empty ones are left out.
pub(crate) fn split_at_commas(tokens: TokenStream) -> Vec<TokenStream> {
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let pieces = tokens.split(is_comma).filter(|piece| !piece.is_empty());
    pieces.map(|piece| piece.iter().cloned().collect()).collect()
}

fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    let key = input.call(Ident::parse_any)?;
    if input.is_empty() {
        return Ok(Entry { key, value: None });
    }
    input.parse::<Token![=]>()?;
    let value: TokenStream = input.parse()?;
    if value.is_empty() { Err(input.error("a value")) } else { Ok(Entry { key, value: Some(value) }) }
}

/// Reports a piece that is no entry; a text alone is what a description was meant to be.
fn malformed(piece: TokenStream, faults: &mut Faults) -> Option<Entry> {
    if let Ok(text) = syn::parse2::<LitStr>(piece.clone()) {
        faults.add(&text, "a text needs a key", format_args!("write `description = {piece}`"));
        return Some(Entry { key: Ident::new("description", text.span()), value: Some(piece) });
    }
    faults.add(
        piece,
        "expected `key` or `key = value`",
        "separate keys by commas: `title = \"Charge\", defer_loading`",
    );
    None
}

impl Entry {
    /// `key = "text"`, not blank.
    pub(crate) fn text(&self, example: &str, faults: &mut Faults) -> Option<LitStr> {
        let key = &self.key;
        let help = format!("write `{key} = \"{example}\"`");
        let literal: LitStr = self.value(format_args!("`{key}` takes a string literal"), &help, faults)?;
        if literal.value().trim().is_empty() {
            faults.add(&literal, format_args!("`{key}` is empty"), format_args!("{help}, or remove the key"));
            return None;
        }
        Some(literal)
    }

    /// `key`, `key = true` or `key = false`.
    pub(crate) fn flag(self, faults: &mut Faults) -> Option<Flag> {
        let value = if self.value.is_some() {
            let key = &self.key;
            let what = format!("`{key}` takes `true` or `false`");
            self.value::<LitBool>(what, &format!("write `{key}` alone, or `{key} = false`"), faults)?.value
        } else {
            true
        };
        Some(Flag { key: self.key, value })
    }

    /// `key = ["a", "b"]`, neither empty nor with blank words.
    pub(crate) fn texts(&self, example: &str, faults: &mut Faults) -> Option<Vec<LitStr>> {
        let key = &self.key;
        let help = format!("write `{key} = [{example}]`");
        let Texts(list) =
            self.value(format_args!("`{key}` takes a list of string literals"), &help, faults)?;
        let blank = list.iter().find(|word| word.value().trim().is_empty());
        if let Some(word) = blank {
            faults.add(word, format_args!("`{key}` has an empty text"), "remove it");
            return None;
        }
        if list.is_empty() {
            faults.add(
                &self.value,
                format_args!("`{key}` is empty"),
                format_args!("{help}, or remove the key"),
            );
            return None;
        }
        Some(list)
    }

    /// `key = some::path`.
    pub(crate) fn path(&self, example: &str, faults: &mut Faults) -> Option<Path> {
        let key = &self.key;
        let help = format!("write `{key} = {example}`, without quotes");
        let AnyPath(path) = self.value(format_args!("`{key}` takes a path"), &help, faults)?;
        Some(path)
    }

    /// `key = Name`.
    pub(crate) fn ident(&self, help: &str, faults: &mut Faults) -> Option<Ident> {
        let what = format!("`{}` takes a name", self.key);
        self.value(what, &format!("write {help}, without quotes"), faults)
    }

    fn value<T: Parse>(&self, what: impl std::fmt::Display, help: &str, faults: &mut Faults) -> Option<T> {
        let Some(value) = &self.value else {
            faults.add(&self.key, format_args!("`{}` needs a value", self.key), help);
            return None;
        };
        let parsed = syn::parse2(value.clone()).ok();
        if parsed.is_none() {
            faults.add(value, what, help);
        }
        parsed
    }
}

struct Texts(Vec<LitStr>);

impl Parse for Texts {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let list;
        syn::bracketed!(list in input);
        let list: Punctuated<LitStr, Token![,]> = Punctuated::parse_terminated(&list)?;
        Ok(Self(list.into_iter().collect()))
    }
}

/// A path that may start with `crate`.
struct AnyPath(Path);

impl Parse for AnyPath {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let path: syn::ExprPath = input.parse()?;
        if path.qself.is_some() { Err(input.error("a path")) } else { Ok(Self(path.path)) }
    }
}

/// The known word that `word` was meant to be, if one is near.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The key an entry names, as text; `crate` and raw identifiers included.
pub(crate) fn key_text(key: &Ident) -> String {
    key.unraw().to_token_stream().to_string()
}
