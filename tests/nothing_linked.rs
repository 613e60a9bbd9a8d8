//! A binary without annotated tools: what `linked()` says of it.

use tool_core::Registry;

#[test]
fn an_empty_linked_registry_says_that_a_crate_which_is_never_mentioned_is_not_linked() {
    let Err(errors) = Registry::builder().linked().build() else {
        unreachable!("an empty registry was built");
    };
    assert_eq!(
        errors.to_string(),
        "the registry cannot be built:\n  `linked()` found no annotated tools: a crate that is never mentioned is not \
         linked; write `use my_tools as _;` for each crate that declares tools"
    );
}

#[test]
fn an_explicit_list_needs_nothing_linked() {
    assert!(Registry::builder().build().is_ok());
}
