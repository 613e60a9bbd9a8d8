//! Which types a parameter may have, by what can be seen without knowing types.
//!
//! What cannot be seen here (does it implement `Deserialize`?) is asked of the compiler by the expansion.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    GenericArgument, PathArguments, PathSegment, Type, TypeImplTrait, TypeParamBound, TypeReference,
    parse_quote_spanned, spanned::Spanned as _,
};

use super::Pass;
use crate::diagnostics::Faults;

/// The owned type that is decoded for a parameter of type `ty`, and how it is passed on.
pub(super) fn argument(ty: &Type, faults: &mut Faults) -> Option<(Type, Pass)> {
    let ty = ungrouped(ty);
    if is_plain_str(ty) {
        return Some((parse_quote_spanned!(ty.span()=> ::std::string::String), Pass::Str));
    }
    if let Some(inner) = option_argument(ty).filter(|inner| is_plain_str(inner)) {
        let ty = parse_quote_spanned!(inner.span()=> ::std::option::Option<::std::string::String>);
        return Some((ty, Pass::OptionStr));
    }
    if last_segment(ungrouped_reference(ty)).is_some_and(|last| last.ident == "ToolContext") {
        let help = "write `#[context]` before the parameter";
        faults.add(ty, "the context is no argument of the model", help);
        return None;
    }
    match ty {
        Type::Reference(reference) => borrowed(reference, faults),
        Type::ImplTrait(opaque) => {
            faults.add(opaque, "`impl Trait` cannot be a parameter of a tool", "write the concrete type");
        }
        _ if has_borrow(ty) => {
            let what = format!("`{}` borrows: a parameter owns its value", text(ty));
            faults.add(ty, what, "write `String` for `&str` and `Vec<T>` for `&[T]`; `&str` and `Option<&str>` work as they are");
        }
        _ if has_impl(ty) => {
            faults.add(ty, "`impl Trait` cannot be a parameter of a tool", "write the concrete type");
        }
        _ => return Some((ty.clone(), Pass::Value)),
    }
    None
}

/// The type of a `#[context]` parameter: any but `&mut T` and `impl Trait`, lifetimes elided.
pub(super) fn context(ty: &Type, faults: &mut Faults) -> Option<Type> {
    let ty = ungrouped(ty);
    if let Type::Reference(TypeReference { mutability: Some(token), .. }) = ty {
        let help = "write `&T`, and keep a `Mutex` or an atomic in the value";
        faults.add(token, "a host value is shared by all calls and cannot be borrowed mutably", help);
    } else if let Type::Reference(TypeReference { lifetime: Some(lifetime), .. }) = ty {
        faults.add(lifetime, "a tool cannot have named lifetimes", "write `&T`");
    } else if has_impl(ty) {
        let help = "write the type of the host value; it may be `dyn Trait`";
        faults.add(ty, "`impl Trait` cannot be a `#[context]` parameter", help);
    } else {
        return Some(ty.clone());
    }
    None
}

/// The type of an `#[args]` parameter.
pub(super) fn args(ty: &Type, faults: &mut Faults) -> Option<Type> {
    let ty = ungrouped(ty);
    if has_borrow(ty) || has_impl(ty) {
        let help = "write a struct that derives `Deserialize` and `JsonSchema`";
        faults.add(ty, "an `#[args]` parameter owns its value", help);
        return None;
    }
    Some(ty.clone())
}

fn borrowed(reference: &TypeReference, faults: &mut Faults) {
    let owned = match ungrouped(&reference.elem) {
        Type::Slice(slice) => format!("Vec<{}>", text(&slice.elem)),
        elem => match text(elem).as_str() {
            "str" if reference.lifetime.is_some() && reference.mutability.is_none() => "&str".to_owned(),
            "str" => "String".to_owned(),
            "Path" => "PathBuf".to_owned(),
            other => other.to_owned(),
        },
    };
    let what = format!("a parameter cannot be borrowed as `{}`", text(reference));
    let host =
        if owned.ends_with("str") { "" } else { ", or `#[context]` before it if the host gives the value" };
    faults.add(reference, what, format_args!("write `{owned}`{host}"));
}

/// `&str` without a named lifetime.
fn is_plain_str(ty: &Type) -> bool {
    let Type::Reference(reference) = ty else { return false };
    let elided = reference.lifetime.as_ref().is_none_or(|lifetime| lifetime.ident == "_");
    elided && reference.mutability.is_none() && text(ungrouped(&reference.elem)) == "str"
}

fn option_argument(ty: &Type) -> Option<&Type> {
    let last = last_segment(ty).filter(|last| last.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) if arguments.args.len() == 1 => Some(ungrouped(inner)),
        _ => None,
    }
}

pub(super) fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ungrouped(ty) {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    }
}

/// The type without the invisible group of a `macro_rules!` fragment and without parentheses.
pub(super) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        ty => ty,
    }
}

fn ungrouped_reference(ty: &Type) -> &Type {
    match ty {
        Type::Reference(reference) => &reference.elem,
        ty => ty,
    }
}

pub(super) fn names_future(opaque: &TypeImplTrait) -> bool {
    opaque.bounds.iter().any(|bound| {
        matches!(bound, TypeParamBound::Trait(bound)
            if bound.path.segments.last().is_some_and(|last| last.ident == "Future"))
    })
}

/// Whether `impl` stands anywhere in the type.
pub(super) fn has_impl(ty: &Type) -> bool {
    any_token(ty.to_token_stream(), &|token| matches!(token, TokenTree::Ident(ident) if ident == "impl"))
}

/// Whether a reference stands anywhere in the type. (A `&` has no other meaning there.)
fn has_borrow(ty: &Type) -> bool {
    any_token(
        ty.to_token_stream(),
        &|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == '&'),
    )
}

fn any_token(tokens: TokenStream, wanted: &dyn Fn(&TokenTree) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => any_token(group.stream(), wanted),
        token => wanted(&token),
    })
}

/// The type as a person writes it.
pub(super) fn text(ty: impl ToTokens) -> String {
    let mut text = ty.to_token_stream().to_string();
    for (spaced, tight) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" <", "<"),
        ("< ", "<"),
        (" >", ">"),
        ("& ", "&"),
        (" ,", ","),
        ("' ", "'"),
    ] {
        text = text.replace(spaced, tight);
    }
    text
}
