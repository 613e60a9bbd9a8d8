//! The `call` of a declaration: decodes field by field, calls the function, turns what it returns into an output.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::{Attribute, Expr, Ident, spanned::Spanned as _};

use super::at;
use crate::model::{Argument, Execution, Output, Owner, Parameter, Pass, SelfKind, Source, Tool};

/// A closure `(&Arguments, ToolContext) -> ToolFuture`.
pub(super) fn function(tool: &Tool) -> TokenStream {
    let ident = &tool.ident;
    let body = body(tool, &quote!(#ident), None);
    quote!(|__arguments, __context| { #body })
}

/// A closure `(Arc<Self>, &Arguments, ToolContext) -> ToolFuture`.
pub(super) fn method(tool: &Tool, receiver: SelfKind) -> TokenStream {
    let ident = &tool.ident;
    let this = match receiver {
        SelfKind::Borrowed | SelfKind::BorrowedArc => quote!(&__this),
        SelfKind::Arc => quote!(__this),
    };
    let body = body(tool, &quote!(Self::#ident), Some(this));
    quote!(|__this, __arguments, __context| { #body })
}

fn body(tool: &Tool, path: &TokenStream, this: Option<TokenStream>) -> TokenStream {
    let decode = decode(tool);
    let context = tool.parameters.iter().enumerate().filter_map(|(index, parameter)| match parameter {
        Parameter::Context(ty) => {
            let local = local(index, ty.span());
            Some(quote_spanned!(at(ty.span())=> let #local = __p::context::<#ty>(&__context)?;))
        }
        Parameter::Args(_) | Parameter::Argument(_) => None,
    });
    let passed =
        this.into_iter().chain(tool.parameters.iter().enumerate().map(|(index, p)| passed(index, p)));
    let awaited = (tool.execution == Execution::Async).then(|| quote!(.await));
    let call = quote!(#path(#(#passed),*) #awaited);
    let finish = finish(&tool.output, &call);
    let run = quote!({ #(#context)* #finish });
    let future = match tool.execution {
        Execution::Blocking => quote_spanned!(at(tool.ident.span())=> __p::blocking(move || #run)),
        Execution::Async | Execution::Sync => {
            quote_spanned!(at(tool.ident.span())=> __p::Box::pin(async move #run))
        }
    };
    quote!(#decode #future)
}

/// The items that schema and decoding share.
pub(super) fn parts(tool: &Tool) -> TokenStream {
    let parts = tool.parameters.iter().enumerate().filter_map(|(index, parameter)| match parameter {
        Parameter::Argument(argument) => match &argument.source {
            Source::Plain => None,
            Source::Default(value) => {
                (tool.owner() == Owner::Free).then(|| default_function(index, argument, value))
            }
            Source::Part { attrs, default } => Some(part(index, argument, attrs, default.as_ref())),
        },
        Parameter::Context(_) | Parameter::Args(_) => None,
    });
    parts.collect()
}

/// A function that makes the default of a parameter: written once, so that a fault in it is told once.
fn default_function(index: usize, argument: &Argument, value: &Expr) -> TokenStream {
    let ty = &argument.ty;
    let name = default_name(index, argument);
    quote_spanned! {at(ty.span())=>
        #[allow(clippy::unnecessary_wraps, clippy::missing_const_for_fn)]
        fn #name() -> #ty { #value }
    }
}

fn default_name(index: usize, argument: &Argument) -> Ident {
    format_ident!("__default{index}", span = at(argument.ty.span()))
}

/// What makes the default: in a method a closure, which may name the parameters of the `impl`.
pub(super) fn default(index: usize, argument: &Argument, value: &Expr, owner: Owner) -> TokenStream {
    let ty = &argument.ty;
    if owner == Owner::Free {
        default_name(index, argument).to_token_stream()
    } else {
        quote_spanned!(at(ty.span())=> (|| -> #ty { #value }))
    }
}

/// The hidden struct of a parameter with `#[serde]` or `#[schemars]`: one field, and only it pays for derives.
fn part(index: usize, argument: &Argument, attrs: &[Attribute], default: Option<&Expr>) -> TokenStream {
    let Argument { ident, ty, doc, .. } = argument;
    let span = at(ty.span());
    let name = part_name(index, argument);
    let doc = (!doc.is_empty()).then(|| quote!(#[doc = #doc]));
    let function = default.map(|value| default_function(index, argument, value));
    let attribute = default.map(|_| {
        let function = default_name(index, argument).to_string();
        quote!(#[serde(default = #function)])
    });
    quote_spanned! {span=>
        #function
        #[derive(__p::serde::Deserialize, __p::schemars::JsonSchema)]
        #[serde(crate = "__p::serde")]
        #[schemars(crate = "__p::schemars")]
        #[allow(non_snake_case)]
        struct #name {
            #(#attrs)*
            #attribute
            #doc
            #ident: #ty,
        }
    }
}

pub(super) fn part_name(index: usize, argument: &Argument) -> Ident {
    format_ident!("__Part{index}", span = at(argument.ty.span()))
}

/// Reads all arguments into locals, or returns the error.
fn decode(tool: &Tool) -> TokenStream {
    let mut slots = Slots { owner: tool.owner(), declared: vec![], read: vec![], taken: vec![] };
    for (index, parameter) in tool.parameters.iter().enumerate() {
        match parameter {
            Parameter::Context(_) => {}
            Parameter::Args(ty) => {
                let local = local(index, ty.span());
                let read = quote_spanned!(at(ty.span())=> __p::read_all::<#ty>(__arguments));
                return or_return(&local, &read);
            }
            Parameter::Argument(argument) => slots.push(index, argument),
        }
    }
    let Slots { declared, read, taken, .. } = slots;
    quote! {
        #(#declared)*
        if let ::core::result::Result::Err(__error) = __p::read_args(__arguments, &mut [#(#read),*]) {
            return __p::failed(__error);
        }
        #(#taken)*
    }
}

/// The pieces of a decoding, slot by slot.
struct Slots {
    owner: Owner,
    declared: Vec<TokenStream>,
    read: Vec<TokenStream>,
    taken: Vec<TokenStream>,
}

impl Slots {
    fn push(&mut self, index: usize, argument: &Argument) {
        let Argument { key, ty, .. } = argument;
        let span = at(ty.span());
        let local = local(index, ty.span());
        let (declared, slot, taken) = match &argument.source {
            Source::Part { .. } => {
                let part = part_name(index, argument);
                (
                    quote_spanned!(span=> let mut #local = __p::Part::<#part>::EMPTY;),
                    quote_spanned!(span=> __p::part_slot::<#part>(&mut #local)),
                    or_return(&local, &quote_spanned!(span=> __p::got_part::<#part>(#local))),
                )
            }
            source => (
                quote_spanned!(span=> let mut #local = ::core::option::Option::<#ty>::None;),
                quote_spanned!(span=> __p::slot::<#ty>(&[#key], &mut #local)),
                match source {
                    Source::Default(value) => {
                        let default = default(index, argument, value, self.owner);
                        quote_spanned!(span=> let #local = __p::got_or::<#ty>(#local, #default);)
                    }
                    _ => or_return(&local, &quote_spanned!(span=> __p::got::<#ty>(#local, #key))),
                },
            ),
        };
        self.declared.push(declared);
        self.read.push(slot);
        self.taken.push(taken);
    }
}

fn or_return(local: &Ident, result: &TokenStream) -> TokenStream {
    quote! {
        let #local = match #result {
            ::core::result::Result::Ok(__value) => __value,
            ::core::result::Result::Err(__error) => return __p::failed(__error),
        };
    }
}

fn passed(index: usize, parameter: &Parameter) -> TokenStream {
    match parameter {
        Parameter::Context(ty) | Parameter::Args(ty) => {
            let local = local(index, ty.span());
            quote!(#local)
        }
        Parameter::Argument(argument) => {
            let local = local(index, argument.ty.span());
            let ident = &argument.ident;
            let field = matches!(argument.source, Source::Part { .. }).then(|| quote!(.#ident));
            let borrow = match argument.pass {
                Pass::Value => None,
                Pass::Str => Some(quote!(.as_str())),
                Pass::OptionStr => Some(quote!(.as_deref())),
            };
            quote!(#local #field #borrow)
        }
    }
}

/// Turns the result into an output; which kind of result it is, only the compiler knows (it may be behind an alias).
fn finish(output: &Output, call: &TokenStream) -> TokenStream {
    let span = match output {
        Output::Unit => return quote!(#call; __p::unit()),
        Output::Opaque => Span::call_site(),
        Output::Type(ty) => at(ty.span()),
    };
    let split = quote_spanned!(span=> __p::probe(&__result).tag().split(__result)?);
    let shown = quote_spanned!(span=> __p::shape(&__value).tag().finish(__value));
    quote! {
        let __result = #call;
        let __value = #split;
        #shown
    }
}

fn local(index: usize, span: Span) -> Ident {
    format_ident!("__a{index}", span = at(span))
}
