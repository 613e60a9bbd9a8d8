//! No leaks: no text for a model names a hidden tool, except what a search found and the echo of what was sent.

use proptest::prelude::*;
use serde_json::json;
use tool_core::{Arguments, Registry, ToolCall, ToolContext, ToolError, ToolPattern, Toolset};

use super::scripts::{failing, panicking};
use crate::support::{Runs, block_on, builder, bytes, hits, search, texts};

fn never(_: &ToolContext) -> bool {
    false
}

/// Whether a text has a name, in any spelling.
fn mentions(text: &str, name: &str) -> bool {
    let folded = |text: &str| -> String {
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    folded(text).contains(&folded(name))
}

/// Names that no other text has by chance: hidden, hidden with a prefix, disabled, eager but disabled, denied.
fn secrets() -> impl Strategy<Value = [String; 5]> {
    "[a-z]{4}q[0-9]{4}"
        .prop_map(|word| ["hid", "box", "dis", "eag", "den"].map(|kind| format!("{kind}_{word}")))
}

/// The first two can be found.
const FINDABLE: usize = 2;

fn registry([hidden, prefixed, disabled, disabled_eager, denied]: &[String; 5]) -> Registry {
    let runs = Runs::default();
    let mut tools = vec![
        runs.hidden(hidden, "Finds treasure."),
        runs.tool(builder(disabled, "Finds treasure.").deferred().enabled(never)),
        runs.tool(builder(disabled_eager, "Finds treasure.").enabled(never)),
        runs.hidden(denied, "Finds treasure."),
        runs.eager("echo"),
        failing(),
        panicking(),
    ];
    for (caller, target) in [("calls_hidden", hidden), ("calls_denied", denied)] {
        let target = target.clone();
        tools.push(builder(caller, "Calls another.").handler(move |(): (), context: ToolContext| {
            let target = target.clone();
            // The answer echoes the name that this tool sent, so it is not passed on.
            async move { context.call(&target, "{}").await.map_err(|_| ToolError::new("not allowed")) }
        }));
    }
    let bare = prefixed.strip_prefix("box_").unwrap();
    Registry::builder()
        .tools(tools)
        .toolset(Toolset::new("box").prefix("box").tool(runs.hidden(bare, "Finds gold.")))
        .deny([ToolPattern::new("den_*").unwrap()])
        .build()
        .unwrap()
}

/// A call; where it names a secret, by its number.
#[derive(Debug, Clone)]
enum Step {
    Call { name: &'static str, arguments: &'static str },
    CallSecret { secret: usize, upper: bool, cut: usize },
    SearchWords(&'static str),
    SearchSecret { secret: usize, extra: &'static str },
}

fn step() -> impl Strategy<Value = Step> {
    let names = [
        "echo",
        "failing",
        "panicking",
        "calls_hidden",
        "calls_denied",
        "none",
        "Echo",
        "tool-search",
        "box",
        "",
    ];
    let arguments =
        ["{}", "", "{", "[1]", r#"{"x":1}"#, r#"{"query":1}"#, r#"{"query":"","top_k":"x"}"#, "null"];
    let words = ["", "the", "nothing", "echo", "failing", "x y z", "tool_search", "box", "hid", "den", "q"];
    prop_oneof![
        (prop::sample::select(names.to_vec()), prop::sample::select(arguments.to_vec()))
            .prop_map(|(name, arguments)| Step::Call { name, arguments }),
        prop::sample::select(arguments.to_vec())
            .prop_map(|arguments| Step::Call { name: "tool_search", arguments }),
        (0..5usize, any::<bool>(), 0..4usize).prop_map(|(secret, upper, cut)| Step::CallSecret {
            secret,
            upper,
            cut
        }),
        prop::sample::select(words.to_vec()).prop_map(Step::SearchWords),
        (0..5usize, prop::sample::select(&["", ", echo", " please", "?!"]))
            .prop_map(|(secret, extra)| Step::SearchSecret { secret, extra }),
    ]
}

impl Step {
    fn call(&self, id: usize, secrets: &[String]) -> ToolCall {
        let id = id.to_string();
        match self {
            Self::Call { name, arguments } => ToolCall::new(id, *name, Arguments::from(*arguments)),
            Self::CallSecret { secret, upper, cut } => {
                let name = &secrets[*secret];
                let name = &name[..name.len() - cut];
                ToolCall::new(id, if *upper { name.to_uppercase() } else { name.to_owned() }, "{}")
            }
            Self::SearchWords(words) => search(&id, words),
            Self::SearchSecret { secret, extra } => {
                ToolCall::new(id, "tool_search", json!({"query": format!("{}{extra}", secrets[*secret])}))
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn no_text_names_what_is_hidden(
        secrets in secrets(),
        batches in prop::collection::vec(prop::collection::vec(step(), 1..5), 1..5),
    ) {
        block_on(async {
            let session = registry(&secrets).session();
            for batch in batches {
                let turn = session.turn().await.unwrap();
                let revealed = session.revealed();
                let is_hidden = |secret: &&String| revealed.iter().all(|name| name != secret.as_str());
                let list = bytes(&turn);
                for secret in secrets.iter().filter(is_hidden) {
                    assert!(!mentions(&list, secret), "{secret} in {list}");
                }
                let calls: Vec<_> =
                    batch.iter().enumerate().map(|(id, step)| step.call(id, &secrets)).collect();
                let texts = texts(&turn, calls.clone()).await;
                for (call, text) in calls.iter().zip(&texts) {
                    let searched = call.name == "tool_search";
                    for (index, secret) in secrets.iter().enumerate().filter(|(_, secret)| is_hidden(secret)) {
                        let found =
                            index < FINDABLE && searched && text.starts_with('[') && hits(text).contains(secret);
                        // Only a refusal says back what was called.
                        let echoed = !searched && mentions(&call.name, secret);
                        assert!(found || echoed || !mentions(text, secret), "{secret} in {text} for {call:?}");
                    }
                }
            }
        });
    }
}

#[tokio::test]
async fn a_hidden_tool_that_a_description_names_is_a_warning() {
    let registry = Registry::builder()
        .tool(builder("charge", "Charges; see refund_payment.").handler(async |(): (), _: ToolContext| ""))
        .tool(crate::support::hidden("refund_payment", "Gives back."))
        .build()
        .unwrap();
    let warnings: Vec<_> = registry.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["the description of `charge` names `refund_payment`, which is hidden until it is revealed"]
    );
}
