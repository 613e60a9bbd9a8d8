//! The attribute macros of `tool-core`; documented there, where their examples run.
//!
//! The pipeline is the file names: `args` and `signature` are what the user wrote, `model` is what it means, and
//! `expand` turns a model into code and cannot fail. `diagnostics` collects faults on the way. The user's item is
//! always printed again, so that a fault of ours is never followed by errors about a missing function.

mod args;
mod diagnostics;
mod docs;
mod expand;
mod keys;
mod list;
mod methods;
mod model;
mod name;
mod signature;

use proc_macro::TokenStream;
use proc_macro2::{TokenStream as TokenStream2, TokenTree};
use quote::quote;
use syn::Attribute;

use crate::{
    args::ToolArgs,
    diagnostics::Faults,
    methods::ImplBlock,
    model::{Front, Owner, Tool},
    signature::Function,
};

#[allow(missing_docs, reason = "documented where it is exported, and rustdoc joins the two texts")]
#[proc_macro_attribute]
pub fn function_tool(args: TokenStream, item: TokenStream) -> TokenStream {
    tool(args.into(), &item.into()).into()
}

#[allow(missing_docs, reason = "as above")]
#[proc_macro_attribute]
pub fn function_tools(args: TokenStream, item: TokenStream) -> TokenStream {
    methods(args.into(), &item.into()).into()
}

/// The list behind `tool_core::tools!`.
#[doc(hidden)]
#[proc_macro]
pub fn tools_impl(input: TokenStream) -> TokenStream {
    list::expand(input.into()).into()
}

fn tool(args: TokenStream2, item: &TokenStream2) -> TokenStream2 {
    let mut faults = Faults::default();
    let mut function: Function = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            not_a_function(item, error, &mut faults);
            return quote!(#item #faults);
        }
    };
    function.remove_repeated(&mut faults);
    let args = ToolArgs::parse(args, &mut faults);
    let front = Front::new(&args, &function);
    let tool = Tool::validate(args, &mut function, Owner::Free, &mut faults);
    let expansion = match &tool {
        Some(tool) => expand::function(&front, tool),
        None => expand::invalid(&front),
    };
    quote!(#function #expansion #faults)
}

fn methods(args: TokenStream2, item: &TokenStream2) -> TokenStream2 {
    let mut faults = Faults::default();
    let mut block: ImplBlock = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            not_an_impl(item, error, &mut faults);
            return quote!(#item #faults);
        }
    };
    let krate = methods::crate_path(args, &mut faults);
    let methods = block.validate(&mut faults);
    let expansion = (!block.is_of_trait()).then(|| expand::methods(&krate, &block, &methods));
    quote!(#block #expansion #faults)
}

/// Names the first word after attributes and visibility.
fn not_a_function(item: &TokenStream2, error: syn::Error, faults: &mut Faults) {
    match keyword(item) {
        Some(word) if is_word(&word, "impl") => {
            let help = "write `#[function_tools]`, with an `s`, above an `impl` block";
            faults.add(word, "`#[function_tool]` is for functions", help);
        }
        Some(word) if is_item(&word) => {
            let help = "annotate a `fn`; for methods write `#[function_tools]` above their `impl` block";
            faults.add(word, "`#[function_tool]` is for functions", help);
        }
        _ => faults.add_syntax(error),
    }
}

fn not_an_impl(item: &TokenStream2, error: syn::Error, faults: &mut Faults) {
    match keyword(item) {
        Some(word) if is_word(&word, "impl") => faults.add_syntax(error),
        Some(word) => {
            let help = "write `#[function_tool]`, without the `s`, above a function";
            faults.add(word, "`#[function_tools]` is for `impl` blocks", help);
        }
        None => faults.add_syntax(error),
    }
}

fn keyword(item: &TokenStream2) -> Option<TokenTree> {
    let rest = |input: syn::parse::ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        input.parse::<syn::Visibility>()?;
        let word = input.parse::<TokenTree>()?;
        input.parse::<TokenStream2>()?;
        Ok(word)
    };
    syn::parse::Parser::parse2(rest, item.clone()).ok()
}

fn is_item(word: &TokenTree) -> bool {
    let TokenTree::Ident(ident) = word else { return false };
    ["struct", "enum", "union", "trait", "type", "mod", "static", "use", "macro_rules"]
        .iter()
        .any(|item| ident == item)
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

#[cfg(test)]
mod tests;
