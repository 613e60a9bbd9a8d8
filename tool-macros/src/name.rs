//! Model-facing names: which are legal, and which a handle may take.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{LitStr, ext::IdentExt as _};

use crate::diagnostics::Faults;

/// What all providers accept, in characters.
const MAX_LEN: usize = 64;

/// The name that the model sees: the key's, else the function's.
pub(crate) fn tool_name(key: Option<&LitStr>, function: &Ident, faults: &mut Faults) -> String {
    if let Some(literal) = key {
        let name = literal.value();
        check(&name, literal, "use ASCII letters, digits, `_` and `-`, a letter or `_` first", faults);
        return name;
    }
    let name = function.unraw().to_string();
    let help = "write `#[function_tool(name = \"…\")]` with ASCII letters, digits, `_` and `-`";
    check(&name, function, help, faults);
    name
}

fn check(name: &str, at: impl ToTokens, help: &str, faults: &mut Faults) {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() {
        faults.add(
            at,
            "the tool name is empty",
            "write a name, or remove the key: the function's name is the default",
        );
    } else if let Some(c) = name.chars().find(|c| !legal(*c)) {
        faults.add(at, format_args!("`{name}` cannot be a tool name: providers refuse {c:?}"), help);
    } else if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        faults.add(
            at,
            format_args!("`{name}` cannot be a tool name: it must start with a letter or `_`"),
            help,
        );
    } else if name.len() > MAX_LEN {
        let what = format!("the tool name has {} characters; providers take at most {MAX_LEN}", name.len());
        faults.add(at, what, "shorten it, or write a short one as `#[function_tool(name = \"…\")]`");
    }
}

/// Whether a type of this name would shadow a primitive type for the whole module.
pub(crate) fn is_primitive(ident: &Ident) -> bool {
    matches!(
        ident.to_string().as_str(),
        "bool"
            | "char"
            | "str"
            | "u8"
            | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "f16"
            | "f32"
            | "f64"
            | "f128"
    )
}
