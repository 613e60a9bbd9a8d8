//! `tools![a, b]`: a list of handles in which no name stands twice.
//!
//! Called by `tool_core::tools!`, which passes the path of its crate first. A path that is written twice is refused
//! here; two paths to tools of one name by a constant, at the second one.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::{
    Ident, LitStr, Path, Token,
    ext::IdentExt as _,
    parse::{ParseStream, Parser as _},
};

use crate::{diagnostics::Faults, keys};

/// An array expression of `ToolRef`s.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let split = |input: ParseStream<'_>| {
        let krate: Path = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok((krate, input.parse::<TokenStream>()?))
    };
    let (krate, elements) = match split.parse2(input) {
        Ok(split) => split,
        Err(error) => return error.to_compile_error(),
    };
    let mut faults = Faults::default();
    let handles = handles(elements, &mut faults);
    let length = handles.len();
    let checks = handles.iter().enumerate().skip(1).map(|(index, handle)| {
        let span = first_span(handle);
        quote_spanned!(span=> const _: () = __distinct(&__TOOLS, #index);)
    });
    let import = (length > 1).then(|| quote!(use #krate::__private::refuse_duplicate as __distinct;));
    quote! {{
        #faults
        #import
        const __TOOLS: [#krate::ToolRef; #length] = [#(<#handles>::TOOL),*];
        #(#checks)*
        __TOOLS
    }}
}

fn handles(elements: TokenStream, faults: &mut Faults) -> Vec<Path> {
    let mut handles: Vec<Path> = Vec::new();
    for element in keys::split_at_commas(elements) {
        let Ok(path) = syn::parse2::<Path>(element.clone()) else {
            not_a_handle(&element, faults);
            continue;
        };
        if handles.iter().any(|other| quote!(#other).to_string() == element.to_string()) {
            faults.add(&path, format_args!("`{element}` is in this list twice"), "remove one");
        } else if path.segments.last().is_some_and(|last| last.ident == "TOOL" || last.ident == "NAME") {
            faults.add(
                &path,
                "a list takes the functions themselves",
                "remove what follows the function's name",
            );
        } else {
            handles.push(path);
        }
    }
    handles
}

fn not_a_handle(element: &TokenStream, faults: &mut Faults) {
    if let Ok(text) = syn::parse2::<LitStr>(element.clone()) {
        let help = match text.parse_with(Ident::parse_any) {
            Ok(name) => format!("write `{name}`, so that a misspelt name does not compile"),
            Err(_) => "write the name of the annotated function".to_owned(),
        };
        return faults.add(text, "a tool is named by its function, not by a text", help);
    }
    let help = "write the names of annotated functions, as in `tools![search, billing::refund]`";
    faults.add(element, "this is no `#[function_tool]`", help);
}

/// The place of the path's first token, which is where the compiler points.
fn first_span(path: &Path) -> Span {
    let first = quote!(#path).into_iter().next();
    first.as_ref().map_or_else(Span::call_site, TokenTree::span).resolved_at(Span::call_site())
}
