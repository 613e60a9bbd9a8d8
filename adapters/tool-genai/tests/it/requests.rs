//! What a provider gets: tools, choice, options, key.

use serde_json::{Value, json};
use tool_core::{Message, Model, ModelRequest, Registry, ToolChoice};
use tool_genai::GenaiModel;

use crate::{
    tools::{turn, web_registry},
    user,
    wire::{Protocol, Provider, anthropic, openai, responses},
};

#[tokio::test]
async fn openai_gets_the_tools_of_the_turn_and_no_hidden_one() {
    let provider = Provider::start(Protocol::OpenAi, [openai::says("hi")]);
    provider.must_not_see("payment_processor");
    let turn = turn().await;
    let model = provider.model();
    model.respond(ModelRequest::new(&[user("hello")], &turn)).await.unwrap();

    let request = &provider.finish()[0];
    let sent: Vec<&Value> =
        request.body["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]).collect();
    assert_eq!(sent.len(), turn.tools().len());
    for (sent, definition) in sent.iter().zip(turn.tools()) {
        assert_eq!(sent["name"], definition.name().as_str());
        assert_eq!(sent["description"], definition.description());
        let schema: Value = serde_json::from_str(definition.input_schema().unwrap().as_str()).unwrap();
        assert_eq!(sent["parameters"], schema);
    }
    assert_eq!(sent[0]["name"], "echo");
    assert_eq!(request.body["model"], "smollm");
    assert_eq!(request.body.get("tool_choice"), None);
}

#[tokio::test]
async fn anthropic_gets_the_tools_of_the_turn_and_no_hidden_one() {
    let provider = Provider::start(Protocol::Anthropic, [anthropic::says("hi")]);
    provider.must_not_see("payment_processor");
    let turn = turn().await;
    let messages = [Message::System { text: "Be brief.".to_owned() }, user("hello")];
    provider.model().respond(ModelRequest::new(&messages, &turn)).await.unwrap();

    let request = &provider.finish()[0];
    let names: Vec<&str> = turn.tools().map(|tool| tool.name().as_str()).collect();
    let sent: Vec<&str> =
        request.body["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(sent, names);
    assert_eq!(request.body["system"], "Be brief.");
    assert_eq!(request.body["model"], "claude-test");
}

#[tokio::test]
async fn a_choice_is_said_in_the_words_of_the_provider() {
    let turn = turn().await;
    let messages = [user("hello")];
    let openai = Provider::start(Protocol::OpenAi, [openai::says("a"), openai::says("b")]);
    let anthropic = Provider::start(Protocol::Anthropic, [anthropic::says("a"), anthropic::says("b")]);
    for choice in [ToolChoice::Required, ToolChoice::None] {
        let mut request = ModelRequest::new(&messages, &turn);
        request.choice = choice;
        openai.model().respond(request).await.unwrap();
        anthropic.model().respond(request).await.unwrap();
    }
    let choices = |provider: Provider| -> Vec<Value> {
        provider.finish().into_iter().map(|request| request.body["tool_choice"].clone()).collect()
    };
    assert_eq!(choices(openai), [json!("required"), json!("none")]);
    assert_eq!(choices(anthropic), [json!({"type": "any"}), json!({"type": "none"})]);
}

#[tokio::test]
async fn without_tools_neither_a_list_nor_a_choice_is_sent() {
    let provider = Provider::start(Protocol::OpenAi, [openai::says("hi")]);
    let turn = Registry::builder().build().unwrap().session().turn().await.unwrap();
    let messages = [user("hello")];
    let mut request = ModelRequest::new(&messages, &turn);
    request.choice = ToolChoice::Required;
    provider.model().respond(request).await.unwrap();

    let request = &provider.finish()[0];
    assert_eq!(request.body.get("tools"), None);
    assert_eq!(request.body.get("tool_choice"), None);
}

#[tokio::test]
async fn options_and_extra_members_are_in_the_body() {
    let provider = Provider::start(Protocol::OpenAi, [openai::says("hi")]);
    let model = provider
        .model()
        .with_temperature(0.0)
        .with_max_tokens(64)
        .with_extra_body(json!({"parallel_tool_calls": false, "cache_prompt": false}));
    model.respond(ModelRequest::new(&[user("hello")], &turn().await)).await.unwrap();

    let body = &provider.finish()[0].body;
    assert_eq!(body["temperature"], 0.0);
    assert_eq!(body["max_tokens"], 64);
    assert_eq!(body["parallel_tool_calls"], false);
    assert_eq!(body["cache_prompt"], false);
}

#[tokio::test]
async fn another_server_gets_the_given_key_or_none_of_the_environment() {
    let provider = Provider::start(Protocol::OpenAi, [openai::says("a"), openai::says("b")]);
    let turn = turn().await;
    // With or without a key in the environment.
    let model = GenaiModel::new("gpt-4o").with_base_url(provider.base_url());
    model.respond(ModelRequest::new(&[user("hello")], &turn)).await.unwrap();
    model.with_api_key("secret").respond(ModelRequest::new(&[user("hello")], &turn)).await.unwrap();
    let keys: Vec<String> = provider.finish().into_iter().map(|request| request.key).collect();
    assert_eq!(keys, ["no-key", "secret"]);
}

#[tokio::test]
async fn a_tool_called_web_search_stays_the_hosts() {
    let turn = web_registry().session().turn().await.unwrap();
    let provider = Provider::start(Protocol::Anthropic, [anthropic::says("hi")]);
    let model = provider.model().with_extra_body(json!({"service_tier": "auto"}));
    model.respond(ModelRequest::new(&[user("hello")], &turn)).await.unwrap();

    let body = &provider.finish()[0].body;
    assert_eq!(body["tools"][1]["name"], "web_search");
    assert_eq!(body["tools"][1]["description"], "Find pages.");
    assert_eq!(body["service_tier"], "auto");

    let provider = Provider::start(Protocol::Responses, [responses::answer("hi", &[], "completed")]);
    let model = provider.model();
    model.respond(ModelRequest::new(&[user("hello")], &turn)).await.unwrap();
    assert_eq!(provider.finish()[0].body["tools"][1]["description"], "Find pages.");
}

#[test]
fn debug_text_holds_no_secret() {
    let model = GenaiModel::new("m").with_api_key("sk-secret").with_extra_body(json!({"token": "sk-secret"}));
    assert!(!format!("{model:?}").contains("sk-secret"));
}
