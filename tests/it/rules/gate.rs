//! Gate first: the answer to a name that is not listed depends on the name and the list, and on nothing else.

use proptest::prelude::*;
use tool_core::{
    FunctionTool, FunctionToolBuilder, Registry, RegistryBuilder, ToolCall, ToolContext, ToolPattern,
};

use crate::support::{Runs, block_on, builder, eager, hidden, texts};

fn never(_: &ToolContext) -> bool {
    false
}

/// Two listed tools, and one hidden one so that there is something to find.
fn base() -> RegistryBuilder {
    Registry::builder().tools([
        eager("list_files"),
        eager("Read_File"),
        hidden("unrelated_tool", "Something else."),
    ])
}

/// Names that differ from those of `base` by more than case and separators.
fn name() -> impl Strategy<Value = String> {
    "[A-Za-z_][A-Za-z0-9_-]{0,40}".prop_filter("taken", |name| {
        let letters = name.chars().filter(|c| c.is_alphanumeric());
        let folded: String = letters.flat_map(char::to_lowercase).collect();
        !["listfiles", "readfile", "unrelatedtool", "toolsearch"].contains(&folded.as_str())
    })
}

/// What the model is told about calls of these spellings of a name.
fn told(registry: &Registry, spellings: &[String]) -> Vec<String> {
    block_on(async {
        let turn = registry.session().turn().await.unwrap();
        let calls = spellings.iter().enumerate();
        texts(&turn, calls.map(|(id, name)| ToolCall::new(id.to_string(), name, "{"))).await
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn unknown_hidden_disabled_and_denied_read_the_same_and_do_not_run(name in name()) {
        let runs = Runs::default();
        let tool = |change: fn(FunctionToolBuilder) -> FunctionToolBuilder| -> FunctionTool {
            runs.tool(change(builder(&name, "Secret.")))
        };
        let pattern = || [ToolPattern::new(name.clone()).unwrap()];
        let spellings = [name.clone(), name.to_uppercase(), name.replace('_', "-"), format!("{name}!")];
        let unknown = told(&base().build().unwrap(), &spellings);
        for builder in [
            base().tool(tool(FunctionToolBuilder::deferred)),
            base().tool(tool(|tool| tool.deferred().enabled(never))),
            base().tool(tool(|tool| tool.enabled(never))),
            base().tool(tool(FunctionToolBuilder::deferred)).deny(pattern()),
            base().tool(tool(|tool| tool)).deny(pattern()),
        ] {
            prop_assert_eq!(&told(&builder.build().unwrap(), &spellings), &unknown);
        }
        prop_assert!(runs.all().is_empty());
        let start = format!("Tool '{name}' is not in your current tool list.");
        prop_assert!(unknown[0].starts_with(&start));
    }

    #[test]
    fn any_text_as_a_name_is_echoed_clean_and_short(name in any::<String>()) {
        let text = told(&base().build().unwrap(), &[name]).remove(0);
        let rest = text.strip_prefix("Tool '").unwrap();
        let end = rest.rfind("' is not in your current tool list. Call tool_search to find tools.").unwrap();
        let echo = &rest[..end];
        prop_assert!(echo.chars().count() <= 64, "{}", echo);
        prop_assert!(!echo.chars().any(char::is_control), "{:?}", echo);
    }

    #[test]
    fn a_listed_name_in_another_spelling_is_suggested_as_listed(
        separators in prop::collection::vec("[_ .-]{0,2}", 3),
        upper in prop::collection::vec(any::<bool>(), 9),
    ) {
        let letters = "listfiles".chars().zip(&upper);
        let letters: String =
            letters.map(|(c, upper)| if *upper { c.to_ascii_uppercase() } else { c }).collect();
        let (head, tail) = letters.split_at(4);
        let sent = format!("{}{head}{}{tail}{}", separators[0], separators[1], separators[2]);
        prop_assume!(sent != "list_files");
        let text = told(&base().build().unwrap(), &[sent]).remove(0);
        prop_assert!(text.ends_with(" Did you mean 'list_files'?"), "{}", text);
    }
}
