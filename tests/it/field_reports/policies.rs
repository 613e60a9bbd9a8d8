//! Who may see and call what: denied tools, tools of one tenant, approvals that must not be used again.

use std::sync::{Arc, Mutex};

use serde_json::json;
use tool_core::{
    ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, Registry, RevealOutcome, Session,
    Tool, ToolCall, ToolContext, ToolDefinition, ToolFuture, ToolOptions, ToolPattern, ToolSearch,
};

use crate::support::{Runs, builder, call, call_with, eager, hidden, hits, names, search, text, texts};

fn pattern(text: &str) -> [ToolPattern; 1] {
    [ToolPattern::new(text).unwrap()]
}

/// anthropics/claude-code#94202: what was denied could be fetched by its exact name.
#[tokio::test]
async fn a_denied_tool_is_out_of_reach_in_every_mode() {
    for (mode, search_tool) in [
        (ToolSearch::new(), "tool_search"),
        (ToolSearch::search_then_load(), "search_tools"),
        (ToolSearch::bridge(), "tool_search"),
    ] {
        let runs = Runs::default();
        let registry = Registry::builder()
            .tools([runs.hidden("drop_table", "Drops a table."), runs.hidden("list_tables", "Lists.")])
            .deny(pattern("drop_*"))
            .search(mode)
            .build()
            .unwrap();
        let session = registry.session();
        for query in ["drop_table", "Drop-Table", "drop a table", "drop_table list_tables"] {
            let turn = session.turn().await.unwrap();
            let found = text(&turn, call_with("1", search_tool, json!({ "query": query }))).await;
            assert!(!found.contains("drop_table"), "{query}: {found}");
        }
        let turn = session.turn().await.unwrap();
        let usual = text(&turn, call("2", "made_up")).await;
        let reached = [
            call("3", "drop_table"),
            call_with("4", "tool_call", json!({"name": "drop_table", "arguments": {}})),
            call_with("5", "load_tool", json!({"tool_name": "drop_table"})),
        ];
        let answers = texts(&turn, reached).await;
        assert_eq!(answers[0], usual.replace("made_up", "drop_table"));
        assert!(
            answers.iter().all(|text| text.contains("is not in your current") || text.contains("not_found"))
        );
        assert_eq!(session.reveal("drop_table"), RevealOutcome::NotFound);
        assert_eq!(session.import("default", &json!(["drop_table"])).unknown, ["drop_table"]);
        assert!(session.call("drop_table", "{}").await.is_err());
        assert!(runs.all().is_empty());
    }
}

struct Tenant(&'static str);

fn is_owner(context: &ToolContext) -> bool {
    context.get::<Tenant>().is_some_and(|tenant| tenant.0 == "owner")
}

/// google/adk-python#3659: a list made for one user was shown to another.
#[tokio::test]
async fn what_one_tenant_may_see_is_never_shown_to_another() {
    let runs = Runs::default();
    let registry = Registry::builder()
        .tools([
            runs.tool(builder("audit", "Audits.").enabled(is_owner)),
            runs.tool(builder("delete_all", "Deletes all rows.").deferred().enabled(is_owner)),
            runs.hidden("delete_one", "Deletes one row."),
        ])
        .session_state::<Tenant>()
        .build()
        .unwrap();
    let (owner, guest) = (registry.session().with(Tenant("owner")), registry.session().with(Tenant("guest")));
    // Interleaved, so that whatever one leaves behind would meet the other.
    for _ in 0..3 {
        let (of_owner, of_guest) = (owner.turn().await.unwrap(), guest.turn().await.unwrap());
        assert!(names(&of_owner).contains(&"audit".to_owned()));
        assert!(!names(&of_guest).contains(&"audit".to_owned()));
        assert!(of_guest.deferred().all(|tool| *tool.name() != "delete_all"));
        let found = text(&of_owner, search("1", "deletes rows")).await;
        assert_eq!(hits(&found), ["delete_all", "delete_one"]);
        let found = text(&of_guest, search("2", "deletes rows")).await;
        assert_eq!(hits(&found), ["delete_one"]);
        let found = text(&of_guest, search("3", "delete_all")).await;
        assert!(!found.contains("delete_all"), "{found}");
    }
    assert_eq!(guest.reveal("delete_all"), RevealOutcome::NotFound);
    let refused = texts(&guest.turn().await.unwrap(), [call("4", "delete_all"), call("5", "audit")]).await;
    assert!(refused.iter().all(|text| text.contains("is not in your current tool list.")), "{refused:?}");
    assert!(runs.all().is_empty());
}

/// Allows for the session, and keeps what it was asked about.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<String>>>);

impl ApprovalPolicy for Asked {
    fn decide<'a>(&'a self, request: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        self.0.lock().unwrap().push(request.tool.to_string());
        Box::pin(std::future::ready(ApprovalDecision::AllowForSession))
    }
}

impl Asked {
    fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

/// stacklok/toolhive#5749: a decision about one tool held for what it was renamed to.
#[tokio::test]
async fn an_approval_is_not_used_again_for_a_renamed_or_a_changed_tool() {
    let asked = Asked::default();
    let registry = |name: &str, description: &str| {
        Registry::builder()
            .tools([eager("echo"), hidden("other", "Another."), {
                builder(name, description).handler(async |(): (), _: ToolContext| "ran")
            }])
            .approval(asked.clone())
            .require_approval(pattern("*_rows"))
            .deny(pattern("drop_*"))
            .build()
            .unwrap()
    };
    let called =
        async |session: &Session, name: &str| text(&session.turn().await.unwrap(), call("1", name)).await;
    let session = registry("trim_rows", "Trims.").session();
    for _ in 0..2 {
        assert_eq!(called(&session, "trim_rows").await, "ran");
    }
    assert_eq!(asked.count(), 1, "once for the session");
    // The same tool under another name, and another tool under the same name: asked anew.
    for (name, description) in [("cut_rows", "Trims."), ("trim_rows", "Trims all of them.")] {
        let before = asked.count();
        let (resumed, _) = registry(name, description).resume(session.snapshot()).await.unwrap();
        assert_eq!(called(&resumed, name).await, "ran");
        assert_eq!(asked.count(), before + 1, "{name}: {description}");
    }
    // Renamed into what is denied: as if it were not there.
    let (resumed, _) = registry("drop_rows", "Trims.").resume(session.snapshot()).await.unwrap();
    let refused = called(&resumed, "drop_rows").await;
    assert!(refused.starts_with("Tool 'drop_rows' is not in your current tool list."), "{refused}");
    let (same, _) = registry("trim_rows", "Trims.").resume(session.snapshot()).await.unwrap();
    let before = asked.count();
    assert_eq!(called(&same, "trim_rows").await, "ran");
    assert_eq!(asked.count(), before, "an unchanged tool keeps its approval");
}

/// Counts what passes.
struct Limit {
    inner: Arc<dyn Tool>,
    passed: Runs,
}

impl Tool for Limit {
    fn definition(&self) -> &ToolDefinition {
        self.inner.definition()
    }

    fn options(&self) -> &ToolOptions {
        self.inner.options()
    }

    fn call<'a>(&'a self, arguments: &'a tool_core::Arguments, context: ToolContext) -> ToolFuture<'a> {
        self.passed.add(context.tool_name().unwrap().as_str());
        self.inner.call(arguments, context)
    }
}

/// An unrevealed call reads like one of an unknown name, and costs neither a question nor a rate limit.
#[tokio::test]
async fn a_call_of_a_hidden_tool_touches_no_policy_no_switch_and_no_layer() {
    fn never_asked(_: &ToolContext) -> bool {
        panic!("asked")
    }
    let (runs, passed, asked) = (Runs::default(), Runs::default(), Asked::default());
    let counted = passed.clone();
    let registry = Registry::builder()
        .tools([
            runs.hidden("pay_later", "Pays."),
            runs.tool(builder("pay_disabled", "Pays.").deferred().enabled(never_asked)),
            runs.hidden("pay_denied", "Pays."),
            runs.tool(builder("pay_asked", "Pays.").deferred().requires_approval()),
        ])
        .deny(pattern("pay_denied"))
        .require_approval(pattern("pay_*"))
        .approval(asked.clone())
        .wrap(move |inner| Limit { inner, passed: counted.clone() })
        .build()
        .unwrap();
    let turn = registry.session().turn().await.unwrap();
    let called = ["pay_later", "pay_disabled", "pay_denied", "pay_asked", "pay_nobody"];
    let calls = called.map(|name| ToolCall::new(name, name, "not even json"));
    let usual = |name: &str| {
        format!("Tool '{name}' is not in your current tool list. Call tool_search to find tools.")
    };
    assert_eq!(texts(&turn, calls).await, called.map(usual));
    assert_eq!((asked.count(), passed.all(), runs.all()), (0, vec![], vec![]));
}
