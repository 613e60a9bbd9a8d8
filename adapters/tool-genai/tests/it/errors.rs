//! Failures: their kind, and the provider's words kept and cleaned.

use std::{error::Error as _, net::TcpListener};

use serde_json::json;
use tool_core::{Model, ModelError, ModelErrorKind, ModelRequest};
use tool_genai::{
    GenaiModel,
    genai::{Client, resolver::AuthData},
};

use crate::{
    tools::turn,
    user,
    wire::{Answer, Protocol, Provider, openai},
};

async fn failure(answer: Answer) -> ModelError {
    let provider = Provider::start(Protocol::OpenAi, [answer]);
    let error = ask(provider.base_url()).await;
    provider.finish();
    error
}

async fn ask(base_url: &str) -> ModelError {
    let model = GenaiModel::new("smollm").with_base_url(base_url).with_api_key("sk-secret");
    let error = model.respond(ModelRequest::new(&[user("my question")], &turn().await)).await.unwrap_err();
    for text in [error.to_string(), format!("{error:?}")] {
        assert!(!text.contains("sk-secret") && !text.contains("my question"), "{text}");
    }
    error
}

fn says(status: u16, message: &str) -> Answer {
    Answer::json(status, &json!({"error": {"type": "some_error", "message": message}}))
}

#[tokio::test]
async fn a_status_is_told_by_its_kind_and_its_words() {
    for (status, kind) in [
        (400, ModelErrorKind::Rejected),
        (401, ModelErrorKind::Unauthorized),
        (403, ModelErrorKind::Unauthorized),
        (404, ModelErrorKind::Rejected),
        (413, ModelErrorKind::Rejected),
        (429, ModelErrorKind::RateLimited),
        (500, ModelErrorKind::Unavailable),
        (503, ModelErrorKind::Unavailable),
        (529, ModelErrorKind::Unavailable),
    ] {
        let error = failure(says(status, "the words of the provider")).await;
        assert_eq!(error.kind(), kind, "{status}");
        let text = error.to_string();
        assert!(
            text.starts_with(&status.to_string()) && text.ends_with(": the words of the provider"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn the_time_to_wait_is_kept() {
    let error = failure(says(429, "slow down").with_header("retry-after", "7")).await;
    assert_eq!(error.to_string(), "429 Too Many Requests: slow down (retry-after: 7)");
}

#[tokio::test]
async fn words_are_found_wherever_a_provider_puts_them() {
    for body in [
        json!({"error": {"message": "here"}}),
        json!([{"error": {"message": "here"}}]),
        json!({"message": "here"}),
        json!({"error": "here"}),
        json!({"detail": "here"}),
    ] {
        assert_eq!(failure(Answer::json(400, &body)).await.to_string(), "400 Bad Request: here");
    }
    let unknown = failure(Answer::json(400, &json!({"oh": "no"}))).await;
    assert_eq!(unknown.to_string(), "400 Bad Request: {\"oh\":\"no\"}");
}

#[tokio::test]
async fn words_are_cleaned_and_cut() {
    let error = failure(says(500, "a\u{1b}[31mb\u{202e}c\u{0}d")).await;
    assert_eq!(error.to_string(), "500 Internal Server Error: abcd");
    let long = failure(Answer::text(500, "text/html", "<p>".repeat(10_000))).await.to_string();
    assert!(long.len() <= 4_000 && long.ends_with('…'), "{}", long.len());
}

#[tokio::test]
async fn an_answer_that_is_no_json_is_invalid() {
    let html = failure(Answer::text(200, "text/html", "<h1>Welcome</h1>")).await;
    assert_eq!(html.kind(), ModelErrorKind::InvalidReply);
    assert!(html.to_string().contains("<h1>Welcome</h1>"), "{html}");
    let cut = failure(Answer::text(200, "application/json", "{\"choices\": [")).await;
    assert_eq!(cut.kind(), ModelErrorKind::InvalidReply);
}

#[tokio::test]
async fn a_broken_connection_is_told_as_such() {
    let whole = "{\"choices\": [{\"message\": {\"content\": \"hi\"}}]}".to_owned();
    for answer in [Answer::Hangup, Answer::Half { body: whole }] {
        let error = failure(answer).await;
        assert_eq!(error.kind(), ModelErrorKind::Connection, "{error}");
        assert!(error.source().is_some());
    }
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = ask(&format!("http://{unused}/v1")).await;
    assert_eq!(refused.kind(), ModelErrorKind::Connection);
    assert!(refused.to_string().contains("refused"), "{refused}");
}

#[tokio::test]
async fn after_a_failure_the_same_model_goes_on() {
    let provider =
        Provider::start(Protocol::OpenAi, [says(429, "slow down"), Answer::Hangup, openai::says("hi")]);
    let model = provider.model();
    let (turn, messages) = (turn().await, [user("hello")]);
    let request = ModelRequest::new(&messages, &turn);
    assert_eq!(model.respond(request).await.unwrap_err().kind(), ModelErrorKind::RateLimited);
    assert_eq!(model.respond(request).await.unwrap_err().kind(), ModelErrorKind::Connection);
    assert_eq!(model.respond(request).await.unwrap().text, "hi");
    assert_eq!(provider.finish().len(), 3);
}

#[tokio::test]
async fn a_missing_key_is_named() {
    let client = Client::builder()
        .with_auth_resolver_fn(|_| Ok(Some(AuthData::from_env("TOOL_GENAI_TEST_KEY_THAT_NOBODY_SETS"))))
        .build()
        .unwrap();
    let model = GenaiModel::new("gpt-4o").with_client(client);
    let error = model.respond(ModelRequest::new(&[user("hello")], &turn().await)).await.unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Unauthorized);
    assert!(error.to_string().contains("TOOL_GENAI_TEST_KEY_THAT_NOBODY_SETS is not set"), "{error}");
}

#[tokio::test]
async fn an_address_that_is_none_is_no_connection() {
    let error = ask("not an address").await;
    assert_eq!(error.kind(), ModelErrorKind::Other);
}
