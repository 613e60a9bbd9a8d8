//! Calls from inside of tools: how deep they may be in each other.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tool_core::{FunctionTool, Registry, ToolContext, ToolError};

use crate::support::{Runs, builder, call, text};

/// Calls itself through its context, and counts how often it ran.
fn circle(ran: &Arc<AtomicUsize>) -> FunctionTool {
    let ran = Arc::clone(ran);
    builder("circle", "Calls itself.").handler(move |(): (), context: ToolContext| {
        let ran = Arc::clone(&ran);
        async move {
            ran.fetch_add(1, Ordering::SeqCst);
            context.call("circle", "{}").await
        }
    })
}

const TOO_DEEP: &str = "Tool 'circle' was not called: calls from inside of tools are 16 deep already.";

#[tokio::test]
async fn a_tool_that_calls_itself_gets_an_error_at_a_bounded_depth() {
    let ran = Arc::default();
    let session = Registry::builder().tool(circle(&ran)).build().unwrap().session();
    let turn = session.turn().await.unwrap();
    assert_eq!(text(&turn, call("1", "circle")).await, TOO_DEEP);
    assert_eq!(ran.load(Ordering::SeqCst), 17);
}

#[tokio::test]
async fn a_call_of_the_host_is_bounded_too() {
    let ran = Arc::default();
    let session = Registry::builder().tool(circle(&ran)).build().unwrap().session();
    let error = session.call("circle", "{}").await.unwrap_err();
    assert_eq!(error.to_string(), TOO_DEEP);
    assert_eq!(ran.load(Ordering::SeqCst), 17);
}

#[tokio::test]
async fn calls_side_by_side_are_not_deep() {
    let runs = Runs::default();
    let many = builder("many", "Calls often.").handler(async |(): (), context: ToolContext| {
        for _ in 0..40 {
            context.call("leaf", "{}").await?;
        }
        Ok::<_, ToolError>("done")
    });
    let session = Registry::builder().tools([many, runs.eager("leaf")]).build().unwrap().session();
    assert_eq!(text(&session.turn().await.unwrap(), call("1", "many")).await, "done");
    assert_eq!(runs.all().len(), 40);
}
