//! How a call fails: errors, panics, time-outs, cancellation.

use super::*;

suite! {
    a_panic_is_a_result
    a_time_out_is_a_result
    a_tool_that_is_in_time_is_not_cut_off
    without_a_time_out_a_tool_may_take_a_day
    a_timed_out_call_is_cancelled
    an_error_keeps_its_two_texts
    an_error_is_one_line_and_cut
    dropping_the_batch_cancels
}

async fn a_panic_is_a_result(way: Way) {
    let before_awaiting =
        subject().handler(|(): (), _: ToolContext| -> std::future::Ready<()> { panic!("boom") });
    let while_running = subject().handler(async |(): (), _: ToolContext| -> () { panic!("b{}", "oom") });
    let blocking = subject().blocking(|(): (), _: ToolContext| -> () { panic!("boom") });
    for tool in [before_awaiting, while_running, blocking] {
        let result = call(tool, way, "{}").await;
        assert_eq!(result.text(), "The tool failed unexpectedly.");
        assert_eq!(failure(&result).kind(), ToolErrorKind::Panicked);
        assert!(failure(&result).to_string().contains("boom"), "{:?}", failure(&result));
    }
}

async fn a_time_out_is_a_result(way: Way) {
    let tool = subject()
        .timeout(Duration::from_secs(30))
        .handler(|(): (), _: ToolContext| std::future::pending::<()>());
    let started = tokio::time::Instant::now();
    let result = call(tool, way, "{}").await;
    assert_eq!(result.text(), "the tool did not answer within 30s");
    assert_eq!(failure(&result).kind(), ToolErrorKind::TimedOut);
    let waited = started.elapsed();
    assert!(waited >= Duration::from_secs(30) && waited < Duration::from_secs(31), "{waited:?}");
}

async fn a_tool_that_is_in_time_is_not_cut_off(way: Way) {
    let tool = subject().timeout(Duration::from_secs(30)).handler(async |(): (), context: ToolContext| {
        tokio::time::sleep(Duration::from_secs(29)).await;
        assert!(context.deadline().is_some());
        "in time"
    });
    assert_eq!(call(tool, way, "{}").await.text(), "in time");
}

async fn without_a_time_out_a_tool_may_take_a_day(way: Way) {
    let tool = subject().handler(async |(): (), context: ToolContext| {
        tokio::time::sleep(Duration::from_secs(86_400)).await;
        assert!(context.deadline().is_none());
        "done"
    });
    assert_eq!(call(tool, way, "{}").await.text(), "done");
}

async fn a_timed_out_call_is_cancelled(way: Way) {
    let token = Arc::new(Mutex::new(None));
    let tool = {
        let token = Arc::clone(&token);
        subject().timeout(Duration::from_secs(1)).handler(move |(): (), context: ToolContext| {
            *token.lock().unwrap() = Some(context.cancellation().clone());
            std::future::pending::<()>()
        })
    };
    call(tool, way, "{}").await;
    assert!(token.lock().unwrap().take().unwrap().is_cancelled());
}

async fn an_error_keeps_its_two_texts(way: Way) {
    let tool = subject().handler(async |(): (), _: ToolContext| {
        Err::<(), _>(ToolError::new("10.0.0.7 refused").for_model("Not reachable."))
    });
    let result = call(tool, way, "{}").await;
    assert_eq!(result.text(), "Not reachable.");
    assert_eq!(failure(&result).to_string(), "10.0.0.7 refused");
    assert_eq!(failure(&result).kind(), ToolErrorKind::Failed);
    assert!(!result.succeeded() && !result.refused());
}

async fn an_error_is_one_line_and_cut(way: Way) {
    let tool = subject().handler(async |(): (), _: ToolContext| {
        Err::<(), _>(format!("two\nlines \u{1b}[31m{}", "x".repeat(9_000)))
    });
    let result = call(tool, way, "{}").await;
    let text = result.text();
    assert!(text.starts_with("two lines xxx") && text.ends_with('…') && text.len() <= 2_000, "{text}");
}

async fn dropping_the_batch_cancels(way: Way) {
    let token = Arc::new(Mutex::new(None));
    let tool = {
        let token = Arc::clone(&token);
        subject().handler(move |(): (), context: ToolContext| {
            *token.lock().unwrap() = Some(context.cancellation().clone());
            std::future::pending::<()>()
        })
    };
    let turn = listed(way.registry([tool]), way).await;
    let mut batch = Box::pin(turn.call_all([ToolCall::new("1", NAME, "{}")]));
    assert!(poll_once(&mut batch).await.is_none());
    let token = token.lock().unwrap().take().unwrap();
    assert!(!token.is_cancelled());
    drop(batch);
    assert!(token.is_cancelled());
}
