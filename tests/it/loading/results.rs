//! What a call gives back.

use super::*;

suite! {
    json_has_a_schema_and_a_structured_value
    images_and_several_parts_stay_apart
    unit_reads_ok_and_text_has_no_quotes
    results_are_cut_at_64_kib_with_a_notice
    a_blocking_body_runs_on_another_thread
    calls_of_one_batch_run_side_by_side
}

async fn json_has_a_schema_and_a_structured_value(way: Way) {
    let tool = subject().handler(async |sum: Sum, _: ToolContext| Json(sum));
    let turn = listed(way.registry([tool]), way).await;
    let definition = turn.tools().find(|tool| *tool.name() == NAME).unwrap();
    assert!(definition.output_schema().unwrap().is_some());
    let results = turn.call_all([ToolCall::new("1", NAME, json!({"a": 1, "b": 2}))]).await.into_results();
    let output = results[0].to_output();
    assert_eq!(output.structured(), Some(&json!({"a": 1, "b": 2})));
    assert_eq!(output.to_text(), r#"{"a":1,"b":2}"#);
}

async fn images_and_several_parts_stay_apart(way: Way) {
    let tool = subject()
        .handler(async |(): (), _: ToolContext| ToolOutput::text("a chart").with_image("image/png", "AAAA"));
    let result = call(tool, way, "{}").await;
    assert_eq!(result.text(), "a chart\n[image: image/png]");
    assert_eq!(result.into_output().parts().len(), 2);
}

async fn unit_reads_ok_and_text_has_no_quotes(way: Way) {
    let unit = subject().handler(async |(): (), _: ToolContext| {});
    assert_eq!(call(unit, way, "").await.text(), "ok");
    let text = subject().handler(async |(): (), _: ToolContext| "say \"hi\"");
    assert_eq!(call(text, way, "null").await.text(), "say \"hi\"");
}

async fn results_are_cut_at_64_kib_with_a_notice(way: Way) {
    for (bytes, cut) in [(64 * 1024, 0), (64 * 1024 + 1, 1), (100_000, 100_000 - 64 * 1024)] {
        let tool = subject().handler(move |(): (), _: ToolContext| async move { "x".repeat(bytes) });
        let result = call(tool, way, "{}").await;
        if cut == 0 {
            assert_eq!(result.text().len(), bytes);
        } else {
            let text = result.text();
            let (kept, notice) = text.rsplit_once('\n').unwrap();
            assert_eq!((kept.len(), notice), (64 * 1024, format!("[cut: {cut} more bytes]").as_str()));
        }
    }
    // Cut between characters, never inside one.
    let umlauts = subject().handler(async |(): (), _: ToolContext| format!("x{}", "ä".repeat(40_000)));
    assert!(call(umlauts, way, "{}").await.text().contains("ä\n[cut: "));
}

async fn a_blocking_body_runs_on_another_thread(way: Way) {
    let here = std::thread::current().id();
    let tool = subject().blocking(move |(): (), _: ToolContext| std::thread::current().id() == here);
    assert_eq!(call(tool, way, "{}").await.text(), "false");
}

async fn calls_of_one_batch_run_side_by_side(way: Way) {
    let barrier = Arc::new(tokio::sync::Barrier::new(3));
    let tool = {
        subject().handler(move |(): (), context: ToolContext| {
            let barrier = Arc::clone(&barrier);
            async move {
                barrier.wait().await;
                context.call_id().to_owned()
            }
        })
    };
    let turn = listed(way.registry([tool]), way).await;
    let results = turn.call_all(["a", "b", "c"].map(|id| ToolCall::new(id, NAME, "{}"))).await.into_results();
    let texts: Vec<_> = results.iter().map(|result| result.text().into_owned()).collect();
    assert_eq!(texts, ["a", "b", "c"]);
}
