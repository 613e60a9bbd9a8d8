//! Which kinds of `fn` can be a tool, and what they may return.

use quote::ToTokens;
use syn::{GenericParam, Receiver, ReceiverKind, ReturnType, Safety, Signature, Type};

use super::{Output, Owner, SelfKind, types};
use crate::{diagnostics::Faults, signature::Function};

/// Judges the head of the function; gives the receiver that a method has.
pub(super) fn check(
    function: &Function,
    receiver: Option<&Receiver>,
    owner: Owner,
    faults: &mut Faults,
) -> Option<SelfKind> {
    check_qualifiers(&function.sig, faults);
    check_generics(&function.sig, faults);
    match (owner, receiver) {
        (Owner::Free, receiver) => {
            if function.is_method() {
                let at =
                    receiver.map_or_else(|| function.sig.ident.to_token_stream(), ToTokens::to_token_stream);
                let help =
                    "put `#[function_tools]` on the `impl` block, and `#[function_tool]` on its methods";
                faults.add(at, "a method cannot be a tool by itself: it needs its service", help);
            }
            None
        }
        (Owner::Method, None) => {
            let help = "add `&self`, or move the function out of the `impl` block";
            faults.add(&function.sig.ident, "a tool in an `impl` block needs `&self`", help);
            None
        }
        (Owner::Method, Some(receiver)) => self_kind(receiver, faults),
    }
}

fn check_qualifiers(sig: &Signature, faults: &mut Faults) {
    if let Some(token) = &sig.constness {
        faults.add(
            token,
            "a `const fn` cannot be a tool",
            "remove `const`, or annotate a function that calls it",
        );
    }
    if let Safety::Unsafe(token) = &sig.safety {
        let help = "annotate a safe function that checks the arguments and calls it";
        faults.add(token, "an `unsafe fn` cannot be a tool: the model would call it", help);
    }
    if let Some(abi) = &sig.abi {
        faults.add(abi, "an `extern fn` cannot be a tool", "annotate a Rust function that calls it");
    }
    if let Some(variadic) = &sig.variadic {
        faults.add(variadic, "a tool cannot have variadic parameters", "write a `Vec<T>` parameter");
    }
}

/// A schema is made per function, so every type in it must be known.
fn check_generics(sig: &Signature, faults: &mut Faults) {
    for parameter in &sig.generics.params {
        match parameter {
            GenericParam::Lifetime(lifetime) => {
                let help = "remove it: write `&str` for texts, `&T` after `#[context]` for host values";
                faults.add(lifetime, "a tool cannot have named lifetimes", help);
            }
            GenericParam::Type(parameter) => {
                let help = "write the concrete type, or annotate a function that calls this one with it";
                faults.add(parameter, "a tool cannot be generic: its schema must be known", help);
            }
            GenericParam::Const(parameter) => {
                let help = "write the value, or annotate a function that calls this one with it";
                faults.add(parameter, "a tool cannot be generic: its schema must be known", help);
            }
        }
    }
    if let (Some(clause), true) = (&sig.generics.where_clause, sig.generics.params.is_empty()) {
        faults.add(clause, "a tool cannot have a `where` clause", "remove it: all types are concrete");
    }
}

fn self_kind(receiver: &Receiver, faults: &mut Faults) -> Option<SelfKind> {
    let kind = match &receiver.kind {
        ReceiverKind::Reference(_, lifetime, mutability) => {
            if let Some(token) = mutability {
                let help = "write `&self`, and a `Mutex` or an atomic for what changes";
                faults.add(token, "a tool cannot borrow its service mutably: calls run in parallel", help);
                return None;
            }
            if let Some(lifetime) = lifetime {
                faults.add(lifetime, "a tool cannot have named lifetimes", "write `&self`");
                return None;
            }
            Some(SelfKind::Borrowed)
        }
        ReceiverKind::Typed(_, ty) => typed_self(ty),
        _ => None,
    };
    if kind.is_none() {
        let help = "write `&self`, `self: &Arc<Self>` or `self: Arc<Self>`";
        faults.add(receiver, "a tool shares its service with other calls and cannot own it", help);
    }
    kind
}

fn typed_self(ty: &Type) -> Option<SelfKind> {
    match ty {
        Type::Reference(reference) if reference.mutability.is_none() => match typed_self(&reference.elem) {
            Some(SelfKind::Arc) => Some(SelfKind::BorrowedArc),
            None if types::last_segment(&reference.elem).is_some_and(|last| last.ident == "Self") => {
                Some(SelfKind::Borrowed)
            }
            _ => None,
        },
        _ => types::last_segment(ty).filter(|last| last.ident == "Arc").map(|_| SelfKind::Arc),
    }
}

/// What the function returns, as the expansion needs it.
pub(super) fn output(output: &ReturnType, faults: &mut Faults) -> Output {
    let ReturnType::Type(_, ty) = output else { return Output::Unit };
    match types::ungrouped(ty) {
        Type::Never(never) => {
            faults.add(never, "a tool must return: the model waits for its result", "write a result type");
            Output::Unit
        }
        Type::Tuple(tuple) if tuple.elems.is_empty() => Output::Unit,
        Type::ImplTrait(opaque) if types::names_future(opaque) => {
            faults.add(ty, "a future is not a result", "write `async fn` and the type that the future gives");
            Output::Opaque
        }
        ty if types::has_impl(ty) => Output::Opaque,
        ty => Output::Type(Box::new(ty.clone())),
    }
}
