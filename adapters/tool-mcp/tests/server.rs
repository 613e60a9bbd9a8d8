//! A registry served over a pair of byte streams, seen by a client that speaks plain JSON lines.
#![cfg(feature = "server")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::items_after_statements,
    missing_docs
)]

mod peer;

use std::sync::Arc;

use peer::{Peer, calls, registry};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tool_core::{FunctionTool, Registry, ToolContext};
use tool_mcp::{McpServer, SessionRefused};

#[tokio::test]
async fn a_list_has_the_eager_tools_and_the_search() {
    let mut peer = Peer::initialized(registry()).await;
    let list = peer.request("tools/list", json!({})).await;
    let names: Vec<&str> = list["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["echo", "tool_search"]);
    let echo = &list["result"]["tools"][0];
    assert_eq!(echo["inputSchema"]["type"], "object");
    assert_eq!(echo["annotations"], json!({ "readOnlyHint": true }));
}

#[tokio::test]
async fn a_hidden_tool_is_refused_as_a_result_that_the_model_sees() {
    let mut peer = Peer::initialized(registry()).await;
    let refused = peer.call("charge", json!({})).await;
    assert_eq!(refused["isError"], true);
    assert_eq!(
        refused["content"][0]["text"],
        "Tool 'charge' is not in your current tool list. Call tool_search to find tools."
    );
    let unknown = peer.call("nobody", json!({})).await;
    assert_eq!(
        unknown["content"][0]["text"],
        "Tool 'nobody' is not in your current tool list. Call tool_search to find tools."
    );
}

#[tokio::test]
async fn what_a_search_revealed_is_announced_listed_and_callable_without_listing_again() {
    let mut peer = Peer::initialized(registry()).await;
    let found = peer.call("tool_search", json!({ "query": "charge a card" })).await;
    assert!(found["content"][0]["text"].as_str().unwrap().contains("\"charge\""));
    assert_eq!(peer.notifications(), ["notifications/tools/list_changed"]);

    let charged = peer.call("charge", json!({})).await;
    assert_eq!(charged["content"][0]["text"], "charged");
    let list = peer.request("tools/list", json!({})).await;
    assert_eq!(list["result"]["tools"][2]["name"], "charge");
}

#[tokio::test]
async fn a_search_that_reveals_nothing_announces_nothing() {
    let mut peer = Peer::initialized(registry()).await;
    peer.call("tool_search", json!({ "query": "zzz qqq" })).await;
    peer.call("echo", json!({})).await;
    assert!(peer.notifications().is_empty());
}

/// Ranks when it is let.
struct Gated(Arc<Semaphore>);

impl tool_core::Ranker for Gated {
    fn rank<'a>(&'a self, _: &'a str, catalog: &'a tool_core::Catalog) -> tool_core::RankFuture<'a> {
        Box::pin(async move {
            self.0.acquire().await.unwrap().forget();
            Ok((0..catalog.len()).map(|document| tool_core::Ranked::new(document, 1.0)).collect())
        })
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_pipelined_beside_its_search_is_refused_and_the_next_one_runs() {
    for _ in 0..20 {
        let gate = Arc::new(Semaphore::new(0));
        let search = tool_core::ToolSearch::new().ranker(Gated(Arc::clone(&gate)));
        let mut peer = Peer::initialized(peer::builder().search(search).build().unwrap()).await;
        let search = peer.send("tools/call", calls("tool_search", json!({ "query": "charge" }))).await;
        let early = peer.send("tools/call", calls("charge", json!({}))).await;
        assert_eq!(
            peer.answer(early).await["result"]["isError"],
            true,
            "judged by the list before the search"
        );
        gate.add_permits(1);
        assert_ne!(peer.answer(search).await["result"]["isError"], true);
        assert_eq!(peer.call("charge", json!({})).await["content"][0]["text"], "charged");
    }
}

#[tokio::test]
async fn pipelined_searches_reveal_the_union() {
    let mut peer = Peer::initialized(registry()).await;
    let sent = [
        calls("tool_search", json!({ "query": "charge" })),
        calls("tool_search", json!({ "query": "refund" })),
    ];
    peer.pipelined(&sent).await;
    assert_eq!(peer.call("charge", json!({})).await["content"][0]["text"], "charged");
    assert_eq!(peer.call("refund", json!({})).await["content"][0]["text"], "refunded");
}

#[tokio::test]
async fn a_search_that_is_made_again_is_told_so() {
    let mut peer = Peer::initialized(registry()).await;
    let searched = json!({ "query": "charge a card" });
    let first = peer.call("tool_search", searched.clone()).await;
    let second = peer.call("tool_search", searched).await;
    let says_so = |answer: &Value| answer.to_string().contains("This search was made before");
    assert!(!says_so(&first) && says_so(&second), "{first}\n{second}");
}

#[tokio::test]
async fn broken_arguments_are_a_result_with_the_path() {
    let mut peer = Peer::initialized(registry()).await;
    let answer = peer.call("echo", json!({ "nope": 1 })).await;
    assert_eq!(answer["isError"], true);
    assert!(answer["content"][0]["text"].as_str().unwrap().contains("nope"), "{answer}");
}

#[tokio::test]
async fn requests_in_flight_are_answered_when_the_input_ends() {
    let gate = Arc::new(Semaphore::new(0));
    let slow = FunctionTool::builder("slow", "Takes its time.").handler({
        let gate = Arc::clone(&gate);
        move |(): (), _: ToolContext| {
            let gate = Arc::clone(&gate);
            async move {
                gate.acquire().await.unwrap().forget();
                "done"
            }
        }
    });
    let mut peer = Peer::initialized(Registry::builder().tool(slow).build().unwrap()).await;
    let id = peer.send("tools/call", calls("slow", json!({}))).await;
    peer.end_input().await;
    gate.add_permits(1);
    assert_eq!(peer.answer(id).await["result"]["content"][0]["text"], "done");
    peer.served().await.unwrap();
}

#[tokio::test]
async fn a_cancelled_call_is_dropped_and_others_go_on() {
    let running = Arc::new(Semaphore::new(0));
    let ended = Arc::new(Semaphore::new(0));
    struct Ended(Arc<Semaphore>);
    impl Drop for Ended {
        fn drop(&mut self) {
            self.0.add_permits(1);
        }
    }
    let endless = FunctionTool::builder("endless", "Never ends.").handler({
        let (running, ended) = (Arc::clone(&running), Arc::clone(&ended));
        move |(): (), _: ToolContext| {
            let (running, ended) = (Arc::clone(&running), Ended(Arc::clone(&ended)));
            async move {
                running.add_permits(1);
                std::future::pending::<()>().await;
                drop(ended);
            }
        }
    });
    let echo = FunctionTool::builder("echo", "Say hi.").handler(async |(): (), _: ToolContext| "hi");
    let registry = Registry::builder().tool(endless).tool(echo).build().unwrap();
    let mut peer = Peer::initialized(registry).await;
    let id = peer.send("tools/call", calls("endless", json!({}))).await;
    running.acquire().await.unwrap().forget();
    peer.notify("notifications/cancelled", json!({ "requestId": id })).await;
    ended.acquire().await.unwrap().forget();
    assert_eq!(peer.call("echo", json!({})).await["content"][0]["text"], "hi");
    peer.end_input().await;
    peer.served().await.unwrap();
}

#[tokio::test]
async fn an_approval_that_needs_a_person_is_a_denial() {
    struct Later;
    impl tool_core::ApprovalPolicy for Later {
        fn decide<'a>(
            &'a self,
            _: &'a tool_core::ApprovalRequest,
            _: &'a ToolContext,
        ) -> tool_core::ApprovalFuture<'a> {
            Box::pin(async { tool_core::ApprovalDecision::Suspend })
        }
    }
    let wipe = FunctionTool::builder("wipe", "Delete all.")
        .requires_approval()
        .handler(async |(): (), _: ToolContext| "gone");
    let registry = Registry::builder().tool(wipe).approval(Later).build().unwrap();
    let mut peer = Peer::initialized(registry).await;
    let answer = peer.call("wipe", json!({})).await;
    assert_eq!(answer["isError"], true);
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Tool 'wipe' was not approved: "), "{text}");
    // The session is not stuck.
    assert_eq!(peer.call("wipe", json!({})).await["isError"], true);
}

#[tokio::test]
async fn connections_do_not_share_what_is_revealed() {
    let server = McpServer::builder(registry()).build();
    let (mut one, mut two) = (Peer::connect(&server).await, Peer::connect(&server).await);
    one.call("tool_search", json!({ "query": "charge" })).await;
    assert_eq!(one.call("charge", json!({})).await["content"][0]["text"], "charged");
    assert_eq!(two.call("charge", json!({})).await["isError"], true);
}

#[tokio::test]
async fn a_refused_session_ends_the_connection_with_the_reason() {
    let server = McpServer::builder(registry())
        .session_values(|request, _| {
            assert!(request.http().is_none());
            Err(SessionRefused::new("closed on Sundays"))
        })
        .build();
    let (_, theirs) = tokio::io::duplex(64);
    let (read, write) = tokio::io::split(theirs);
    let error = server.serve(read, write).await.unwrap_err();
    assert_eq!(error.to_string(), "the session was refused: closed on Sundays");
}

#[tokio::test]
async fn structured_results_and_output_schemas_are_sent() {
    #[derive(serde::Serialize, schemars::JsonSchema)]
    struct Weather {
        degrees: i32,
    }
    let weather = FunctionTool::builder("weather", "Tell the weather.")
        .handler(async |(): (), _: ToolContext| tool_core::Json(Weather { degrees: 20 }));
    let mut peer = Peer::initialized(Registry::builder().tool(weather).build().unwrap()).await;
    let list = peer.request("tools/list", json!({})).await;
    assert_eq!(list["result"]["tools"][0]["outputSchema"]["properties"]["degrees"]["type"], "integer");
    let answer = peer.call("weather", json!({})).await;
    assert_eq!(answer["structuredContent"], json!({ "degrees": 20 }));
    let text: Value = serde_json::from_str(answer["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, json!({ "degrees": 20 }));
}

#[tokio::test]
async fn the_later_era_lists_searches_and_calls_without_initialize() {
    let mut peer = Peer::modern(registry());
    let list = peer.request("tools/list", json!({})).await;
    assert_eq!(list["result"]["tools"].as_array().unwrap().len(), 2, "{list}");
    assert_eq!(peer.call("charge", json!({})).await["isError"], true);
    peer.call("tool_search", json!({ "query": "charge" })).await;
    assert_eq!(peer.call("charge", json!({})).await["content"][0]["text"], "charged");
}
