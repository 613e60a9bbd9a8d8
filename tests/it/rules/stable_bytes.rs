//! Stable bytes: same state, same bytes, in whatever order tools were registered; revealing appends.

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{FunctionTool, Json, Registry, ToolAnnotations, ToolContext, ToolKind, Toolset};

use crate::support::{block_on, builder, bytes, eager, golden, hidden, names, revealed, search, text};

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Booking {
    /// Where to go.
    to: String,
    /// Names of the passengers.
    passengers: Vec<String>,
    /// Which seats.
    #[serde(default)]
    class: Class,
    return_on: Option<String>,
    tags: std::collections::HashMap<String, u32>,
    stops: Vec<Stop>,
}

#[derive(Deserialize, JsonSchema, Default)]
#[serde(rename_all = "snake_case")]
enum Class {
    #[default]
    Economy,
    Business,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Stop {
    city: String,
    hours: u8,
    next: Option<Box<Stop>>,
}

#[derive(Serialize, JsonSchema)]
struct Ticket {
    number: u64,
    price: f64,
}

fn book() -> FunctionTool {
    let mut annotations = ToolAnnotations::NONE;
    annotations.destructive = Some(false);
    annotations.open_world = Some(true);
    builder("book_flight", "Books a flight.")
        .title("Flights")
        .annotations(annotations)
        .deferred()
        .handler(async |_: Booking, _: ToolContext| Json(Ticket { number: 1, price: 9.5 }))
}

/// Tools of every kind and the toolset they belong to, in no particular order.
fn tools() -> Vec<(&'static str, FunctionTool)> {
    let own = builder("catalogue", "Lists all.")
        .kind(ToolKind::Discovery)
        .handler(async |(): (), _: ToolContext| "");
    vec![
        ("default", eager("zebra")),
        ("default", eager("Apple")),
        ("default", book()),
        ("default", own),
        ("default", hidden("alpha_report", "Reports.")),
        ("git", eager("status")),
        ("git", hidden("blame_report", "Reports.")),
        ("git", hidden("annotate", "Annotates.")),
        ("art", hidden("zoom_report", "Reports.")),
    ]
}

/// Registers the tools in this order.
fn registry(order: &[usize]) -> Registry {
    let mut tools: Vec<_> = tools().into_iter().map(Some).collect();
    let mut toolsets: Vec<(&str, Toolset)> = Vec::new();
    let mut builder = Registry::builder();
    for index in order {
        let (namespace, tool) = tools[*index].take().unwrap();
        if namespace == "default" {
            builder = builder.tool(tool);
        } else if let Some(at) = toolsets.iter().position(|(known, _)| *known == namespace) {
            let (_, toolset) = toolsets.remove(at);
            toolsets.insert(at, (namespace, toolset.tool(tool)));
        } else {
            toolsets.push((namespace, Toolset::new(namespace).prefix(namespace).tool(tool)));
        }
    }
    toolsets.into_iter().fold(builder, |builder, (_, toolset)| builder.toolset(toolset)).build().unwrap()
}

/// The bytes of every turn of one conversation, and what its searches answered.
fn conversation(registry: &Registry) -> Vec<String> {
    block_on(async {
        let session = registry.session();
        let mut seen = Vec::new();
        for query in ["report", "flight", "annotate", "report"] {
            let turn = session.turn().await.unwrap();
            seen.push(bytes(&turn));
            seen.push(text(&turn, search("1", query)).await);
        }
        seen.push(bytes(&session.turn().await.unwrap()));
        seen
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_order_of_registration_changes_no_byte(order in Just((0..9usize).collect::<Vec<_>>()).prop_shuffle()) {
        let in_order: Vec<_> = (0..9).collect();
        prop_assert_eq!(conversation(&registry(&order)), conversation(&registry(&in_order)));
    }

    #[test]
    fn revealing_appends(queries in prop::collection::vec("report|flight|annotate|git|nothing", 1..6)) {
        block_on(async {
            let session = registry(&(0..9).collect::<Vec<_>>()).session();
            for query in queries {
                let turn = session.turn().await.unwrap();
                let before = bytes(&turn);
                text(&turn, search("1", &query)).await;
                let after = bytes(&session.turn().await.unwrap());
                let prefix = before.strip_suffix(']').unwrap();
                assert!(after.starts_with(prefix), "{before}\n{after}");
            }
        });
    }
}

#[tokio::test]
async fn eager_tools_by_name_then_discovery_tools_then_the_reveal_order() {
    let session = registry(&(0..9).collect::<Vec<_>>()).session();
    let base = ["Apple", "git_status", "zebra", "catalogue", "tool_search"];
    assert_eq!(names(&session.turn().await.unwrap()), base);
    let order = ["git_annotate", "alpha_report", "book_flight", "art_zoom_report", "git_blame_report"];
    for name in order {
        session.reveal(name);
    }
    let listed = names(&session.turn().await.unwrap());
    assert_eq!(listed[..5], base);
    assert_eq!(listed[5..], order, "in reveal order, not by name");
    assert_eq!(revealed(&session), order);
}

#[tokio::test]
async fn two_sessions_in_one_state_have_the_same_bytes() {
    let order: Vec<_> = (0..9).collect();
    let (one, other) = (registry(&order).session(), registry(&order).session());
    for session in [&one, &other] {
        text(&session.turn().await.unwrap(), search("1", "report")).await;
    }
    assert_eq!(bytes(&one.turn().await.unwrap()), bytes(&other.turn().await.unwrap()));
}

#[test]
fn the_bytes_are_those_of_the_golden_file() {
    let seen = conversation(&registry(&(0..9).collect::<Vec<_>>()));
    golden("conversation.txt", &format!("{}\n", seen.join("\n\n")));
}
