//! The hook that trims messages before a request.

use tool_core::RunOptions;

use super::*;

fn keep_last(count: usize) -> RunOptions {
    RunOptions::new()
        .before_request(move |messages| drop(messages.drain(..messages.len().saturating_sub(count))))
}

#[tokio::test]
async fn trimming_is_for_the_request_alone_and_instructions_and_reveals_stay() {
    let model = search_and_charge();
    let agent = Agent::builder(model.clone()).registry(registry()).instructions("Be brief.").build().unwrap();
    let mut conversation = agent.conversation(agent.registry().session()).unwrap();
    let result = agent.continue_run(&mut conversation, "Charge").options(keep_last(2)).await.unwrap();

    assert_eq!(result.messages.len(), 6, "input, two calls with results, answer");
    assert_eq!(conversation.messages().len(), 7, "and the instructions");
    let requests = model.requests();
    for request in &requests {
        assert_eq!(request.messages[0], Message::System { text: "Be brief.".to_owned() });
        assert_acceptable(&request.messages);
    }
    assert_eq!(requests[2].messages.len(), 3, "instructions, the last call and its result");
    assert!(tool_names(&requests[2]).contains(&"payment_processor"), "the search is gone, the reveal is not");
    assert_eq!(requests[2].definitions, requests[1].definitions);
}

#[tokio::test]
async fn a_hook_that_tears_calls_from_results_still_leaves_pairs() {
    let model = ScriptedModel::new([
        ModelReply::calls([say("1", "a"), say("2", "b")]),
        ModelReply::calls([say("3", "c")]),
        ModelReply::text("done"),
    ]);
    let result = agent(&model).run("Hi").options(keep_last(1)).await.unwrap();
    assert_eq!(results(&result.messages), ["1: a", "2: b", "3: c"]);
    for request in model.requests() {
        assert_acceptable(&request.messages);
    }

    let model =
        ScriptedModel::new([ModelReply::calls([say("1", "a"), say("2", "b")]), ModelReply::text("done")]);
    let drop_results = RunOptions::new().before_request(|messages| {
        messages.retain(|message| !matches!(message, Message::Tool { call_id, .. } if call_id == "1"));
    });
    agent(&model).run("Hi").options(drop_results).await.unwrap();
    assert_eq!(results(&model.requests()[1].messages), ["2: b", "1: removed"]);
}

#[tokio::test]
async fn without_a_hook_all_messages_are_sent_as_they_are() {
    let model = search_and_charge();
    let result = agent(&model).run("Charge").await.unwrap();
    let requests = model.requests();
    assert_eq!(requests[2].messages[..], result.messages[..5]);
}
