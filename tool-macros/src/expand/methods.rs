//! What `#[function_tools]` adds beside the block: `TOOLS`, the names, and `tools()`, the tools of one instance.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Path, spanned::Spanned as _};

use super::{at, call, declaration};
use crate::methods::{ImplBlock, Method};

/// A second `impl` block of the same type. Faulty methods keep their name and have no tool.
pub(crate) fn methods(krate: &Path, block: &ImplBlock, methods: &[Method]) -> TokenStream {
    let (generics, _, where_clause) = block.generics.split_for_impl();
    let self_ty = &block.self_ty;
    let fields = methods
        .iter()
        .map(|Method { ident, conditions, .. }| quote!(#(#conditions)* pub #ident: __p::MethodRef));
    let values = methods.iter().map(|Method { ident, name, conditions, .. }| {
        quote!(#(#conditions)* #ident: __p::MethodRef::new(#name, __p::here()))
    });
    let tools = methods.iter().filter_map(|method| {
        let conditions = &method.conditions;
        let tool = method.tool.as_ref()?;
        let parts = call::parts(tool);
        let fields = declaration::fields(tool);
        let call = call::method(tool, tool.receiver?);
        let declaration = quote! {
            const {
                #parts
                &__p::MethodDeclaration::<Self> {
                    declaration: __p::Declaration { #fields ..__p::Declaration::BASE },
                    call: #call,
                }
            }
        };
        let tool = quote_spanned!(at(self_ty.span())=> __p::method(self, #declaration));
        Some(quote!(#(#conditions)* #tool))
    });
    quote! {
        const _: () = {
            use #krate::__private as __p;
            #[allow(missing_debug_implementations, unnameable_types)]
            #[non_exhaustive]
            #[doc(hidden)]
            pub struct __Tools {
                #(#[doc = "A tool."] #fields,)*
            }
            #[allow(deprecated, dead_code)]
            impl #generics #self_ty #where_clause {
                /// The names of the tools of this type, for policies: `Self::TOOLS.method`.
                pub const TOOLS: __Tools = __Tools { #(#values,)* };

                /// The tools of this instance, for a registry.
                #[must_use]
                pub fn tools(self: &__p::Arc<Self>) -> __p::Vec<__p::Arc<dyn __p::Tool>> {
                    __p::Vec::from([#(#tools),*])
                }
            }
        };
    }
}
