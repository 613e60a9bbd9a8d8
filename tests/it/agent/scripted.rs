//! The scripted model keeps its promises to tests.

use std::error::Error;

use tool_core::{ModelErrorKind, ScriptError, StopReason};

use super::*;

#[tokio::test]
async fn an_exhausted_script_is_a_model_error_and_an_error_at_the_end() {
    let model = ScriptedModel::new([ModelReply::calls([say("1", "a")])]);
    let result = agent(&model).run("Hi").await.unwrap();

    let StopReason::ModelError(error) = result.stop_reason else { panic!("{:?}", result.stop_reason) };
    assert_eq!(error.kind(), ModelErrorKind::Other);
    let source = error.source().and_then(|source| source.downcast_ref());
    assert_eq!(source, Some(&ScriptError::Exhausted { requests: 1 }));
    assert_eq!(model.finish(), Err(ScriptError::Exhausted { requests: 1 }));
}

#[tokio::test]
async fn an_unfinished_script_is_an_error_at_the_end() {
    let model = ScriptedModel::new([ModelReply::text("a"), ModelReply::text("b")]);
    assert_eq!(model.finish(), Err(ScriptError::Unfinished { replies: 2 }));
    agent(&model).run("Hi").await.unwrap();
    assert_eq!(model.finish(), Err(ScriptError::Unfinished { replies: 1 }));
    agent(&model).run("Hi").await.unwrap();
    assert_eq!(model.finish(), Ok(()));
}

#[tokio::test]
async fn a_reply_can_be_made_from_the_request_and_a_closure_follows_a_list() {
    let model = always_ok().then_with(|request| {
        let tools: Vec<_> = request.turn.tools().map(|tool| tool.name().to_string()).collect();
        Ok(ModelReply::text(tools.join(" ")))
    });
    let agent = agent(&model);
    assert_eq!(agent.run("Hi").await.unwrap().text, "echo tool_search");
    assert_eq!(agent.run("Hi").await.unwrap().text, "ok");
    model.finish().unwrap();
}

#[tokio::test]
async fn requests_are_kept_whole() {
    let model = always_ok();
    agent(&model).run("Hi").await.unwrap();
    let requests = model.requests();
    assert_eq!(requests[0].messages, [Message::User { text: "Hi".to_owned() }]);
    let echo: serde_json::Value = serde_json::from_str(&requests[0].definitions[0]).unwrap();
    assert_eq!((&echo["name"], &echo["description"]), (&json!("echo"), &json!("Say a text again.")));
    assert_eq!(echo["inputSchema"]["properties"]["msg"]["type"], "string");
}
