//! Code from a validated model. Nothing here can fail, and nothing here judges.
//!
//! Everything is named through `<tool-core>::__private`, inside one constant per tool: rustc drops repeated errors about a
//! type only within one body, and no item leaks into the user's module. Tokens that ask something of a user's type
//! carry that type's place, so that the compiler's answer points there.

mod call;
mod declaration;
mod methods;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Ident;

pub(crate) use self::methods::methods;
use crate::model::{Front, Handle, Tool};

/// The handle and the registration of a free function.
pub(crate) fn function(front: &Front, tool: &Tool) -> TokenStream {
    let krate = &front.krate;
    let fields = declaration::fields(tool);
    let parts = call::parts(tool);
    let call = call::function(tool);
    let reference = quote! {
        {
            use #krate::__private as __p;
            #parts
            static __DECLARATION: __p::Declaration = __p::Declaration {
                #fields
                call: #call,
                made: || {
                    static __MADE: __p::Made = __p::Made::NEW;
                    &__MADE
                },
                ..__p::Declaration::BASE
            };
            __p::submit! { __p::ToolRef::new(&__DECLARATION) }
            __p::ToolRef::new(&__DECLARATION)
        }
    };
    match &front.handle {
        Handle::Named(handle) => handle_type(front, handle, &reference),
        Handle::None => quote! {
            #[allow(deprecated)]
            const _: #krate::ToolRef = #reference;
        },
    }
}

/// A handle that works wherever it is named, for a declaration that has faults.
pub(crate) fn invalid(front: &Front) -> TokenStream {
    let Handle::Named(handle) = &front.handle else { return TokenStream::new() };
    let Front { name, krate, .. } = front;
    let reference = quote! {
        {
            use #krate::__private as __p;
            static __DECLARATION: __p::Declaration =
                __p::Declaration { name: #name, ..__p::Declaration::BASE };
            __p::ToolRef::new(&__DECLARATION)
        }
    };
    handle_type(front, handle, &reference)
}

/// A type beside the function, so that one `use` imports both. It is hidden from rustdoc, where a link would have two
/// meanings otherwise.
fn handle_type(front: &Front, handle: &Ident, reference: &TokenStream) -> TokenStream {
    let Front { vis, name, krate, .. } = front;
    let handle_span = at(handle.span());
    quote_spanned! {handle_span=>
        #[doc(hidden)]
        #[non_exhaustive]
        #[allow(non_camel_case_types, missing_debug_implementations, dead_code)]
        #vis enum #handle {}
        #[allow(dead_code, deprecated)]
        impl #handle {
            /// The name of the tool, as the model sees it.
            pub const NAME: &'static str = #name;
            /// The tool, for lists and policies.
            pub const TOOL: #krate::ToolRef = #reference;
        }
    }
}

/// The place of `span` with our own name resolution, so that lints see generated code.
fn at(span: Span) -> Span {
    Span::call_site().located_at(span)
}
