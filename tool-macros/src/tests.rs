//! The expansions, token by token, and that no input makes the macros panic or lose the user's item.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use proc_macro2::TokenStream;
use quote::quote;

#[track_caller]
fn assert_same(actual: &TokenStream, expected: &TokenStream) {
    assert_eq!(actual.to_string(), expected.to_string());
}

#[test]
fn a_function() {
    let item = quote! {
        /// Charge a card.
        pub(crate) async fn charge(
            /// In cents.
            amount: u64,
            #[default("EUR")] currency: &str,
            #[context] gateway: &Gateway,
        ) -> Receipt { gateway.charge(amount, currency).await }
    };
    let expected = quote! {
        #[allow(
            clippy::needless_pass_by_value,
            clippy::large_types_passed_by_value,
            clippy::implicit_hasher,
            clippy::trivially_copy_pass_by_ref,
            clippy::unused_self
        )]
        /// Charge a card.
        pub(crate) async fn charge(amount: u64, currency: &str, gateway: &Gateway,) -> Receipt {
            gateway.charge(amount, currency).await
        }
        #[doc(hidden)]
        #[non_exhaustive]
        #[allow(non_camel_case_types, missing_debug_implementations, dead_code)]
        pub(crate) enum charge {}
        #[allow(dead_code, deprecated)]
        impl charge {
            /// The name of the tool, as the model sees it.
            pub const NAME: &'static str = "charge";
            /// The tool, for lists and policies.
            pub const TOOL: ::tool_core::ToolRef = {
                use ::tool_core::__private as __p;
                #[allow(clippy::unnecessary_wraps, clippy::missing_const_for_fn)]
                fn __default1() -> ::std::string::String {
                    ::std::convert::Into::into("EUR")
                }
                static __DECLARATION: __p::Declaration = __p::Declaration {
                    name: "charge",
                    description: "Charge a card.",
                    location: __p::here(),
                    loading: __p::Loading::Deferred,
                    input_schema: || __p::input_schema(&[
                        __p::param::<u64>("amount", "In cents."),
                        __p::param::<::std::string::String>("currency", "").with_default(|| {
                            let __default = __default1();
                            __p::default_of(&__default).value(&__default)
                        })
                    ]),
                    output_schema: || __p::Out::<Receipt>::new().schema(),
                    requires: |__requirements| { __p::requires::<&Gateway>(__requirements); },
                    call: |__arguments, __context| {
                        let mut __a0 = ::core::option::Option::<u64>::None;
                        let mut __a1 = ::core::option::Option::<::std::string::String>::None;
                        if let ::core::result::Result::Err(__error) = __p::read_args(__arguments, &mut [
                            __p::slot::<u64>(&["amount"], &mut __a0),
                            __p::slot::<::std::string::String>(&["currency"], &mut __a1)
                        ]) {
                            return __p::failed(__error);
                        }
                        let __a0 = match __p::got::<u64>(__a0, "amount") {
                            ::core::result::Result::Ok(__value) => __value,
                            ::core::result::Result::Err(__error) => return __p::failed(__error),
                        };
                        let __a1 = __p::got_or::<::std::string::String>(__a1, __default1);
                        __p::Box::pin(async move {
                            let __a2 = __p::context::<&Gateway>(&__context)?;
                            let __result = charge(__a0, __a1.as_str(), __a2).await;
                            let __value = __p::probe(&__result).tag().split(__result)?;
                            __p::shape(&__value).tag().finish(__value)
                        })
                    },
                    made: || {
                        static __MADE: __p::Made = __p::Made::NEW;
                        &__MADE
                    },
                    ..__p::Declaration::BASE
                };
                __p::submit! { __p::ToolRef::new(&__DECLARATION) }
                __p::ToolRef::new(&__DECLARATION)
            };
        }
    };
    assert_same(&super::tool(quote!(defer_loading), &item), &expected);
}

#[test]
fn methods() {
    let item = quote! {
        impl<T: Send> Archive<T> {
            const LIMIT: u8 = 3;
            /// Wipe.
            #[function_tool(blocking)]
            fn wipe(&self) {}
        }
    };
    let expected = quote! {
        impl<T: Send> Archive<T> {
            const LIMIT: u8 = 3;
            #[allow(
                clippy::needless_pass_by_value,
                clippy::large_types_passed_by_value,
                clippy::implicit_hasher,
                clippy::trivially_copy_pass_by_ref,
                clippy::unused_self
            )]
            /// Wipe.
            fn wipe(&self) {}
        }
        const _: () = {
            use ::tool_core::__private as __p;
            #[allow(missing_debug_implementations, unnameable_types)]
            #[non_exhaustive]
            #[doc(hidden)]
            pub struct __Tools {
                #[doc = "A tool."]
                pub wipe: __p::MethodRef,
            }
            #[allow(deprecated, dead_code)]
            impl<T: Send> Archive<T> {
                /// The names of the tools of this type, for policies: `Self::TOOLS.method`.
                pub const TOOLS: __Tools = __Tools { wipe: __p::MethodRef::new("wipe", __p::here()), };
                /// The tools of this instance, for a registry.
                #[must_use]
                pub fn tools(self: &__p::Arc<Self>) -> __p::Vec<__p::Arc<dyn __p::Tool>> {
                    __p::Vec::from([__p::method(self, const {
                        &__p::MethodDeclaration::<Self> {
                            declaration: __p::Declaration {
                                name: "wipe",
                                description: "Wipe.",
                                location: __p::here(),
                                ..__p::Declaration::BASE
                            },
                            call: |__this, __arguments, __context| {
                                if let ::core::result::Result::Err(__error) =
                                    __p::read_args(__arguments, &mut [])
                                {
                                    return __p::failed(__error);
                                }
                                __p::blocking(move || {
                                    Self::wipe(&__this);
                                    __p::unit()
                                })
                            },
                        }
                    })])
                }
            }
        };
    };
    assert_same(&super::methods(TokenStream::new(), &item), &expected);
}

#[test]
fn the_item_comes_first_and_unchanged_whatever_is_wrong() {
    let arguments = [
        "",
        "nme = 1",
        "\"text\"",
        ",,",
        "= =",
        "name",
        "timeout = \"1h\"",
        "crate",
        "a(b)[c]{d}",
        "handle = none",
    ];
    let items = [
        "fn f() { not rust @ all }",
        "unsafe extern \"C\" fn f<T>(x: &T, ...) -> ! {}",
        "fn f(&self, (a, b): (u8, u8), c: impl Copy) {}",
        "struct S;",
        "impl S { fn f() {} }",
        "trait T {}",
        "fn f();",
        "macro_rules! m { () => {} }",
        "const X: u8 = 3;",
        "",
    ];
    for item in items {
        let item: TokenStream = item.parse().unwrap();
        for arguments in arguments {
            let arguments: TokenStream = arguments.parse().unwrap();
            for expansion in [super::tool(arguments.clone(), &item), super::methods(arguments.clone(), &item)]
            {
                let (expansion, item) = (expansion.to_string(), item.to_string());
                assert!(expansion.starts_with(&item), "{item} became {expansion}");
                assert!(expansion.contains("compile_error"), "{item} with {arguments} has no fault");
            }
        }
    }
}

#[test]
fn a_list_names_each_tool_once() {
    let input = quote!(::core_path; echo, billing::refund,);
    let expected = quote! {{
        use ::core_path::__private::refuse_duplicate as __distinct;
        const __TOOLS: [::core_path::ToolRef; 2usize] = [<echo>::TOOL, <billing::refund>::TOOL];
        const _: () = __distinct(&__TOOLS, 1usize);
        __TOOLS
    }};
    assert_same(&super::list::expand(input), &expected);
}
