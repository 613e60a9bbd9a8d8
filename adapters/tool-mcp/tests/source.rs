//! Servers as sources of tools, over the pipes of child processes and over HTTP, correct and faulty.
#![cfg(all(feature = "source", feature = "server"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod faulty;
#[allow(dead_code, reason = "shared with the tests of the server")]
mod peer;

use std::{env, time::Duration};

use faulty::{call, registry, status};
use serde_json::json;
use tool_core::{FunctionTool, Registry, SourceSettings, SourceState, ToolContext, Toolset};
use tool_mcp::{McpServer, McpSource, SessionRefused};

/// Not a test: what the other tests start as a server.
#[test]
#[ignore = "started by other tests"]
fn play() {
    if let Ok(fault) = env::var("MCP_FAULT") {
        faulty::serve(&fault);
    }
}

#[tokio::test]
async fn a_correct_server_is_listed_and_called() {
    let registry = registry("none").await;
    assert_eq!(status(&registry), "s: ready (listed 2, accepted 2)");
    assert_eq!(call(&registry, "s_echo", json!({ "text": "hi" })).await.unwrap(), "hi");
    registry.close().await;
}

#[tokio::test]
async fn noise_byte_order_marks_batches_and_ids_as_text_are_read_over() {
    for fault in ["noise", "bom", "batch", "string_id", "twice"] {
        let registry = registry(fault).await;
        assert_eq!(status(&registry), "s: ready (listed 2, accepted 2)", "{fault}");
        assert_eq!(call(&registry, "s_echo", json!({ "text": "hi" })).await.unwrap(), "hi", "{fault}");
        registry.close().await;
    }
}

#[tokio::test]
async fn pages_that_never_end_are_read_once() {
    for fault in ["same_cursor", "new_cursors"] {
        let registry = registry(fault).await;
        let text = status(&registry);
        assert!(text.contains("accepted 2") && text.contains("its pages repeat"), "{fault}: {text}");
        registry.close().await;
    }
}

#[tokio::test]
async fn a_bad_tool_costs_one_tool_and_is_named() {
    let registry = registry("bad_tool").await;
    let text = status(&registry);
    assert!(text.contains("accepted 2, rejected 2: "), "{text}");
    assert!(
        text.contains("'#2' it has no name") && text.contains("'slow' it can only be called as a task"),
        "{text}"
    );
    registry.close().await;
}

#[tokio::test]
async fn schemas_reach_the_model_as_they_came() {
    let registry = registry("none").await;
    let session = registry.session();
    session.reveal("s_echo");
    let tool = session.tools().into_iter().find(|tool| tool.name().as_str() == "s_echo").unwrap();
    assert_eq!(tool.input_schema().unwrap().as_str(), faulty::SCHEMA);
    registry.close().await;
}

#[tokio::test]
async fn a_crash_in_a_call_is_its_error_and_the_next_call_starts_the_server_again() {
    let registry = registry("crash").await;
    let error = call(&registry, "s_echo", json!({ "text": "crash" })).await.unwrap_err();
    assert_eq!(error.model_message(), "the server did not answer");
    assert!(error.to_string().contains("it wrote to standard error: about to crash"), "{error}");
    assert_eq!(call(&registry, "s_echo", json!({ "text": "hi" })).await.unwrap(), "hi");
    registry.close().await;
}

#[tokio::test]
async fn a_server_that_cannot_start_is_a_failed_source_beside_others() {
    let missing = McpSource::command("/no/such/program");
    let registry = Registry::builder()
        .toolset(Toolset::new("missing").source(missing))
        .toolset(Toolset::new("s").source(faulty::source("none")))
        .build()
        .unwrap();
    registry.ready(Duration::from_secs(60)).await;
    let sources = registry.sources();
    assert!(
        matches!(&sources[0].state, SourceState::Failed { reason } if reason.contains("/no/such/program cannot be started")),
        "{:?}",
        sources[0]
    );
    assert_eq!(call(&registry, "s_echo", json!({ "text": "hi" })).await.unwrap(), "hi");
    registry.close().await;
}

#[tokio::test]
async fn an_unknown_protocol_version_is_refused() {
    let registry = registry("version").await;
    assert!(status(&registry).contains("it speaks protocol version '1999-01-01', which is not known"));
    registry.close().await;
}

#[tokio::test]
async fn a_call_that_is_late_is_cancelled_at_the_server() {
    let settings = SourceSettings::new().call_timeout(Duration::from_secs(1));
    let toolset = Toolset::new("s").source(faulty::source("hang")).source_settings(settings);
    let registry = Registry::builder().toolset(toolset).build().unwrap();
    registry.ready(Duration::from_secs(60)).await;
    let error = call(&registry, "s_echo", json!({ "text": "hang" })).await.unwrap_err();
    assert!(error.to_string().contains("within 1s"), "{error}");
    // The server tells what it was told; the word may come after the next call.
    while call(&registry, "s_cancelled", json!({})).await.unwrap() != "1" {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    registry.close().await;
}

#[tokio::test]
async fn a_changed_list_is_asked_for_again() {
    let registry = registry("changes").await;
    let accepted = || registry.sources()[0].accepted.len();
    assert_eq!(accepted(), 2);
    call(&registry, "s_echo", json!({ "text": "change" })).await.unwrap();
    while accepted() != 3 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    registry.close().await;
}

#[cfg(unix)]
#[tokio::test]
async fn closing_ends_the_server_and_what_it_started() {
    let registry = registry("child").await;
    let pids = call(&registry, "s_echo", json!({ "text": "pids" })).await.unwrap();
    let pids: Vec<&str> = pids.split(' ').collect();
    assert_eq!(pids.len(), 2);
    let runs = |pid: &str| {
        // A process that has ended and that nobody has waited for is not running.
        std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
    };
    assert!(pids.iter().all(|pid| runs(pid)));
    registry.close().await;
    while pids.iter().any(|pid| runs(pid)) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_server_over_http_is_listed_and_called_with_its_token() {
    let echo = FunctionTool::builder("echo", "Say hi.").handler(async |(): (), _: ToolContext| "hi");
    let server = McpServer::builder(Registry::builder().tool(echo).build().unwrap())
        .session_values(|request, session| match request.header("authorization") {
            Some("Bearer secret") => Ok(session),
            _ => Err(SessionRefused::new("who are you?")),
        })
        .session_key(|request| request.header("authorization").map(str::to_owned))
        .build();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let router = axum::Router::new().nest_service("/mcp", server.http_service());
    tokio::spawn(async move { axum::serve(listener, router).await });

    let known = McpSource::http(&url).unwrap().bearer_token("secret");
    let stranger = McpSource::http(&url).unwrap();
    let registry = Registry::builder()
        .toolset(Toolset::new("known").source(known))
        .toolset(Toolset::new("stranger").source(stranger))
        .build()
        .unwrap();
    registry.ready(Duration::from_secs(60)).await;
    assert_eq!(call(&registry, "known_echo", json!({})).await.unwrap(), "hi");
    let states: Vec<_> = registry.sources().into_iter().map(|source| source.state).collect();
    assert_eq!(states[0], SourceState::Ready);
    assert!(matches!(states[1], SourceState::Failed { .. }), "{states:?}");
    registry.close().await;
}
