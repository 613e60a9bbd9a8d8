//! `#[function_tools] impl …`: the block as written, its tools taken out of their attributes.
//!
//! Only the heads of annotated methods are parsed; every other member stays tokens.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _};
use syn::{
    Attribute, Generics, Meta, Path, Token, Type,
    parse::{Parse, ParseStream, Parser as _, discouraged::Speculative as _},
};

use crate::{
    args::ToolArgs,
    diagnostics::Faults,
    keys,
    model::{self, Owner, Tool},
    signature::{Function, is_named},
};

/// An `impl` block; printing it gives the user's block without our attributes.
pub(crate) struct ImplBlock {
    attrs: Vec<Attribute>,
    impl_token: Token![impl],
    pub(crate) generics: Generics,
    pub(crate) self_ty: Type,
    braces: Group,
    members: Vec<Member>,
    /// `Trait for Type` was written.
    of_trait: Option<Token![for]>,
    /// `#[function_tool]`s above something that is no method.
    misplaced: Vec<Attribute>,
}

enum Member {
    Tool(Box<RawMethod>),
    Other(TokenStream),
}

struct RawMethod {
    attr: Attribute,
    function: Function,
}

/// An annotated method, judged.
pub(crate) struct Method {
    pub(crate) ident: syn::Ident,
    pub(crate) name: String,
    /// `#[cfg]`s of the method, for everything that names it.
    pub(crate) conditions: Vec<Attribute>,
    /// `None` where it has faults.
    pub(crate) tool: Option<Tool>,
}

impl Parse for ImplBlock {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let impl_token = input.parse()?;
        let mut generics: Generics = input.parse()?;
        let mut self_ty = input.parse()?;
        let of_trait: Option<Token![for]> = input.parse()?;
        if of_trait.is_some() {
            self_ty = input.parse()?;
        }
        generics.where_clause = input.parse()?;
        let braces: Group = input.parse()?;
        let mut misplaced = Vec::new();
        let members = (|input: ParseStream<'_>| members(input, &mut misplaced)).parse2(braces.stream())?;
        Ok(Self { attrs, impl_token, generics, self_ty, braces, members, of_trait, misplaced })
    }
}

fn members(input: ParseStream<'_>, misplaced: &mut Vec<Attribute>) -> syn::Result<Vec<Member>> {
    let mut members = Vec::new();
    while !input.is_empty() {
        let mut attrs = input.call(Attribute::parse_outer)?;
        let position = attrs.iter().position(|attr| is_named(attr, "function_tool"));
        if let Some(attr) = position.map(|position| attrs.remove(position)) {
            let ahead = input.fork();
            if let Ok(function) = Function::parse_after_attributes(attrs.clone(), &ahead) {
                input.advance_to(&ahead);
                members.push(Member::Tool(Box::new(RawMethod { attr, function })));
                continue;
            }
            misplaced.push(attr);
        }
        let mut tokens = TokenStream::new();
        tokens.append_all(attrs);
        other_member(input, &mut tokens)?;
        members.push(Member::Other(tokens));
    }
    Ok(members)
}

/// Up to a `;` or a braced group. Where a member goes on after its braces, the rest is one more member, which does
/// not matter: all are printed in order.
fn other_member(input: ParseStream<'_>, tokens: &mut TokenStream) -> syn::Result<()> {
    while !input.is_empty() {
        let token: TokenTree = input.parse()?;
        let last = match &token {
            TokenTree::Group(group) => group.delimiter() == proc_macro2::Delimiter::Brace,
            TokenTree::Punct(punct) => punct.as_char() == ';',
            _ => false,
        };
        tokens.append(token);
        if last {
            break;
        }
    }
    Ok(())
}

impl ImplBlock {
    /// Judges the block and its methods.
    pub(crate) fn validate(&mut self, faults: &mut Faults) -> Vec<Method> {
        if let Some(token) = self.of_trait {
            let help =
                "write the tools in an `impl` block of the type itself; they may call the trait's methods";
            faults.add(token, "`#[function_tools]` is not for trait implementations", help);
        }
        if let Some(lifetime) = self.generics.lifetimes().next() {
            let help = "let the type own what it uses, or share it as `Arc<T>`";
            faults.add(lifetime, "a service of tools cannot borrow: it lives as long as its registry", help);
        }
        for attr in &self.misplaced {
            faults.add(attr, "`#[function_tool]` is for functions", "remove it from this member");
        }
        let borrows = self.generics.lifetimes().next().is_some();
        let mut methods = Vec::new();
        for member in &mut self.members {
            if let Member::Tool(raw) = member {
                let method = raw.validate(faults);
                methods.push(Method { tool: method.tool.filter(|_| !borrows), ..method });
            }
        }
        if methods.is_empty() && faults.is_empty() {
            let help = "write `#[function_tool]` above each method that is one";
            faults.add(self.impl_token, "no method of this block is a tool", help);
        }
        methods
    }

    pub(crate) fn is_of_trait(&self) -> bool {
        self.of_trait.is_some()
    }
}

impl RawMethod {
    fn validate(&mut self, faults: &mut Faults) -> Method {
        let mut own = Faults::default();
        self.function.remove_repeated(&mut own);
        let args = ToolArgs::parse(attribute_tokens(&self.attr, &mut own), &mut own);
        for key in args.written.iter().filter(|key| *key == "handle" || *key == "crate") {
            let help = if key == "crate" {
                "write it once, as `#[function_tools(crate = …)]`"
            } else {
                "remove it: the name of a method is `Type::TOOLS.method`"
            };
            own.add(key, format_args!("`{key}` does not apply to a method"), help);
        }
        let ident = self.function.sig.ident.clone();
        let name = args.name.as_ref().map_or_else(|| keys::key_text(&ident), syn::LitStr::value);
        let conditions =
            self.function.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).cloned().collect();
        let tool = Tool::validate(args, &mut self.function, Owner::Method, &mut own);
        faults.append(own);
        Method { ident, name, conditions, tool }
    }
}

/// What stands in the parentheses of `#[function_tool(…)]`.
fn attribute_tokens(attr: &Attribute, faults: &mut Faults) -> TokenStream {
    match &attr.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(pair) => {
            faults.add(pair, "expected keys in parentheses", "write `#[function_tool(key = value)]`");
            TokenStream::new()
        }
    }
}

/// The keys of `#[function_tools(…)]`: where tool-core is.
pub(crate) fn crate_path(tokens: TokenStream, faults: &mut Faults) -> Path {
    let mut path = None;
    for entry in keys::entries(tokens, faults) {
        if entry.key == "crate" {
            path = entry.path("::renamed_tool_core", faults).or(path);
        } else {
            let what = format!("`#[function_tools]` has no key `{}`", entry.key);
            faults.add(&entry.key, what, "its only key is `crate = path`; others stand on the methods");
        }
    }
    path.unwrap_or_else(model::default_crate)
}

impl ToTokens for ImplBlock {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attrs);
        self.impl_token.to_tokens(tokens);
        self.generics.to_tokens(tokens);
        self.self_ty.to_tokens(tokens);
        self.generics.where_clause.to_tokens(tokens);
        let mut members = TokenStream::new();
        for member in &self.members {
            match member {
                Member::Tool(method) => method.function.to_tokens(&mut members),
                Member::Other(other) => members.extend(other.clone()),
            }
        }
        let mut braces = Group::new(self.braces.delimiter(), members);
        braces.set_span(self.braces.span());
        tokens.append(braces);
    }
}
