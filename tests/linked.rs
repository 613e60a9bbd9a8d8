//! What `linked()` collects. A binary of its own: it would collect the tools of all other tests.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use tool_core::{Registry, function_tool, tools};

/// Public.
#[function_tool]
pub fn public() {}

mod inner {
    use tool_core::function_tool;

    /// Private in a module.
    #[function_tool]
    fn private() {}

    /// Without a handle.
    #[function_tool(handle = none)]
    fn without_handle() {}

    pub(crate) fn touch() {
        private();
        without_handle();
    }
}

#[test]
fn every_annotated_function_is_linked_once_and_in_order() {
    /// Inside of a function.
    #[function_tool]
    fn local() {}

    let names = |registry: &Registry| -> Vec<String> {
        registry.definitions().iter().map(|definition| definition.name().to_string()).collect()
    };
    let linked = Registry::builder().linked().build().unwrap();
    assert_eq!(names(&linked), ["local", "private", "public", "without_handle"]);
    let listed = Registry::builder().linked().tools(tools![public, local]).build().unwrap();
    assert_eq!(names(&listed), names(&linked));
    inner::touch();
    local();
}
