//! Where a tool can stand, and how its handle is reached from there.

use serde_json::json;
use tool_core::{ToolRef, function_tool, tools};

use super::call;

mod inner {
    pub(super) mod deep {
        use tool_core::function_tool;

        /// Public.
        #[function_tool]
        pub(in crate::macros::places) fn visible() -> &'static str {
            "visible"
        }

        /// In a module.
        #[function_tool(name = "other_name")]
        pub(in crate::macros::places) fn same() -> &'static str {
            "same"
        }
    }
}

use inner::deep::visible;

#[tokio::test]
async fn one_use_brings_function_and_handle() {
    assert_eq!(visible(), "visible");
    assert_eq!(visible::NAME, "visible");
    let list: [ToolRef; 2] = tools![visible, inner::deep::same];
    assert_eq!(list.map(|tool| tool.name()), ["visible", "other_name"]);
    assert_eq!(call(inner::deep::same::TOOL, "").await, "same");
}

/// A raw name.
#[function_tool]
fn r#move(r#in: u8) -> u8 {
    r#in
}

#[tokio::test]
async fn raw_names_are_plain_to_the_model() {
    assert_eq!(r#move::NAME, "move");
    assert_eq!(tools![r#move][0].name(), "move");
    assert_eq!(call(r#move::TOOL, json!({"in": 3})).await, "3");
}

#[tokio::test]
async fn a_tool_inside_a_function() {
    /// Local.
    #[function_tool]
    fn local(msg: &str) -> String {
        msg.to_uppercase()
    }
    assert_eq!(call(local::TOOL, json!({"msg": "a"})).await, "A");
    assert_eq!(local("b"), "B");
}

macro_rules! getters {
    ($($(#[$attr:meta])* $name:ident($arg:ident: $ty:ty = $default:expr) -> $ret:ty, $doc:literal, $body:expr;)*) => {$(
        #[doc = $doc]
        #[function_tool(title = $doc)]
        $(#[$attr])*
        fn $name(#[default($default)] $arg: $ty) -> $ret {
            ($body)($arg)
        }
    )*};
}

getters! {
    made_text(text: &str = "x") -> String, "Text.", str::to_owned;
    made_number(number: u8 = 2) -> u64, "Number.", u64::from;
    made_optional(text: Option<&str> = "z") -> Option<String>, "Optional.", |text: Option<&str>| text.map(str::to_owned);
}

#[tokio::test]
async fn tools_made_by_a_macro_of_the_user() {
    assert_eq!(call(made_text::TOOL, "").await, "x");
    assert_eq!(call(made_text::TOOL, json!({"text": "y"})).await, "y");
    assert_eq!(call(made_number::TOOL, "{}").await, "2");
    assert_eq!(call(made_optional::TOOL, "{}").await, "z");
    assert_ne!(made_text::TOOL, made_number::TOOL);
}

/// Would hide a type.
#[function_tool(name = "u32", handle = ToNumber)]
fn u32(text: &str) -> u32 {
    text.len().try_into().unwrap_or_default()
}

/// Has no handle.
#[function_tool(handle = none)]
fn without_handle() -> &'static str {
    "called"
}

#[tokio::test]
async fn handles_of_another_name_and_none() {
    assert_eq!(ToNumber::NAME, "u32");
    assert_eq!(call(ToNumber::TOOL, json!({"text": "abc"})).await, "3");
    assert_eq!(u32("abc"), 3);
    assert_eq!(without_handle(), "called");
}

/// Is in a module of its own name.
#[function_tool(handle = Nested)]
fn nested() -> &'static str {
    nested::TEXT
}

mod nested {
    pub(super) const TEXT: &str = "text of the module";
}

#[tokio::test]
async fn a_module_may_have_the_name_of_a_tool() {
    assert_eq!(call(Nested::TOOL, "").await, nested::TEXT);
}

mod renamed {
    pub(crate) use tool_core as core_of_tools;
}

/// Named through another path.
#[function_tool(crate = crate::macros::places::renamed::core_of_tools)]
fn elsewhere(#[serde(default)] number: u8, #[default(2)] other: u8) -> u8 {
    number + other
}

#[tokio::test]
async fn the_crate_may_have_another_path() {
    assert_eq!(call(elsewhere::TOOL, "").await, "2");
}

/// Left out.
#[cfg(any())]
#[function_tool]
fn left_out(not: Compiled) {}

/// Kept.
#[function_tool]
#[cfg(test)]
#[deprecated = "use another"]
#[must_use]
fn kept() -> u8 {
    1
}

#[tokio::test]
#[allow(deprecated)]
async fn other_attributes_stay_on_the_function() {
    assert_eq!(call(kept::TOOL, "").await, "1");
    assert_eq!(kept(), 1);
}

#[test]
fn an_empty_list_is_a_list() {
    const ALL: [ToolRef; 2] = tools![visible, r#move];
    let none: [ToolRef; 0] = tools![];
    assert_eq!((none.len(), ALL.len()), (0, 2));
}

#[allow(non_camel_case_types, dead_code, reason = "names that the expansion must not trip over")]
mod hostile {
    use tool_core::function_tool;

    struct Option;
    struct Result;
    struct String;
    struct Vec;
    struct Box;
    struct Arc;
    #[allow(non_snake_case)]
    fn Ok() {}
    #[allow(non_snake_case)]
    fn Err() {}
    #[allow(non_snake_case)]
    fn Some() {}
    mod std {}
    mod core {}
    mod serde {}
    mod tool_core_private {}

    /// Does not mind.
    #[function_tool(title = "T", timeout = "1s", enabled = on, read_only)]
    pub(super) fn unbothered(
        text: &str,
        maybe: ::std::option::Option<&str>,
        #[default("x")] default: &str,
        #[default(3)] number: u8,
        #[context] cx: &::tool_core::ToolContext,
    ) -> ::std::string::String {
        let _ = cx;
        ::std::format!("{text}{maybe:?}{default}{number}")
    }

    fn on(_: &::tool_core::ToolContext) -> bool {
        true
    }
}

#[tokio::test]
async fn shadowed_names_do_no_harm() {
    assert_eq!(call(hostile::unbothered::TOOL, json!({"text": "a"})).await, "aNonex3");
}
