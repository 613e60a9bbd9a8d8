//! What each key does to the declaration.

use std::time::Duration;

use serde_json::json;
use tool_core::{Approval, Loading, Tool as _, ToolContext, ToolKind, function_tool};

fn never(_: &ToolContext) -> bool {
    false
}

#[function_tool(
    name = "charge-card",
    description = "Charge a card.",
    title = "Charge",
    defer_loading,
    keywords = ["pay", "refund"],
    read_only = false,
    destructive = true,
    idempotent,
    open_world = false,
    requires_approval,
    timeout = "1500ms",
    enabled = never
)]
fn charge(amount: u64) -> u64 {
    amount
}

/// Plain.
#[function_tool]
fn plain() {}

/// Lists the catalogue.
#[function_tool(discovery)]
fn catalogue() {}

/// Fetches.
#[function_tool(group = "web")]
fn fetch() {}

#[test]
fn keys_become_definition_and_options() {
    let definition = serde_json::to_value(charge::TOOL.definition()).unwrap();
    assert_eq!(
        definition,
        json!({
            "name": "charge-card",
            "title": "Charge",
            "description": "Charge a card.",
            "inputSchema": {
                "type": "object",
                "properties": {"amount": {"type": "integer", "minimum": 0}},
                "required": ["amount"],
                "additionalProperties": false
            },
            "annotations": {
                "readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": false
            }
        })
    );
    assert_eq!(charge::NAME, "charge-card");
    let options = charge::TOOL.options();
    assert_eq!((options.loading, options.approval), (Loading::Deferred, Approval::Required));
    assert_eq!(options.keywords, ["pay", "refund"]);
    assert_eq!(options.timeout, Some(Duration::from_millis(1500)));
    assert!(options.enabled.is_some());
    assert_eq!((options.kind, &options.group), (ToolKind::Ordinary, &None));
}

#[test]
fn what_is_not_written_is_not_sent() {
    assert_eq!(
        serde_json::to_string(plain::TOOL.definition()).unwrap(),
        concat!(
            r#"{"name":"plain","description":"Plain.","#,
            r#""inputSchema":{"type":"object","properties":{},"additionalProperties":false}}"#
        )
    );
    let options = plain::TOOL.options();
    assert_eq!((options.loading, options.approval), (Loading::Eager, Approval::NotRequired));
    assert_eq!((options.timeout, options.enabled.is_some()), (None, false));
}

#[test]
fn a_group_defers_and_discovery_is_eager() {
    let options = fetch::TOOL.options();
    assert_eq!((options.loading, options.group.as_deref()), (Loading::Deferred, Some("web")));
    let options = catalogue::TOOL.options();
    assert_eq!((options.loading, options.kind), (Loading::Eager, ToolKind::Discovery));
}

/// Converts
/// units.
///
/// Takes:
/// - kelvin
/// - celsius
///
/// # Errors
/// Not for the model.
#[function_tool]
fn convert() {}

#[function_tool]
/** One block, below the attribute. */
fn block() {}

/// Not for the model.
#[function_tool(description = "For the model.")]
fn keyed() {}

#[test]
fn descriptions() {
    assert_eq!(convert::TOOL.definition().description(), "Converts units.\n\nTakes:\n- kelvin\n- celsius");
    assert_eq!(block::TOOL.definition().description(), "One block, below the attribute.");
    assert_eq!(keyed::TOOL.definition().description(), "For the model.");
}

#[test]
fn a_declaration_knows_its_place() {
    let line = line!() + 2;
    /// Here.
    #[function_tool]
    fn here() {}
    let place = here::TOOL.location();
    assert!(place.file.ends_with("keys.rs"), "{place}");
    assert_eq!(place.line, line);
}
