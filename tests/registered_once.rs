//! Registered once, whatever lists name a tool of `linked()`. A binary of its own: `linked()` sees all tools of a binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;

use proptest::prelude::*;
use tool_core::{BuildError, Registry, ToolRef, Toolset, function_tool, tools};

/// Third in the file, first by name.
#[function_tool]
fn zebra() {}

mod deeper {
    use tool_core::function_tool;

    /// In a module.
    #[function_tool]
    pub(crate) fn middle() {}
}

/// Hidden.
#[function_tool(defer_loading)]
fn apple() {}

fn names(registry: &Registry) -> Vec<String> {
    registry.definitions().iter().map(|tool| tool.name().to_string()).collect()
}

#[test]
fn linked_tools_are_all_of_the_binary_in_the_order_of_their_names() {
    let registry = Registry::builder().linked().build().unwrap();
    assert_eq!(names(&registry), ["apple", "middle", "zebra", "tool_search"]);
}

#[test]
fn what_a_list_names_leaves_linked() {
    let registry = Registry::builder()
        .linked()
        .tools(tools![zebra])
        .toolset(Toolset::new("box").prefix("box").tools(tools![deeper::middle]))
        .build()
        .unwrap();
    assert_eq!(names(&registry), ["box_middle", "apple", "zebra", "tool_search"]);
}

/// In which lists a tool is: none, the default one, or toolsets.
fn lists() -> impl Strategy<Value = Vec<bool>> {
    prop::collection::vec(prop::bool::weighted(0.3), 3)
}

proptest! {
    #[test]
    fn each_tool_is_registered_once_or_the_build_fails(
        lists_of in prop::collection::vec(lists(), 3),
        linked in any::<bool>(),
    ) {
        let tools: [ToolRef; 3] = tools![apple, deeper::middle, zebra];
        let mut builder = Registry::builder();
        if linked {
            builder = builder.linked();
        }
        let mut toolsets = [Toolset::new("one").prefix("one"), Toolset::new("two").prefix("two")];
        let mut expected = BTreeSet::new();
        for (tool, lists) in tools.into_iter().zip(&lists_of) {
            if lists[0] {
                builder = builder.tool(tool);
            }
            for (toolset, _) in toolsets.iter_mut().zip(&lists[1..]).filter(|(_, named)| **named) {
                *toolset = std::mem::replace(toolset, Toolset::new("")).tool(tool);
            }
            let prefix = ["", "one_", "two_"].iter().zip(lists).find(|(_, named)| **named);
            if let Some((prefix, _)) = prefix {
                expected.insert(format!("{prefix}{}", tool.name()));
            } else if linked {
                expected.insert(tool.name().to_owned());
            }
        }
        let registry = toolsets.into_iter().fold(builder, tool_core::RegistryBuilder::toolset).build();
        let count = |lists: &Vec<bool>| lists.iter().filter(|named| **named).count();
        match registry {
            Ok(registry) => {
                prop_assert!(lists_of.iter().all(|lists| count(lists) < 2));
                let listed: Vec<_> =
                    names(&registry).into_iter().filter(|name| name != "tool_search").collect();
                prop_assert_eq!(listed.len(), expected.len(), "nothing twice: {:?}", listed);
                prop_assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), expected);
            }
            Err(errors) => {
                prop_assert!(lists_of.iter().any(|lists| count(lists) > 1));
                let twice: usize = lists_of.iter().map(|lists| count(lists).saturating_sub(1)).sum();
                prop_assert_eq!(errors.errors().len(), twice, "{}", errors);
                let is_twice = |error: &BuildError| matches!(error, BuildError::RegisteredTwice { .. });
                prop_assert!(errors.errors().iter().all(is_twice));
            }
        }
    }
}
