//! What holds of a run holds through every entry point: awaited, streamed, continued, resumed.

use tool_core::{RunLimits, RunOptions, StopReason, TurnStop};

use super::*;

#[tokio::test]
async fn what_a_search_finds_is_in_the_next_request_and_runs() {
    for entry in ENTRIES {
        let model = search_and_charge();
        let result = entry.run(&agent(&model), "Charge 12.50").await;

        assert!(matches!(result.stop_reason, StopReason::Answered), "{entry:?}");
        assert_eq!(results(&result.messages)[1], "c: charged 1250", "{entry:?}");
        let requests = model.requests();
        assert_eq!(tool_names(&requests[0]), ["echo", "tool_search"], "{entry:?}");
        let hidden =
            serde_json::to_string(&requests[0].messages).unwrap() + &requests[0].definitions.concat();
        assert!(!hidden.contains("payment_processor"), "{entry:?}: {hidden}");
        assert_eq!(tool_names(&requests[1]), ["echo", "tool_search", "payment_processor"], "{entry:?}");
        assert_eq!(requests[2].definitions, requests[1].definitions, "{entry:?}");
        model.finish().unwrap();
    }
}

#[tokio::test]
async fn an_empty_answer_is_told_apart_while_tools_are_hidden() {
    for entry in ENTRIES {
        for blank in ["", " \n"] {
            let model = ScriptedModel::new([ModelReply::text(blank)]);
            let result = entry.run(&agent(&model), "Hi").await;
            assert!(matches!(result.stop_reason, StopReason::EmptyAnswer), "{entry:?} {blank:?}");
            assert_acceptable(&result.messages);
        }

        let model =
            ScriptedModel::new([ModelReply::calls([search("s", "credit card")]), ModelReply::text("")]);
        let result = entry.run(&agent(&model), "Hi").await;
        assert!(matches!(result.stop_reason, StopReason::Answered), "{entry:?}: nothing was hidden any more");
    }
}

#[tokio::test]
async fn the_conversation_that_a_run_opened_comes_back_and_no_other() {
    for entry in ENTRIES {
        let result = entry.run(&agent(&always_ok()), "Hi").await;
        assert_eq!(result.conversation.is_some(), matches!(entry, Entry::Run | Entry::Stream), "{entry:?}");
    }
}

#[tokio::test]
async fn a_conversation_that_stopped_goes_on_where_it_stands() {
    let model = ScriptedModel::new([
        ModelReply::calls([search("s", "credit card")]),
        ModelReply::calls([charge("c", 5)]),
        ModelReply::text("Done."),
    ]);
    let agent = agent(&model);
    let one_turn = || RunOptions::new().limits(RunLimits::DEFAULT.turns(1));
    let mut conversation = agent.run("Charge").options(one_turn()).await.unwrap().conversation.unwrap();
    let result = last(agent.resume(&mut conversation).options(one_turn()).stream()).await;
    assert!(matches!(result.stop_reason, StopReason::TurnLimit));
    assert_eq!(results(&result.messages), ["c: charged 5"], "revealed in the run before");
    assert_eq!(agent.resume(&mut conversation).await.unwrap().text, "Done.");
}

#[tokio::test]
async fn stop_reasons_read_well() {
    let read = [
        (StopReason::NoProgress(TurnStop::Refused), "every call was refused"),
        (StopReason::NoProgress(TurnStop::Searching), "only searched"),
        (StopReason::EmptyAnswer, "empty answer while tools were hidden"),
    ];
    for (reason, text) in read {
        assert_eq!(reason.to_string(), text);
    }
}
