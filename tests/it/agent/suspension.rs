//! Agents whose calls wait for the host: the conversation is handed on, decided about, and goes on, in any process.

use std::future::IntoFuture;

use futures_util::{FutureExt, StreamExt};
use tool_core::{
    AgentEvent, ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, CancellationToken,
    Conversation, RunError, RunOptions, Session, SessionSnapshot, StopReason, ToolOutput, TurnError,
};

use super::*;
use crate::support::{Gates, Runs};

const ALLOW: ApprovalDecision = ApprovalDecision::AllowOnce;

struct AskSomebody;

impl ApprovalPolicy for AskSomebody {
    fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
        Box::pin(async { ApprovalDecision::Suspend })
    }
}

/// Pays an amount once the gate of that amount is open, and counts.
fn pay(runs: &Runs, gates: &Gates) -> FunctionTool {
    let (runs, gates) = (runs.clone(), gates.clone());
    FunctionTool::builder("pay", "Pays an amount.").requires_approval().handler(
        move |args: PaymentArgs, _: ToolContext| {
            let (runs, gates) = (runs.clone(), gates.clone());
            async move {
                runs.add(args.amount_cents.to_string());
                if args.amount_cents > 1_000 {
                    gates.pass("pay").await;
                }
                format!("paid {}", args.amount_cents)
            }
        },
    )
}

fn registry(runs: &Runs) -> Registry {
    let gates = Gates::default();
    Registry::builder().tool(echo()).tool(pay(runs, &gates)).approval(AskSomebody).build().unwrap()
}

fn agent(runs: &Runs, model: &ScriptedModel) -> Agent {
    Agent::builder(model.clone()).registry(registry(runs)).instructions("Be brief.").build().unwrap()
}

fn paying(id: &str, amount_cents: u64) -> ToolCall {
    call(id, "pay", json!({ "amount_cents": amount_cents }))
}

/// Pays twice beside an echo, then says what it read.
fn model() -> ScriptedModel {
    ScriptedModel::new([ModelReply::calls([paying("a", 1), say("e", "hi"), paying("b", 2)])])
        .then(ModelReply::text("Done."))
}

fn waiting(result: &RunResult) -> Vec<&str> {
    match &result.stop_reason {
        StopReason::AwaitingApproval(requests) => requests.iter().map(|it| it.call_id.as_str()).collect(),
        other => panic!("not suspended: {other:?}"),
    }
}

async fn decide(session: &Session, call_id: &str, decision: ApprovalDecision) {
    session.decide(call_id, decision).await.unwrap();
}

async fn suspended(agent: &Agent) -> Conversation {
    let result = agent.run("Pay").await.unwrap();
    assert_eq!(waiting(&result), ["a", "b"]);
    result.conversation.unwrap()
}

const ALL_PAID: [&str; 3] = ["a: paid 1", "e: hi", "b: paid 2"];

#[tokio::test]
async fn a_suspended_run_hands_its_conversation_on_and_resume_answers_in_call_order() {
    let (runs, model) = (Runs::default(), model());
    let agent = agent(&runs, &model);
    let mut conversation = suspended(&agent).await;
    decide(conversation.session(), "b", ALLOW).await;
    decide(conversation.session(), "a", ALLOW).await;

    let result = agent.resume(&mut conversation).await.unwrap();
    assert_eq!((result.text.as_str(), result.turns), ("Done.", 1));
    assert_eq!(results(&result.messages), ALL_PAID, "all that this run added");
    assert_eq!(result.messages.len(), 4);
    assert_acceptable(conversation.messages());
    assert_eq!(runs.all(), ["1", "2"], "once each");
    let asked = &model.requests()[1].messages;
    assert_eq!(results(asked), ALL_PAID);
    assert!(asked.starts_with(&[Message::System { text: "Be brief.".to_owned() }]));
    model.finish().unwrap();
}

#[tokio::test]
async fn every_way_of_running_leaves_a_conversation_that_can_be_resumed() {
    for streamed in [false, true] {
        for own in [false, true] {
            let (runs, model) = (Runs::default(), model());
            let agent = agent(&runs, &model);
            let mut hosts = agent.conversation(agent.registry().session()).unwrap();
            let result = {
                let run = if own { agent.run("Pay") } else { agent.continue_run(&mut hosts, "Pay") };
                if streamed { last(run.stream()).await } else { run.await.unwrap() }
            };
            assert_eq!(waiting(&result), ["a", "b"]);
            assert_eq!(result.conversation.is_some(), own, "a borrowed one is with the host");
            let mut conversation = result.conversation.unwrap_or(hosts);
            for id in ["a", "b"] {
                decide(conversation.session(), id, ALLOW).await;
            }
            let resume = agent.resume(&mut conversation);
            let result = if streamed { last(resume.stream()).await } else { resume.await.unwrap() };
            assert_eq!(results(&result.messages), ALL_PAID, "streamed {streamed}, own {own}");
            assert_eq!(result.text, "Done.");
        }
    }
}

#[tokio::test]
async fn with_calls_left_to_decide_the_others_run_and_it_stops_again() {
    let (runs, model) = (Runs::default(), model());
    let agent = agent(&runs, &model);
    let mut conversation = suspended(&agent).await;
    assert_eq!(waiting(&agent.resume(&mut conversation).await.unwrap()), ["a", "b"], "nothing is decided");

    decide(conversation.session(), "b", ALLOW).await;
    let result = agent.resume(&mut conversation).await.unwrap();
    assert_eq!((waiting(&result), result.turns), (vec!["a"], 0));
    assert_eq!(runs.all(), ["2"]);
    assert_eq!(model.requests().len(), 1, "the model waits for the whole batch");

    decide(conversation.session(), "a", ApprovalDecision::deny("too much")).await;
    let result = agent.resume(&mut conversation).await.unwrap();
    assert_eq!(results(&result.messages), ["a: Tool 'pay' was not approved: too much", "e: hi", "b: paid 2"]);
    assert_eq!(runs.all(), ["2"]);
    assert_acceptable(conversation.messages());
}

#[tokio::test]
async fn input_before_the_decisions_is_an_error_that_names_the_calls_and_changes_nothing() {
    let (runs, model) = (Runs::default(), model());
    let agent = agent(&runs, &model);
    let mut conversation = suspended(&agent).await;
    decide(conversation.session(), "a", ALLOW).await;
    let before = conversation.messages().to_vec();

    let error = agent.continue_run(&mut conversation, "Hurry!").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "calls wait for a decision: `b` of pay; call `session.decide` for each, then `agent.resume`"
    );
    assert!(matches!(error, RunError::Undecided { requests } if requests.len() == 1));
    assert_eq!(conversation.messages(), before);
    assert!(runs.all().is_empty(), "not the decided one either");

    decide(conversation.session(), "b", ALLOW).await;
    let result = agent.continue_run(&mut conversation, "Hurry!").await.unwrap();
    assert_eq!(results(&result.messages), ALL_PAID, "they run first");
    assert_eq!(result.messages[3], Message::User { text: "Hurry!".to_owned() });
    assert_acceptable(conversation.messages());
}

#[tokio::test]
async fn what_the_host_itself_finished_is_in_the_messages_and_not_cancelled() {
    for input in [None, Some("And now?")] {
        let (runs, model) = (Runs::default(), model());
        let agent = agent(&runs, &model);
        let mut conversation = suspended(&agent).await;
        for id in ["a", "b"] {
            decide(conversation.session(), id, ALLOW).await;
        }
        assert_eq!(conversation.session().finish().await.unwrap().into_results().len(), 3);

        let result = match input {
            None => agent.resume(&mut conversation).await.unwrap(),
            Some(input) => agent.continue_run(&mut conversation, input).await.unwrap(),
        };
        assert_eq!(results(&result.messages), ALL_PAID, "{input:?}");
        assert_eq!(runs.all(), ["1", "2"], "once each");
        assert_acceptable(conversation.messages());
        agent.resume(&mut conversation).await.unwrap();
        assert_eq!(results(conversation.messages()), ALL_PAID, "taken once");
    }
}

#[tokio::test]
async fn another_process_decides_and_goes_on() {
    let runs = Runs::default();
    let (messages, snapshot) = {
        let conversation = suspended(&agent(&runs, &model())).await;
        (
            serde_json::to_string(conversation.messages()).unwrap(),
            serde_json::to_string(&conversation.session().snapshot()).unwrap(),
        )
    };

    let model = ScriptedModel::new([ModelReply::text("Done.")]);
    let agent = agent(&runs, &model);
    let snapshot: SessionSnapshot = serde_json::from_str(&snapshot).unwrap();
    let (session, report) = agent.registry().resume(snapshot).await.unwrap();
    assert!(report.is_complete());
    let messages: Vec<Message> = serde_json::from_str(&messages).unwrap();
    let mut conversation = agent.conversation(session).unwrap().with_messages(messages);
    let undecided: Vec<_> =
        conversation.session().undecided().into_iter().map(|request| request.call_id).collect();
    assert_eq!(undecided, ["a", "b"]);
    decide(conversation.session(), "a", ALLOW).await;
    decide(conversation.session(), "b", ApprovalDecision::Answer(ToolOutput::text("paid by hand"))).await;

    let result = agent.resume(&mut conversation).await.unwrap();
    assert_eq!(results(&result.messages), ["a: paid 1", "e: hi", "b: paid by hand"]);
    assert_eq!(runs.all(), ["1"]);
    assert_acceptable(conversation.messages());
    model.finish().unwrap();
}

#[tokio::test]
async fn a_stream_tells_the_results_of_the_batch_before_the_first_turn() {
    let agent = agent(&Runs::default(), &model());
    let mut conversation = suspended(&agent).await;
    for id in ["a", "b"] {
        decide(conversation.session(), id, ALLOW).await;
    }
    let events = agent.resume(&mut conversation).stream().filter_map(async |event| match event.unwrap() {
        AgentEvent::TurnStarted { turn, .. } => Some(format!("turn {turn}")),
        AgentEvent::CallEnded { turn, result } => Some(format!("{turn} ends {}", result.call_id)),
        _ => None,
    });
    assert_eq!(events.collect::<Vec<_>>().await, ["0 ends a", "0 ends e", "0 ends b", "turn 1"]);
}

#[tokio::test]
async fn two_calls_with_one_id_are_both_answered_after_the_decision() {
    let calls = [say("", "hi"), paying("a", 1), say("a", "again")];
    let model = ScriptedModel::new([ModelReply::calls(calls), ModelReply::text("Done.")]);
    let agent = agent(&Runs::default(), &model);
    let result = agent.run("Pay").await.unwrap();
    let mut conversation = result.conversation.unwrap();
    decide(conversation.session(), "a", ALLOW).await;
    let result = agent.resume(&mut conversation).await.unwrap();
    let texts: Vec<_> = results(&result.messages);
    assert_eq!(texts.len(), 3);
    assert!(texts[1].ends_with("paid 1") && texts[2].ends_with("duplicate call id"), "{texts:?}");
    assert_acceptable(conversation.messages());
}

#[tokio::test]
async fn a_missing_host_value_is_told_before_an_approved_call_runs() {
    struct Tenant;
    let runs = Runs::default();
    let registry = Registry::builder()
        .tool(echo())
        .tool(pay(&runs, &Gates::default()))
        .approval(AskSomebody)
        .session_state::<Tenant>()
        .build()
        .unwrap();
    let agent = Agent::builder(model()).registry(registry.clone()).build().unwrap();
    let mut first = agent.conversation(registry.session().with(Tenant)).unwrap();
    agent.continue_run(&mut first, "Pay").await.unwrap();
    let (session, _) = registry.resume(first.session().snapshot()).await.unwrap();
    let mut conversation = agent.conversation(session).unwrap().with_messages(first.messages().to_vec());
    for id in ["a", "b"] {
        decide(conversation.session(), id, ALLOW).await;
    }
    let error = agent.resume(&mut conversation).await.unwrap_err();
    assert!(matches!(error, RunError::Turn(TurnError::MissingHostValue { .. })), "{error}");
    assert!(runs.all().is_empty());
}

#[tokio::test]
async fn a_cancelled_or_dropped_resume_leaves_the_calls_to_the_host() {
    for dropped in [false, true] {
        let runs = Runs::default();
        let model = ScriptedModel::new([ModelReply::calls([paying("slow", 5_000), say("e", "hi")])])
            .then(ModelReply::text("Done."));
        let agent = agent(&runs, &model);
        let mut conversation = agent.run("Pay").await.unwrap().conversation.unwrap();
        decide(conversation.session(), "slow", ALLOW).await;

        let token = CancellationToken::new();
        let options = RunOptions::new().cancellation(token.clone());
        let mut run = agent.resume(&mut conversation).options(options).into_future();
        assert!((&mut run).now_or_never().is_none(), "it pays");
        if dropped {
            drop(run);
        } else {
            token.cancel();
            let result = run.now_or_never().expect("it ends at once").unwrap();
            assert!(matches!(result.stop_reason, StopReason::Cancelled));
        }

        assert_eq!(runs.all(), ["5000"]);
        let error = agent.continue_run(&mut conversation, "And?").await.unwrap_err();
        assert!(
            matches!(error, RunError::Undecided { .. }),
            "whether it was paid is the host's to say: {error}"
        );
        decide(conversation.session(), "slow", ApprovalDecision::Answer(ToolOutput::text("paid 5000"))).await;
        let result = agent.continue_run(&mut conversation, "And?").await.unwrap();
        assert_eq!(results(&result.messages), ["slow: paid 5000", "e: hi"]);
        assert_eq!(runs.all(), ["5000"], "at most once");
        assert_acceptable(conversation.messages());
    }
}

#[tokio::test]
async fn a_run_that_ended_hands_its_conversation_on_too() {
    let model = ScriptedModel::new([ModelReply::text("Hello!"), ModelReply::text("Still here.")]);
    let agent = agent(&Runs::default(), &model);
    let mut conversation = agent.run("Hi").await.unwrap().conversation.unwrap();
    assert_eq!(agent.continue_run(&mut conversation, "And now?").await.unwrap().text, "Still here.");
    assert_eq!(conversation.messages().len(), 5, "instructions, two inputs, two answers");
}
