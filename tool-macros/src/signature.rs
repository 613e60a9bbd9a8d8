//! The annotated function as written: its head parsed, its body left as tokens.
//!
//! Taking the head apart removes our own attributes from it, so that what is re-emitted is the user's plain function,
//! whatever faults are found later.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, FnArg, Pat, Receiver, Signature, Type, Visibility,
    parse::{Parse, ParseStream},
    parse_quote,
};

use crate::diagnostics::Faults;

/// A function whose body nobody looked at.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    body: Group,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        Self::parse_after_attributes(attrs, input)
    }
}

impl Function {
    pub(crate) fn parse_after_attributes(attrs: Vec<Attribute>, input: ParseStream<'_>) -> syn::Result<Self> {
        let vis = input.parse()?;
        let sig = input.parse()?;
        let body = input.parse()?;
        Ok(Self { attrs, vis, sig, body })
    }

    /// Reports and removes further `#[function_tool]`s on the same function.
    pub(crate) fn remove_repeated(&mut self, faults: &mut Faults) {
        for attr in self.attrs.extract_if(.., |attr| is_named(attr, "function_tool")) {
            faults.add(attr, "`#[function_tool]` is written twice on one function", "merge the two into one");
        }
    }

    /// Allows what clippy would have otherwise, and a tool cannot have otherwise: arguments are owned, there are no
    /// generics, host values are borrowed, a method has a receiver. Stands first, so that the user's own levels win.
    pub(crate) fn allow_what_a_tool_needs(&mut self) {
        self.attrs.insert(
            0,
            parse_quote! {
                #[allow(
                    clippy::needless_pass_by_value,
                    clippy::large_types_passed_by_value,
                    clippy::implicit_hasher,
                    clippy::trivially_copy_pass_by_ref,
                    clippy::unused_self
                )]
            },
        );
    }

    /// Whether the head says that this is no free function: a receiver, or `Self` in a type.
    pub(crate) fn is_method(&self) -> bool {
        fn names_self(tokens: TokenStream) -> bool {
            tokens.into_iter().any(|token| match token {
                TokenTree::Group(group) => names_self(group.stream()),
                TokenTree::Ident(ident) => ident == "self" || ident == "Self",
                _ => false,
            })
        }
        names_self(self.sig.to_token_stream())
    }

    /// Takes the parameters apart; the signature keeps none of our attributes.
    pub(crate) fn take_parameters(&mut self) -> (Option<Receiver>, Vec<RawParameter>) {
        let mut receiver = None;
        let mut parameters = Vec::new();
        for input in &mut self.sig.inputs {
            match input {
                FnArg::Receiver(found) => receiver = Some(found.clone()),
                FnArg::Typed(typed) => {
                    let attrs = ParameterAttributes::take(&mut typed.attrs);
                    parameters.push(RawParameter {
                        attrs,
                        pat: (*typed.pat).clone(),
                        ty: (*typed.ty).clone(),
                    });
                }
            }
        }
        (receiver, parameters)
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.attrs.iter().map(ToTokens::to_token_stream));
        self.vis.to_tokens(tokens);
        self.sig.to_tokens(tokens);
        tokens.extend([TokenTree::Group(self.body.clone())]);
    }
}

/// One parameter as written.
pub(crate) struct RawParameter {
    pub(crate) attrs: ParameterAttributes,
    pub(crate) pat: Pat,
    pub(crate) ty: Type,
}

/// The attributes of a parameter that are ours, by kind, in order.
#[derive(Default)]
pub(crate) struct ParameterAttributes {
    pub(crate) docs: Vec<Attribute>,
    /// `#[serde]` and `#[schemars]`.
    pub(crate) derives: Vec<Attribute>,
    pub(crate) default: Vec<Attribute>,
    pub(crate) args: Vec<Attribute>,
    pub(crate) context: Vec<Attribute>,
    /// `#[cfg]` and `#[cfg_attr]`, which we cannot evaluate. They stay on the function too.
    pub(crate) conditional: Vec<Attribute>,
}

impl ParameterAttributes {
    fn take(attrs: &mut Vec<Attribute>) -> Self {
        let mut taken = Self::default();
        attrs.retain(|attr| {
            let kind = if is_named(attr, "doc") {
                &mut taken.docs
            } else if is_named(attr, "serde") || is_named(attr, "schemars") {
                &mut taken.derives
            } else if is_named(attr, "default") {
                &mut taken.default
            } else if is_named(attr, "args") {
                &mut taken.args
            } else if is_named(attr, "context") {
                &mut taken.context
            } else {
                if is_named(attr, "cfg") || is_named(attr, "cfg_attr") {
                    taken.conditional.push(attr.clone());
                }
                return true;
            };
            kind.push(attr.clone());
            false
        });
        taken
    }
}

/// Whether the last segment of the attribute's path is `name`.
pub(crate) fn is_named(attr: &Attribute, name: &str) -> bool {
    attr.path().segments.last().is_some_and(|segment| segment.ident == name)
}
