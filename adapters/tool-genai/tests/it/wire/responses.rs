//! OpenAI's Responses API: rules of a request, forms of an answer.

use serde_json::{Value, json};

use super::{
    Answer,
    http::Request,
    rules::{Judgement, ensure, is_legal, judge_choice, judge_results, judge_tool, list, text},
};

/// The key of a request that keeps the rules.
pub(crate) fn judge(request: &Request, body: &Value) -> Result<String, String> {
    ensure(request.path == "/v1/responses", || format!("no such path: {}", request.path))?;
    let key = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    text(body, "model")?;
    if body.get("tools").is_some() {
        let mut names = Vec::new();
        for tool in list(body, "tools")? {
            ensure(tool["type"] == "function", || format!("a tool of the provider: {tool}"))?;
            ensure(tool["strict"] == false, || {
                format!("tools: optional parameters become required in {tool}")
            })?;
            judge_tool(tool, "parameters", &mut names)?;
        }
    }
    judge_choice(body)?;
    judge_input(list(body, "input")?)?;
    Ok(key.filter(|key| !key.is_empty()).ok_or("no key")?.to_owned())
}

fn judge_input(items: &[Value]) -> Judgement {
    let mut calls = Vec::new();
    let mut results = Vec::new();
    for item in items {
        let kind = item["type"].as_str().unwrap_or("message");
        if kind == "function_call_output" {
            text(item, "output")?;
            results.push(text(item, "call_id")?.to_owned());
            continue;
        }
        if !results.is_empty() || kind != "function_call" {
            judge_results(&calls, &results)?;
            calls.clear();
            results.clear();
        }
        match kind {
            "function_call" => {
                ensure(is_legal(text(item, "name")?), || format!("input: the name in {item}"))?;
                let arguments: Result<Value, _> = serde_json::from_str(text(item, "arguments")?);
                ensure(arguments.is_ok_and(|value| value.is_object()), || {
                    format!("input: arguments in {item}")
                })?;
                calls.push(text(item, "call_id")?.to_owned());
            }
            "message" => ensure(!item["content"].is_null(), || format!("no content in {item}"))?,
            other => return Err(format!("input: unknown type {other}")),
        }
    }
    judge_results(&calls, &results)
}

/// An answer of text and calls: id, name, arguments as text.
pub(crate) fn answer(content: &str, calls: &[(&str, &str, &str)], status: &str) -> Answer {
    let mut output = vec![json!({
        "type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
        "content": [{"type": "output_text", "text": content, "annotations": []}],
    })];
    output.extend(calls.iter().map(|(id, name, arguments)| {
        json!({"type": "function_call", "id": "fc_1", "call_id": id, "name": name, "arguments": arguments})
    }));
    Answer::json(
        200,
        &json!({
            "id": "resp_1",
            "object": "response",
            "model": "gpt-test-2026",
            "status": status,
            "output": output,
            "usage": {"input_tokens": 100, "output_tokens": 20, "total_tokens": 120},
        }),
    )
}

#[test]
fn a_request_is_judged_as_the_responses_api_would() {
    let request = Request::new("/v1/responses", &[("authorization", "Bearer k")]);
    let call = |id: &str| json!({"type": "function_call", "call_id": id, "name": "echo", "arguments": "{}"});
    let result = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "ok"});
    let user = json!({"role": "user", "content": "hi"});
    let with = |input: Value| json!({"model": "m", "input": input});
    let fine =
        with(json!([user, call("a"), call("b"), result("a"), result("b"), call("c"), result("c"), user]));
    assert_eq!(judge(&request, &fine), Ok("k".to_owned()));

    let mut broken = call("a");
    broken["arguments"] = json!("{");
    let tool = json!({"type": "function", "name": "echo", "description": "d", "parameters": {"type": "object", "properties": {}}});
    for (body, fault) in [
        (with(json!([user, call("a"), user])), "`a` has no result"),
        (with(json!([user, call("a")])), "`a` has no result"),
        (with(json!([user, result("a")])), "`a` answers no call"),
        (with(json!([user, broken, result("a")])), "arguments"),
        (json!({"model": "m", "input": [user], "tools": [{"type": "web_search"}]}), "of the provider"),
        (json!({"model": "m", "input": [user], "tools": [tool]}), "become required"),
    ] {
        let judgement = judge(&request, &body);
        assert!(judgement.as_ref().is_err_and(|text| text.contains(fault)), "{fault}: {judgement:?}");
    }
}
