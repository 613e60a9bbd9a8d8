//! The fields of a `Declaration`: only those that differ from its defaults.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Type, spanned::Spanned as _};

use super::{at, call};
use crate::model::{Argument, Hints, Options, Output, Owner, Parameter, Source, Tool};

/// All fields but those of the call.
pub(super) fn fields(tool: &Tool) -> TokenStream {
    let Tool { name, description, .. } = tool;
    let options = options(&tool.options);
    let input_schema = input_schema(tool);
    let output_schema = output_schema(&tool.output);
    let requires = requires(&tool.parameters);
    quote! {
        name: #name,
        description: #description,
        location: __p::here(),
        #options
        #input_schema
        #output_schema
        #requires
    }
}

fn options(options: &Options) -> TokenStream {
    let title = options.title.as_ref().map(|title| quote!(title: ::core::option::Option::Some(#title),));
    let loading = options.deferred.then(|| quote!(loading: __p::Loading::Deferred,));
    let kind = options.discovery.then(|| quote!(kind: __p::ToolKind::Discovery,));
    let approval = options.requires_approval.then(|| quote!(approval: __p::Approval::Required,));
    let group = options.group.as_ref().map(|group| quote!(group: ::core::option::Option::Some(#group),));
    let words = &options.keywords;
    let keywords = (!words.is_empty()).then(|| quote!(keywords: &[#(#words),*],));
    let timeout = options.timeout.map(|timeout| {
        let millis = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
        quote!(timeout: ::core::option::Option::Some(__p::Duration::from_millis(#millis)),)
    });
    let enabled = options.enabled.as_ref().map(|path| quote!(enabled: ::core::option::Option::Some(#path),));
    let annotations = annotations(&options.hints);
    quote!(#title #loading #kind #approval #group #keywords #timeout #enabled #annotations)
}

fn annotations(hints: &Hints) -> Option<TokenStream> {
    let all = [hints.read_only, hints.destructive, hints.idempotent, hints.open_world];
    let values = all.map(|hint| {
        let some = hint.map(|value| quote!(::core::option::Option::Some(#value)));
        some.unwrap_or_else(|| quote!(::core::option::Option::None))
    });
    all.iter().any(Option::is_some).then(|| quote!(annotations: __p::ToolAnnotations::new(#(#values),*),))
}

fn input_schema(tool: &Tool) -> Option<TokenStream> {
    let mut list = Vec::new();
    for (index, parameter) in tool.parameters.iter().enumerate() {
        match parameter {
            Parameter::Context(_) => {}
            Parameter::Args(ty) => {
                let schema = quote_spanned!(at(ty.span())=> __p::args_schema::<#ty>());
                return Some(quote!(input_schema: || #schema,));
            }
            Parameter::Argument(argument) => list.push(schema_of(index, argument, tool.owner())),
        }
    }
    (!list.is_empty()).then(|| quote!(input_schema: || __p::input_schema(&[#(#list),*]),))
}

fn schema_of(index: usize, argument: &Argument, owner: Owner) -> TokenStream {
    let Argument { key, doc, ty, .. } = argument;
    let span = at(ty.span());
    match &argument.source {
        Source::Plain => quote_spanned!(span=> __p::param::<#ty>(#key, #doc)),
        Source::Default(value) => {
            let shown = default_shown(ty, &call::default(index, argument, value, owner));
            quote_spanned!(span=> __p::param::<#ty>(#key, #doc).with_default(#shown))
        }
        Source::Part { .. } => {
            let part = call::part_name(index, argument);
            quote_spanned!(span=> __p::part::<#part>())
        }
    }
}

/// The default as the schema shows it; nothing where the type does not serialise.
fn default_shown(ty: &Type, default: &TokenStream) -> TokenStream {
    quote_spanned! {at(ty.span())=>
        || {
            let __default = #default();
            __p::default_of(&__default).value(&__default)
        }
    }
}

/// Whether the type is a `Json<T>` is known only to the compiler.
fn output_schema(output: &Output) -> Option<TokenStream> {
    let Output::Type(ty) = output else { return None };
    let probe = quote_spanned!(at(ty.span())=> __p::Out::<#ty>::new().schema());
    Some(quote!(output_schema: || #probe,))
}

fn requires(parameters: &[Parameter]) -> Option<TokenStream> {
    let context = parameters.iter().filter_map(|parameter| match parameter {
        Parameter::Context(ty) => Some(quote_spanned!(at(ty.span())=> __p::requires::<#ty>(__requirements);)),
        Parameter::Args(_) | Parameter::Argument(_) => None,
    });
    let context: Vec<TokenStream> = context.collect();
    (!context.is_empty()).then(|| quote!(requires: |__requirements| { #(#context)* },))
}
