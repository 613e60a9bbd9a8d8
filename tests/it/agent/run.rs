//! The loop, and each way it ends.

use std::{error::Error, sync::Arc};

use tokio::sync::Barrier;
use tool_core::{
    AgentBuildError, FinishReason, Model, ModelError, ModelErrorKind, RunError, RunLimits, RunOptions,
    StopReason, TurnError, Usage,
};

use super::*;

const REFUSED: ResultStatus = ResultStatus::Refused;
const SUCCEEDED: ResultStatus = ResultStatus::Succeeded;

#[tokio::test]
async fn an_answer_without_calls_ends_the_run() {
    let usage = Usage::new(10, 2);
    let model = ScriptedModel::new([ModelReply::text("Hello!").with_usage(usage)]);
    let result = agent(&model).run("Hi").await.unwrap();

    assert_eq!(result.text, "Hello!");
    assert!(matches!(result.stop_reason, StopReason::Answered));
    assert_eq!((result.turns, result.usage), (1, usage));
    assert_eq!(
        result.messages,
        [
            Message::User { text: "Hi".to_owned() },
            Message::Assistant { text: "Hello!".to_owned(), calls: Vec::new(), continuation: None }
        ]
    );
    model.finish().unwrap();
}

#[tokio::test]
async fn a_turn_whose_only_call_is_the_search_goes_on() {
    let model =
        ScriptedModel::new([ModelReply::calls([search("s", "credit card")]), ModelReply::text("Found it.")]);
    let result = agent(&model).run("Look for it").await.unwrap();

    assert_eq!((result.turns, result.text.as_str()), (2, "Found it."));
    assert_eq!(model.requests()[1].messages.len(), 3, "input, call, result");
}

#[tokio::test]
async fn a_hidden_tool_is_refused_and_the_run_goes_on() {
    let model = ScriptedModel::new([
        ModelReply::calls([charge("c", 1), search("s", "credit card"), charge("d", 2)]),
        ModelReply::calls([charge("e", 3)]),
        ModelReply::text("done"),
    ]);
    let result = agent(&model).run("Charge").await.unwrap();

    assert_eq!(statuses(&result.messages), [REFUSED, SUCCEEDED, REFUSED, SUCCEEDED]);
    assert_eq!(results(&result.messages)[3], "e: charged 3");
}

#[tokio::test]
async fn calls_of_one_reply_run_side_by_side_and_are_answered_in_call_order() {
    let barrier = Arc::new(Barrier::new(3));
    let wait = FunctionTool::builder("wait", "Waits for the others.").handler(
        move |args: EchoArgs, _: ToolContext| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                args.msg
            }
        },
    );
    let calls = ["x", "y", "z"].map(|msg| call(msg, "wait", json!({ "msg": msg })));
    let model = ScriptedModel::new([ModelReply::calls(calls), ModelReply::text("done")]);
    let registry = Registry::builder().tool(wait).build().unwrap();
    let agent = Agent::builder(model.clone()).registry(registry).build().unwrap();

    // One after the other, none would ever pass the barrier.
    let result = agent.run("Wait").await.unwrap();
    assert_eq!(results(&result.messages), ["x: x", "y: y", "z: z"]);
}

#[tokio::test]
async fn usage_is_the_sum_of_all_requests() {
    let model = ScriptedModel::new([
        ModelReply::calls([say("1", "a")]).with_usage(Usage::new(100, 7)),
        ModelReply::text("cut off he").with_usage(Usage::new(120, 5)).with_finish(FinishReason::Length),
    ]);
    let result = agent(&model).run("Hi").await.unwrap();
    assert_eq!((result.usage, result.finish), (Usage::new(220, 12), FinishReason::Length));
}

#[tokio::test]
async fn the_turn_limit_ends_the_run_with_all_calls_answered() {
    let endless = || ScriptedModel::answering(|_| Ok(ModelReply::calls([say("", "again")])));
    for (limit, options) in [
        (20, RunOptions::new()),
        (3, RunOptions::new().limits(RunLimits::DEFAULT.turns(3))),
        (0, RunOptions::new().limits(RunLimits::DEFAULT.turns(0))),
    ] {
        let model = endless();
        let result = agent(&model).run("Go").options(options).await.unwrap();
        assert!(matches!(result.stop_reason, StopReason::TurnLimit));
        assert_eq!((result.turns, model.requests().len()), (limit, limit));
        assert_eq!(results(&result.messages).len(), limit, "the calls of the last reply too");
        assert_acceptable(&result.messages);
    }

    let model = endless();
    let agent = Agent::builder(model.clone())
        .registry(registry())
        .limits(RunLimits::DEFAULT.turns(2))
        .build()
        .unwrap();
    assert_eq!(agent.run("Go").await.unwrap().turns, 2);
}

#[tokio::test]
async fn after_a_model_error_the_conversation_goes_on_with_the_identical_list() {
    let model = ScriptedModel::new([ModelReply::calls([search("s", "credit card")])])
        .then_error(ModelError::new(ModelErrorKind::RateLimited, "slow down"))
        .then(ModelReply::calls([charge("c", 5)]))
        .then_error(ModelError::new(ModelErrorKind::Unavailable, "try later"))
        .then(ModelReply::text("Done."));
    let agent = agent(&model);
    let mut conversation = agent.conversation(agent.registry().session()).unwrap();

    let failed = agent.continue_run(&mut conversation, "Charge").await.unwrap();
    let StopReason::ModelError(error) = failed.stop_reason else { panic!("{:?}", failed.stop_reason) };
    assert_eq!(error.kind(), ModelErrorKind::RateLimited);

    let failed = agent.resume(&mut conversation).await.unwrap();
    assert!(matches!(failed.stop_reason, StopReason::ModelError(_)));
    let requests = model.requests();
    assert_eq!(requests[1], requests[2], "the same request again: messages, list and definitions");
    assert!(tool_names(&requests[2]).contains(&"payment_processor"));

    let result = agent.continue_run(&mut conversation, "And?").await.unwrap();
    assert_eq!(result.text, "Done.");
    assert_acceptable(conversation.messages());
    model.finish().unwrap();
}

#[tokio::test]
async fn resuming_an_answered_conversation_asks_nothing() {
    let model = ScriptedModel::new([ModelReply::text("Hello!")]);
    let agent = agent(&model);
    let mut conversation = agent.conversation(agent.registry().session()).unwrap();
    agent.continue_run(&mut conversation, "Hi").await.unwrap();

    let result = agent.resume(&mut conversation).await.unwrap();
    assert_eq!((result.text.as_str(), result.turns), ("Hello!", 0));
    assert!(matches!(result.stop_reason, StopReason::Answered));
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn a_missing_host_value_is_an_error_and_leaves_the_conversation_as_it_was() {
    struct Tenant;
    let registry = Registry::builder().tool(echo()).session_state::<Tenant>().build().unwrap();
    let model = ScriptedModel::new([ModelReply::text("Hello!")]);
    let agent = Agent::builder(model).registry(registry.clone()).instructions("Be brief.").build().unwrap();

    let error = agent.run("Hi").await.unwrap_err();
    assert!(matches!(error, RunError::Turn(TurnError::MissingHostValue { .. })), "{error}");
    let mut conversation = agent.conversation(registry.session()).unwrap();
    agent.continue_run(&mut conversation, "Hi").await.unwrap_err();
    assert!(conversation.messages().is_empty());

    let mut stream = agent.stream("Hi");
    assert!(stream.next().await.unwrap().is_err());
    assert!(stream.next().await.is_none());

    let mut given = agent.conversation(registry.session().with(Tenant)).unwrap();
    assert_eq!(agent.continue_run(&mut given, "Hi").await.unwrap().text, "Hello!");
}

#[tokio::test]
async fn sessions_and_conversations_of_another_registry_are_errors() {
    let model = always_ok();
    let (ours, theirs) = (agent(&model), agent(&model));
    assert!(ours.conversation(theirs.registry().session()).is_err());

    let mut conversation = theirs.conversation(theirs.registry().session()).unwrap();
    let error = ours.continue_run(&mut conversation, "Hi").await.unwrap_err();
    assert!(matches!(error, RunError::ForeignSession(_)), "{error}");
    assert!(conversation.messages().is_empty());
    assert_eq!(theirs.continue_run(&mut conversation, "Hi").await.unwrap().text, "ok");
}

#[tokio::test]
async fn an_agent_needs_a_registry() {
    let error = Agent::builder(ScriptedModel::new([])).build().unwrap_err();
    assert!(matches!(error, AgentBuildError::NoRegistry));
    assert!(error.source().is_none() && error.to_string().contains(".registry("));
}

#[tokio::test]
async fn a_model_may_be_chosen_at_run_time() {
    let model: Arc<dyn Model> = Arc::new(always_ok());
    let agent = Agent::builder(model).registry(registry()).build().unwrap();
    assert_eq!(agent.clone().run("Hi").await.unwrap().text, "ok");
}

#[tokio::test]
async fn instructions_are_the_first_message_once_and_those_of_the_present_agent() {
    let model = always_ok();
    let registry = registry();
    let agents = ["Be brief.", "Be kind."].map(|text| {
        Agent::builder(model.clone()).registry(registry.clone()).instructions(text).build().unwrap()
    });
    let mut conversation = agents[0].conversation(registry.session()).unwrap();
    for agent in [&agents[0], &agents[0], &agents[1]] {
        let result = agent.continue_run(&mut conversation, "Hi").await.unwrap();
        assert_eq!(result.messages[0], Message::User { text: "Hi".to_owned() }, "from the input on");
    }
    let own = agents[0].run("Hi").await.unwrap();
    assert_eq!(own.messages[0], Message::User { text: "Hi".to_owned() });
    let systems = |messages: &[Message]| -> Vec<_> {
        messages
            .iter()
            .enumerate()
            .filter(|(_, m)| matches!(m, Message::System { .. }))
            .map(|(i, _)| i)
            .collect()
    };
    for request in model.requests() {
        assert_eq!(systems(&request.messages), [0]);
    }
    assert_eq!(conversation.messages()[0], Message::System { text: "Be kind.".to_owned() });
}

#[tokio::test]
async fn instructions_that_name_a_hidden_tool_are_warned_of() {
    let warnings = |instructions: &str| {
        let agent =
            Agent::builder(always_ok()).registry(registry()).instructions(instructions).build().unwrap();
        agent.warnings().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert!(warnings("Use echo, or tool_search to find more.").is_empty());
    assert_eq!(
        warnings("Use `payment_processor`; payment_processor is fine."),
        ["the instructions name `payment_processor`, which is hidden until it is revealed"]
    );
}
