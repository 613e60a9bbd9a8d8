//! A run of a sub-agent: its own session and groups, the host values of the one above, its text and usage to that.

use std::{
    future::{IntoFuture, pending},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::FutureExt;
use tokio::sync::Barrier;
use tool_core::{
    AgentEvent, ApprovalDecision, ApprovalFuture, ApprovalPolicy, ApprovalRequest, CancellationToken,
    RunOptions, StopReason, ToolError, ToolGroup, ToolPattern, Usage,
};

use super::*;

#[tokio::test]
async fn the_model_reads_the_last_text_and_nothing_else_comes_back() {
    let sub = search_and_charge();
    let model = spawning([spawn("1", "cashier", "Charge 12.50")]);
    let cashier = SubAgent::new("cashier", "Charges cards.").model(sub.clone()).instructions("Be exact.");
    let agent = agent_with(&model, registry(), [cashier]);
    let mut conversation = agent.conversation(agent.registry().session()).unwrap();
    let result = agent.continue_run(&mut conversation, "Charge").await.unwrap();

    assert_eq!(results(&result.messages), ["1: Charged."]);
    assert_eq!(result.messages.len(), 4);
    let asked = sub.requests();
    assert_eq!(
        asked[0].messages,
        [Message::System { text: "Be exact.".to_owned() }, Message::User { text: "Charge 12.50".to_owned() }],
        "nothing of the conversation above"
    );
    assert_eq!(tool_names(&asked[0]), ["echo", "tool_search"], "it starts with nothing revealed");
    assert_eq!(
        tool_names(&asked[1]),
        ["echo", "tool_search", "payment_processor"],
        "the next request has it"
    );
    assert_eq!(tool_names(&model.requests()[1]), ["echo", "spawn", "tool_search"], "revealed below only");
    assert!(conversation.session().revealed().is_empty());
    sub.finish().unwrap();
}

#[tokio::test]
async fn what_is_revealed_above_is_hidden_below() {
    let sub = calls_its_task();
    let model = ScriptedModel::new([
        ModelReply::calls([search("s", "credit card")]),
        ModelReply::calls([charge("c", 1), spawn("1", "helper", "payment_processor")]),
        ModelReply::text("Done."),
    ]);
    let agent = agent_with(&model, registry(), [SubAgent::new("helper", "Helps.").model(sub)]);
    let answers = answers(&agent).await;
    assert_eq!(answers[1], "c: charged 1");
    assert!(answers[2].starts_with("1: Tool 'payment_processor' is not in your current"), "{answers:?}");
}

#[tokio::test]
async fn spawn_is_an_eager_tool_whose_schema_lists_the_types() {
    let types =
        [SubAgent::new("reader", "Reads \"pages\"."), SubAgent::new("writer", "Writes pages.\nAsk it last.")];
    let model = ScriptedModel::new([ModelReply::text("Hi.")]);
    agent_with(&model, registry(), types).run("Hi").await.unwrap();

    let request = &model.requests()[0];
    assert_eq!(tool_names(request), ["echo", "spawn", "tool_search"]);
    let spawn: serde_json::Value = serde_json::from_str(&request.definitions[1]).unwrap();
    let properties = &spawn["inputSchema"]["properties"];
    assert_eq!(properties["type"]["enum"], json!(["reader", "writer"]));
    assert_eq!(
        properties["type"]["description"],
        "Who does it.\n- reader: Reads \"pages\".\n- writer: Writes pages.\nAsk it last."
    );
    assert_eq!(spawn["inputSchema"]["required"], json!(["type", "task"]));
}

#[tokio::test]
async fn sub_agents_of_one_reply_run_side_by_side() {
    let barrier = Arc::new(Barrier::new(3));
    let meet =
        FunctionTool::builder("meet", "Waits for the others.").handler(move |(): (), _: ToolContext| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                "met"
            }
        });
    let model = spawning(["1", "2", "3"].map(|id| spawn(id, "helper", "meet")));
    let registry = Registry::builder().tool(meet).build().unwrap();
    let agent = agent_with(&model, registry, [SubAgent::new("helper", "Helps.").model(calls_its_task())]);
    // One after the other, none would ever pass the barrier.
    assert_eq!(answers(&agent).await, ["1: met", "2: met", "3: met"]);
}

#[tokio::test]
async fn usage_of_all_levels_is_in_the_result_and_that_of_a_lost_run_too() {
    let usage = |tokens| Usage::new(tokens, 1);
    let model = ScriptedModel::new([
        ModelReply::calls([spawn("1", "middle", "m"), spawn("2", "broken", "b")]).with_usage(usage(1_000)),
        ModelReply::text("Done.").with_usage(usage(2_000)),
    ]);
    let middle = ScriptedModel::new([
        ModelReply::calls([spawn("1", "leaf", "l")]).with_usage(usage(100)),
        ModelReply::text("m").with_usage(usage(200)),
    ]);
    let leaf = ScriptedModel::new([ModelReply::text("l").with_usage(usage(10))]);
    let broken = ScriptedModel::new([ModelReply::calls([say("1", "hi")]).with_usage(usage(1))]);
    let types = [
        SubAgent::new("middle", "Delegates.").model(middle).spawns(["leaf"]),
        SubAgent::new("leaf", "Works.").model(leaf),
        SubAgent::new("broken", "Fails in its second request.").model(broken),
    ];
    let result = agent_with(&model, registry(), types).run("Go").await.unwrap();
    assert_eq!(result.usage, Usage::new(3_311, 6));
}

#[tokio::test]
async fn host_values_are_inherited_and_a_registry_of_its_own_keeps_its_own() {
    #[derive(Debug)]
    struct Tenant(&'static str);
    #[derive(Debug)]
    struct Shop(&'static str);
    let look = || {
        FunctionTool::builder("look", "Tells who and where.").handler(
            |(): (), context: ToolContext| async move {
                let (tenant, shop) = (context.get::<Tenant>().unwrap(), context.get::<Shop>().unwrap());
                format!("{} in {}", tenant.0, shop.0)
            },
        )
    };
    let registry =
        Registry::builder().tool(look()).state(Shop("Oslo")).session_state::<Tenant>().build().unwrap();
    let own = Registry::builder().tool(look()).state(Shop("Rome")).session_state::<Tenant>().build().unwrap();
    let bare = Registry::builder().tool(look()).build().unwrap();
    let types = [
        SubAgent::new("same", "As the agent.").model(calls_its_task()),
        SubAgent::new("own", "With a shop of its own.").model(calls_its_task()).registry(own),
        SubAgent::new("bare", "With no value of its own.").model(calls_its_task()).registry(bare),
    ];
    let model = spawning(["same", "own", "bare"].map(|of| spawn(of, of, "look")));
    let agent = agent_with(&model, registry, types);
    let session = agent.registry().session().with(Tenant("Ada"));
    let mut conversation = agent.conversation(session).unwrap();
    let result = agent.continue_run(&mut conversation, "Go").await.unwrap();
    assert_eq!(results(&result.messages), ["same: Ada in Oslo", "own: Ada in Rome", "bare: Ada in Oslo"]);
}

#[tokio::test]
async fn cancellation_goes_down() {
    struct CountDrop(Arc<AtomicUsize>);
    impl Drop for CountDrop {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let dropped = Arc::new(AtomicUsize::new(0));
    let seen: Arc<Mutex<Vec<CancellationToken>>> = Arc::default();
    let stuck = FunctionTool::builder("stuck", "Never ends.").handler({
        let (dropped, seen) = (Arc::clone(&dropped), Arc::clone(&seen));
        move |(): (), context: ToolContext| {
            let guard = CountDrop(Arc::clone(&dropped));
            seen.lock().unwrap().push(context.cancellation().clone());
            async move {
                let _guard = guard;
                pending::<()>().await;
            }
        }
    });
    let registry = Registry::builder().tool(stuck).build().unwrap();
    let waits = ScriptedModel::new([]).then_never();
    let types = [
        SubAgent::new("calls", "Calls.").model(calls_its_task()),
        SubAgent::new("asks", "Waits for its model.").model(waits.clone()),
    ];
    let model = spawning([spawn("1", "calls", "stuck"), spawn("2", "asks", "anything")]);
    let agent = agent_with(&model, registry, types);
    let token = CancellationToken::new();
    let mut run = agent.run("Go").options(RunOptions::new().cancellation(token.clone())).into_future();
    assert!((&mut run).now_or_never().is_none(), "it waits for both");
    assert_eq!((dropped.load(Ordering::SeqCst), waits.requests().len()), (0, 1));
    token.cancel();

    let result = run.now_or_never().expect("it ends at once").unwrap();
    assert!(matches!(result.stop_reason, StopReason::Cancelled));
    assert_eq!(results(&result.messages), ["1: cancelled", "2: cancelled"]);
    assert_eq!(dropped.load(Ordering::SeqCst), 1, "the tool's future is gone");
    assert!(seen.lock().unwrap()[0].is_cancelled());
}

#[tokio::test]
async fn three_sub_agents_build_their_group_three_times_and_the_agent_never() {
    let builds = Arc::new(AtomicUsize::new(0));
    let group = ToolGroup::lazy("web", "Reads pages.", {
        let builds = Arc::clone(&builds);
        move |_: ToolContext| {
            builds.fetch_add(1, Ordering::SeqCst);
            async { Ok::<_, ToolError>([crate::support::eager("read_page")]) }
        }
    });
    let sub = ScriptedModel::answering(|request| {
        Ok(match request.messages.len() {
            1 => ModelReply::calls([call("l", "load_tools", json!({ "name": "web" }))]),
            3 => ModelReply::calls([call("r", "read_page", json!({}))]),
            _ => ModelReply::text(last_text(request)),
        })
    });
    let model = spawning(["1", "2", "3"].map(|id| spawn(id, "reader", "Read.")));
    let reader = SubAgent::new("reader", "Reads pages.").model(sub.clone()).group(group);
    let agent = agent_with(&model, registry(), [reader]);
    assert_eq!(answers(&agent).await, ["1: read_page ran", "2: read_page ran", "3: read_page ran"]);
    assert_eq!(builds.load(Ordering::SeqCst), 3);
    assert_eq!(tool_names(&model.requests()[1]), ["echo", "spawn", "tool_search"], "the agent has no groups");
    assert_eq!(tool_names(&sub.requests()[0]), ["echo", "available_tools", "load_tools", "tool_search"]);
}

#[tokio::test]
async fn an_empty_answer_while_tools_are_hidden_is_an_error_that_the_model_reads() {
    let sub = ScriptedModel::new([ModelReply::text(" ")]);
    let model = spawning([spawn("1", "helper", "Help.")]);
    let agent = agent_with(&model, registry(), [SubAgent::new("helper", "Helps.").model(sub)]);
    let result = agent.run("Go").await.unwrap();
    assert_eq!(
        results(&result.messages),
        ["1: The sub-agent 'helper' ended without an answer: it said nothing."]
    );
    assert_eq!(statuses(&result.messages), [ResultStatus::Failed]);
}

#[tokio::test]
async fn a_call_that_would_wait_for_a_person_is_denied_inside_and_waits_outside() {
    struct AskSomebody;
    impl ApprovalPolicy for AskSomebody {
        fn decide<'a>(&'a self, _: &'a ApprovalRequest, _: &'a ToolContext) -> ApprovalFuture<'a> {
            Box::pin(async { ApprovalDecision::Suspend })
        }
    }
    let runs = Runs::default();
    let registry = Registry::builder()
        .tool(runs.tool(builder("pay", "Pays.").requires_approval()))
        .tool(echo())
        .approval(AskSomebody)
        .require_approval([ToolPattern::new("spawn").unwrap()])
        .build()
        .unwrap();
    let helper = SubAgent::new("helper", "Helps.").model(calls_its_task());
    let model = spawning([spawn("1", "helper", "pay"), say("2", "hi")]);
    let agent = agent_with(&model, registry, [helper]);
    let result = agent.run("Go").await.unwrap();
    let StopReason::AwaitingApproval(requests) = &result.stop_reason else {
        panic!("{:?}", result.stop_reason)
    };
    assert_eq!((requests.len(), requests[0].tool.as_str()), (1, "spawn"));
    let mut conversation = result.conversation.unwrap();
    conversation.session().decide("1", ApprovalDecision::AllowOnce).await.unwrap();

    let result = agent.resume(&mut conversation).await.unwrap();
    assert_eq!(
        results(&result.messages),
        ["1: Tool 'pay' was not approved: needs a person", "2: hi"],
        "the spawn itself was decided by the host"
    );
    assert!(runs.all().is_empty());
}

#[tokio::test]
async fn a_sink_sees_the_events_of_sub_agents_with_their_type_and_level() {
    fn line(event: &AgentEvent) -> String {
        match event {
            AgentEvent::SubAgent { name, call_id, event } => format!("{name}({call_id}) > {}", line(event)),
            AgentEvent::TurnStarted { turn, .. } => format!("turn {turn}"),
            AgentEvent::Finished(result) => format!("{} {:?}", result.stop_reason, result.text),
            AgentEvent::ModelReplied { .. } => "reply".to_owned(),
            AgentEvent::CallEnded { result, .. } => format!("ends {}", result.call_id),
            _ => "?".to_owned(),
        }
    }
    let types = [
        SubAgent::new("middle", "Delegates.")
            .model(ScriptedModel::new([ModelReply::calls([spawn("b", "leaf", "l")]), ModelReply::text("m")]))
            .spawns(["leaf"]),
        SubAgent::new("leaf", "Works.").model(ScriptedModel::new([ModelReply::text("l")])),
    ];
    let agent = agent_with(&spawning([spawn("a", "middle", "m")]), registry(), types);
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let options = RunOptions::new().on_event({
        let seen = Arc::clone(&seen);
        move |event| seen.lock().unwrap().push(line(event))
    });
    agent.run("Go").options(options).await.unwrap();
    assert_eq!(
        *seen.lock().unwrap(),
        [
            "turn 1",
            "reply",
            "middle(a) > turn 1",
            "middle(a) > reply",
            "middle(a) > leaf(b) > turn 1",
            "middle(a) > leaf(b) > reply",
            "middle(a) > leaf(b) > answered \"l\"",
            "middle(a) > ends b",
            "middle(a) > turn 2",
            "middle(a) > reply",
            "middle(a) > answered \"m\"",
            "ends a",
            "turn 2",
            "reply",
            "answered \"Done.\"",
        ]
    );
}

#[tokio::test]
async fn two_hundred_runs_with_sub_agents_do_not_touch_each_other() {
    let model = ScriptedModel::answering(|request| {
        Ok(match request.messages.last() {
            Some(Message::User { text }) => ModelReply::calls([spawn("1", "helper", text)]),
            _ => ModelReply::text(last_text(request)),
        })
    });
    let sub = ScriptedModel::answering(|request| {
        Ok(match request.messages.last() {
            Some(Message::User { text }) => ModelReply::calls([say("e", text)]),
            _ => ModelReply::text(format!("heard {}", last_text(request))).with_usage(Usage::new(1, 1)),
        })
    });
    let agent = agent_with(&model, registry(), [SubAgent::new("helper", "Helps.").model(sub)]);
    let runs = (0..200).map(|number| {
        let agent = agent.clone();
        tokio::spawn(async move { agent.run(number.to_string()).await.unwrap() })
    });
    for (number, run) in runs.collect::<Vec<_>>().into_iter().enumerate() {
        let result = run.await.unwrap();
        assert_eq!((result.text, result.usage), (format!("heard {number}"), Usage::new(1, 1)));
    }
}
