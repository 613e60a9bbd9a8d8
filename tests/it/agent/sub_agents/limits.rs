//! Depth and count of sub-agents, and what a model reads of one that fails.

use tool_core::{ModelError, ModelErrorKind, RunLimits, RunOptions, StopReason};

use super::*;

/// Starts one of its own type until it has no `spawn`, and then answers with its depth.
fn digs() -> ScriptedModel {
    ScriptedModel::answering(|request| {
        let may_spawn = request.turn.tools().any(|tool| tool.name() == "spawn");
        Ok(match request.messages.last() {
            Some(Message::User { text }) if may_spawn => {
                ModelReply::calls([spawn("1", "digger", &format!("{text}+"))])
            }
            _ => ModelReply::text(last_text(request)),
        })
    })
}

fn digger() -> SubAgent {
    SubAgent::new("digger", "Digs deeper.").spawns(["digger"])
}

#[tokio::test]
async fn the_last_level_has_no_spawn() {
    let options = |limits| RunOptions::new().limits(limits);
    for (limits, depth) in [
        (RunLimits::DEFAULT, "go++"),
        (RunLimits::DEFAULT.depth(1), "go+"),
        (RunLimits::DEFAULT.depth(0), "go"),
    ] {
        let agent = agent_with(&digs(), registry(), [digger()]);
        assert_eq!(agent.run("go").options(options(limits)).await.unwrap().text, depth);
    }
    let shallow = agent_with(&digs(), registry(), [digger().limits(RunLimits::DEFAULT.depth(0))]);
    let result = shallow.run("go").options(options(RunLimits::DEFAULT.depth(9))).await.unwrap();
    assert_eq!(result.text, "go+", "a type's own limit holds below it");
}

#[tokio::test]
async fn no_limit_lets_runs_dig_through_the_stack() {
    let endless = RunLimits::DEFAULT.depth(usize::MAX).spawns(usize::MAX);
    let agent = agent_with(&digs(), registry(), [digger().limits(endless)]);
    let options = RunOptions::new().limits(endless);
    assert_eq!(agent.run("go").options(options).await.unwrap().text, "go++++++++");
}

#[tokio::test]
async fn a_type_starts_none_unless_it_is_said_to() {
    let model = spawning([spawn("1", "helper", "spawn")]);
    let sub = calls_its_task();
    let types = [SubAgent::new("helper", "Helps.").model(sub.clone()), SubAgent::new("other", "Helps too.")];
    let answers = answers(&agent_with(&model, registry(), types)).await;
    assert_eq!(tool_names(&sub.requests()[0]), ["echo", "tool_search"]);
    assert!(answers[0].starts_with("1: Tool 'spawn' is not in your current tool list."), "{answers:?}");
}

#[tokio::test]
async fn a_type_that_may_start_some_is_offered_these_only() {
    let model = spawning([spawn("1", "middle", "any")]);
    let middle = ScriptedModel::new([
        ModelReply::calls([spawn("1", "other", "x"), spawn("2", "leaf", "echo")]),
        ModelReply::text("m"),
    ]);
    let types = [
        SubAgent::new("middle", "Delegates.").model(middle.clone()).spawns(["leaf"]),
        SubAgent::new("leaf", "Works.").model(ScriptedModel::new([ModelReply::text("l")])),
        SubAgent::new("other", "Works too."),
    ];
    answers(&agent_with(&model, registry(), types)).await;
    let seen = &middle.requests()[1];
    assert_eq!(results(&seen.messages), ["1: No sub-agent is of type 'other'. There are: leaf.", "2: l"]);
    assert!(!seen.definitions.concat().contains("Works too."));
}

#[tokio::test]
async fn a_run_starts_no_more_than_its_limit_in_all_levels_together() {
    let told = "No more sub-agents can be started: the limit of this run is 3.";
    let middle = || {
        ScriptedModel::answering(|request| {
            Ok(match request.messages.last() {
                Some(Message::User { .. }) => ModelReply::calls([spawn("1", "leaf", "l")]),
                _ => ModelReply::text(last_text(request)),
            })
        })
    };
    let leaf = ScriptedModel::answering(|_| Ok(ModelReply::text("leaf")));
    let types = [
        SubAgent::new("middle", "Delegates.").model(middle()).spawns(["leaf"]),
        SubAgent::new("leaf", "Works.").model(leaf.clone()),
    ];
    // One after the other: middle and its leaf, middle without one, none.
    let model = ScriptedModel::new(["1", "2", "3"].map(|id| ModelReply::calls([spawn(id, "middle", "m")])))
        .then(ModelReply::text("Done."));
    let agent = agent_with(&model, registry(), types);
    let options = RunOptions::new().limits(RunLimits::DEFAULT.spawns(3));
    let result = agent.run("Go").options(options.clone()).await.unwrap();
    assert_eq!(results(&result.messages), ["1: leaf".to_owned(), format!("2: {told}"), format!("3: {told}")]);
    assert_eq!(leaf.requests().len(), 1);

    // Each run counts for itself.
    let model = spawning([spawn("1", "leaf", "l")]);
    let agent = agent_with(&model, registry(), [SubAgent::new("leaf", "Works.").model(leaf)]);
    let mut conversation = agent.conversation(agent.registry().session()).unwrap();
    agent.continue_run(&mut conversation, "Go").options(options).await.unwrap();
    assert_eq!(results(conversation.messages()), ["1: leaf"]);
}

#[tokio::test]
async fn a_limit_of_a_type_holds_below_it_only() {
    let once = || {
        ScriptedModel::answering(|request| {
            Ok(match request.messages.last() {
                Some(Message::User { .. }) => {
                    ModelReply::calls([spawn("1", "leaf", "l"), spawn("2", "leaf", "l")])
                }
                _ => ModelReply::text(results(request.messages).join("; ")),
            })
        })
    };
    let types = [
        SubAgent::new("middle", "Delegates.")
            .model(once())
            .spawns(["leaf"])
            .limits(RunLimits::DEFAULT.spawns(1)),
        SubAgent::new("leaf", "Works.").model(ScriptedModel::answering(|_| Ok(ModelReply::text("leaf")))),
    ];
    let model = spawning([spawn("1", "middle", "m"), spawn("2", "middle", "m")]);
    let told = "1: leaf; 2: No more sub-agents can be started: the limit of this run is 1.";
    assert_eq!(
        answers(&agent_with(&model, registry(), types)).await,
        [format!("1: {told}"), format!("2: {told}")]
    );
}

#[tokio::test]
async fn a_sub_agent_that_fails_is_a_bounded_text_and_the_run_goes_on() {
    let endless = ScriptedModel::answering(|_| {
        let mut reply = ModelReply::calls([say("", "again")]);
        reply.text = "x".repeat(10_000);
        Ok(reply)
    });
    let secret = "tools[3] payment_processor: bad schema";
    let broken = ScriptedModel::new([]).then_error(ModelError::new(ModelErrorKind::Rejected, secret));
    let searches = ScriptedModel::answering(|request| {
        Ok(ModelReply::calls([search("", &format!("w{}", request.messages.len()))]))
    });
    let types = [
        SubAgent::new("endless", "Never stops.").model(endless).limits(RunLimits::DEFAULT.turns(2)),
        SubAgent::new("broken", "Has no model.").model(broken),
        SubAgent::new("circling", "Only searches.").model(searches),
    ];
    let model = spawning(["endless", "broken", "circling"].map(|of| spawn(of, of, "Go")));
    let result = agent_with(&model, registry(), types).run("Go").await.unwrap();
    assert!(matches!(result.stop_reason, StopReason::Answered));
    let answers = results(&result.messages);
    let start =
        "endless: The sub-agent 'endless' ended without an answer: turn limit reached. It last said: xxx";
    assert!(answers[0].starts_with(start) && answers[0].len() < 2_100, "{}", answers[0]);
    assert_eq!(
        answers[1..],
        [
            "broken: The sub-agent 'broken' ended without an answer: its model could not be asked.",
            "circling: The sub-agent 'circling' ended without an answer: only searched.",
        ]
    );
    assert_eq!(statuses(&result.messages), [ResultStatus::Failed; 3]);
}

#[tokio::test]
async fn wrong_arguments_are_answered_in_words_and_start_nothing() {
    let sub = always_ok();
    let wrong = [
        (json!({ "type": "helpr", "task": "x" }), "No sub-agent is of type 'helpr'. There are: helper."),
        (json!({ "type": "helper" }), "missing argument `task`"),
        (json!({ "type": 7, "task": "x" }), "Invalid 'type': must be a string."),
        (json!({ "type": "helper", "task": " " }), "the `task` is empty"),
        (
            json!({ "type": "helper", "task": "x", "model": "big" }),
            "unknown argument `model`; expected `type` and `task`",
        ),
    ];
    let calls = wrong
        .iter()
        .enumerate()
        .map(|(id, (arguments, _))| call(&id.to_string(), "spawn", arguments.clone()));
    let model = spawning(calls);
    let agent = agent_with(&model, registry(), [SubAgent::new("helper", "Helps.").model(sub.clone())]);
    let told: Vec<_> = wrong.iter().enumerate().map(|(id, (_, told))| format!("{id}: {told}")).collect();
    assert_eq!(answers(&agent).await, told);
    assert!(sub.requests().is_empty());
}

#[tokio::test]
async fn outside_of_a_run_there_is_no_spawn() {
    let agent = agent_with(&always_ok(), registry(), [SubAgent::new("helper", "Helps.")]);
    let session = agent.registry().session();
    let turn = session.turn().await.unwrap();
    assert_eq!(crate::support::names(&turn), ["echo", "tool_search"]);
    let call = json!({ "type": "helper", "task": "x" });
    let error = session.call("spawn", call).await.unwrap_err();
    assert_eq!(error.to_string(), "tool 'spawn' is disabled for this session");
}
