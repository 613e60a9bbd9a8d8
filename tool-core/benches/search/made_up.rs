//! Made-up tools.

use serde_json::{Value, json};

/// Verbs on things of services, as the tools of many servers are.
pub(crate) fn made_up(count: usize) -> Vec<Value> {
    const VERBS: [&str; 20] = [
        "create", "delete", "update", "list", "get", "archive", "restore", "share", "export", "import",
        "approve", "assign", "search", "count", "merge", "lock", "tag", "watch", "clone", "move",
    ];
    const THINGS: [&str; 25] = [
        "invoice",
        "ticket",
        "branch",
        "pipeline",
        "contact",
        "calendar",
        "event",
        "message",
        "channel",
        "file",
        "folder",
        "image",
        "video",
        "report",
        "dashboard",
        "alert",
        "user",
        "group",
        "policy",
        "secret",
        "cluster",
        "volume",
        "snapshot",
        "payment",
        "order",
    ];
    let tool = |n: usize| {
        let (verb, thing) = (VERBS[n % 20], THINGS[n / 20 % 25]);
        let service = format!("service{}", n / 500);
        let schema = json!({"type": "object", "properties": {
            format!("{thing}_id"): {"type": "string", "description": format!("Identifier of the {thing}.")},
            "dry_run": {"type": "boolean", "description": "Only say what would be done."},
        }});
        let description =
            format!("{verb} the {thing} in {service}. Use this when the user asks about their own data.");
        json!({"name": format!("{service}_{verb}_{thing}"), "description": description, "parameters": schema})
    };
    (0..count).map(tool).collect()
}
