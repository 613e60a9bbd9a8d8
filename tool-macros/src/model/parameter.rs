//! Parameters: context, all arguments as one struct, or one argument each.

use proc_macro2::Ident;
use syn::{
    Attribute, Expr, ExprLit, Lit, Meta, Pat, Token, ext::IdentExt as _, parse_quote, punctuated::Punctuated,
};

use super::{Argument, Parameter, Pass, Source, types};
use crate::{
    diagnostics::Faults,
    docs,
    signature::{ParameterAttributes, RawParameter},
};

/// Judges each parameter, then all together.
pub(super) fn validate_all(raw: Vec<RawParameter>, faults: &mut Faults) -> Vec<Parameter> {
    check_args(&raw, faults);
    let mut names: Vec<String> = Vec::new();
    let mut parameters = Vec::new();
    for parameter in raw {
        let pat = parameter.pat.clone();
        let mut own = Vec::new();
        parameters.extend(validate(parameter, &mut own, faults));
        for name in own {
            if names.contains(&name) {
                let help = "give one of them another name";
                faults.add(&pat, format_args!("two parameters are called `{name}`"), help);
            }
            names.push(name);
        }
    }
    parameters
}

/// `#[args]` stands for all arguments, so there is one, and no other argument beside it.
fn check_args(raw: &[RawParameter], faults: &mut Faults) {
    let is_args = |parameter: &&RawParameter| !parameter.attrs.args.is_empty();
    let mut all = raw.iter().filter(is_args);
    if all.next().is_none() {
        return;
    }
    for second in all {
        let help = "put the fields into one struct, or make one struct a field of the other";
        faults.add(&second.pat, "only one parameter can be `#[args]`", help);
    }
    for other in raw.iter().filter(|parameter| !is_args(parameter) && parameter.attrs.context.is_empty()) {
        let help = "make it a field of that struct, or write `#[context]` if the host gives the value";
        faults.add(&other.pat, "an `#[args]` parameter already stands for all arguments", help);
    }
}

/// Judges one parameter; `names` gets the members of the JSON object that it reads.
fn validate(raw: RawParameter, names: &mut Vec<String>, faults: &mut Faults) -> Option<Parameter> {
    let RawParameter { attrs, pat, ty } = raw;
    if let Some(attr) = attrs.conditional.first() {
        let help = "put `#[cfg]` on two versions of the function";
        faults.add(attr, "a parameter of a tool cannot be conditional", help);
    }
    check_markers(&attrs, faults);
    if !attrs.context.is_empty() {
        refuse(&attrs.default, "a host value has no default", "remove the attribute", faults);
        refuse(&attrs.derives, "a host value is not decoded", "remove the attribute", faults);
        return types::context(&ty, faults).map(Parameter::Context);
    }
    if !attrs.args.is_empty() {
        let help = "write it on the fields of the struct";
        refuse(&attrs.default, "`#[args]` stands for several arguments", help, faults);
        refuse(&attrs.derives, "`#[args]` stands for several arguments", help, faults);
        return types::args(&ty, faults).map(Parameter::Args);
    }
    let ident = plain_name(&pat, &ty, faults);
    let typed = types::argument(&ty, faults);
    let default = default_value(&attrs.default, faults);
    let written = Names::read(&attrs.derives, default.is_some(), faults);
    let (ident, (ty, pass)) = (ident?, typed?);
    let docs = docs::docs(&attrs.docs);
    let source = match (attrs.derives.is_empty(), default) {
        (true, None) => Source::Plain,
        (true, Some(default)) => Source::Default(literal_into(default, pass)),
        (false, default) => {
            Source::Part { attrs: attrs.derives, default: default.map(|value| literal_into(value, pass)) }
        }
    };
    let key = written.key.unwrap_or_else(|| ident.unraw().to_string());
    names.push(key.clone());
    names.extend(written.aliases);
    let argument = Argument { ident, key, doc: docs.text, ty, pass, source };
    Some(Parameter::Argument(Box::new(argument)))
}

/// `#[context]` and `#[args]` are words, written once.
fn check_markers(attrs: &ParameterAttributes, faults: &mut Faults) {
    for (name, markers) in [("context", &attrs.context), ("args", &attrs.args)] {
        for marker in markers.iter().filter(|marker| !matches!(marker.meta, Meta::Path(_))) {
            faults.add(marker, format_args!("`#[{name}]` takes nothing"), format_args!("write `#[{name}]`"));
        }
        if let Some(second) = markers.get(1) {
            faults.add(second, format_args!("`#[{name}]` is written twice"), "remove one");
        }
    }
    if let (Some(_), Some(args)) = (attrs.context.first(), attrs.args.first()) {
        faults.add(args, "a parameter is either `#[context]` or `#[args]`", "remove one of the two");
    }
}

fn refuse(attrs: &[Attribute], what: &str, help: &str, faults: &mut Faults) {
    for attr in attrs {
        faults.add(attr, what, help);
    }
}

/// The identifier of `x` or `mut x`: the name that the model sees.
fn plain_name(pat: &Pat, ty: &syn::Type, faults: &mut Faults) -> Option<Ident> {
    if let Pat::Ident(plain) = pat
        && plain.by_ref.is_none()
        && plain.subpat.is_none()
    {
        return Some(plain.ident.clone());
    }
    let ty = types::text(ty);
    let help = format!("write `name: {ty}`, and take it apart in the body");
    faults.add(pat, "a parameter needs a plain name, which the model sees", help);
    None
}

/// The expression of `#[default(…)]`.
fn default_value(attrs: &[Attribute], faults: &mut Faults) -> Option<Expr> {
    let first = attrs.first()?;
    if let Some(second) = attrs.get(1) {
        faults.add(second, "`#[default]` is written twice", "remove one");
    }
    let value = match &first.meta {
        Meta::List(list) => list.parse_args::<Expr>(),
        Meta::NameValue(pair) => Ok(pair.value.clone()),
        Meta::Path(_) => {
            let help = "write `#[default(10)]`, or `#[serde(default)]` for the default of the type";
            faults.add(first, "`#[default]` needs a value", help);
            return None;
        }
    };
    if value.is_err() {
        faults.add(first, "`#[default]` takes one expression", "write it as in `#[default(10)]`");
    }
    value.ok()
}

/// A string literal becomes the parameter's type; anything else has it already. (`.into()` on a number would make
/// every integer an `i32`.)
fn literal_into(value: Expr, pass: Pass) -> Expr {
    match (is_text(&value), pass) {
        (true, Pass::OptionStr) => {
            parse_quote!(::std::option::Option::Some(::std::convert::Into::into(#value)))
        }
        (true, _) => parse_quote!(::std::convert::Into::into(#value)),
        (false, _) => value,
    }
}

/// Whether this is a string literal, also inside the invisible group of a `macro_rules!` fragment.
fn is_text(value: &Expr) -> bool {
    match value {
        Expr::Group(group) => is_text(&group.expr),
        Expr::Lit(literal) => matches!(literal.lit, Lit::Str(_)),
        _ => false,
    }
}

/// What `#[serde]` makes of the parameter's name.
#[derive(Default)]
struct Names {
    key: Option<String>,
    aliases: Vec<String>,
}

impl Names {
    /// Reads what decoding must know, and refuses what would make the schema and decoding disagree. All else is left to
    /// serde and schemars.
    fn read(attrs: &[Attribute], has_default: bool, faults: &mut Faults) -> Self {
        let mut names = Self::default();
        for attr in attrs {
            let serde = attr.path().is_ident("serde");
            let Meta::List(list) = &attr.meta else { continue };
            let Ok(metas) = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else {
                continue;
            };
            for meta in metas {
                names.read_one(&meta, serde, has_default, faults);
            }
        }
        names
    }

    fn read_one(&mut self, meta: &Meta, serde: bool, has_default: bool, faults: &mut Faults) {
        let Some(word) = meta.path().get_ident().map(ToString::to_string) else { return };
        match (word.as_str(), serde) {
            ("flatten" | "skip" | "skip_deserializing", _) => {
                let what = format!("`{word}` does not work on a parameter");
                faults.add(meta, what, "put the parameters into a struct and write `#[args]` before it");
            }
            ("rename" | "default", false) => {
                let what = format!("`schemars({word})` would change the schema but not the decoding");
                faults.add(meta, what, format_args!("write `#[serde({word} …)]`"));
            }
            ("default", true) if has_default => {
                faults.add(
                    meta,
                    "the parameter has two defaults",
                    "keep `#[default(…)]` or `#[serde(default)]`",
                );
            }
            ("rename", true) => self.key = rename(meta),
            ("alias", true) => self.aliases.extend(string(meta)),
            _ => {}
        }
    }
}

/// `rename = "x"` or `rename(deserialize = "x")`.
fn rename(meta: &Meta) -> Option<String> {
    let Meta::List(list) = meta else { return string(meta) };
    let metas = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
    metas.iter().find(|meta| meta.path().is_ident("deserialize")).and_then(string)
}

fn string(meta: &Meta) -> Option<String> {
    match meta {
        Meta::NameValue(pair) => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}
