//! OpenAI's chat completions: rules of a request, forms of an answer.

use serde_json::{Value, json};

use super::{
    Answer,
    http::Request,
    rules::{Judgement, ensure, is_legal, judge_choice, judge_results, judge_tool, list, text},
};

/// The key of a request that keeps the rules.
pub(crate) fn judge(request: &Request, body: &Value) -> Result<String, String> {
    ensure(request.path == "/v1/chat/completions", || format!("no such path: {}", request.path))?;
    let key = request.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let key = key.filter(|key| !key.is_empty()).ok_or("no key")?;
    text(body, "model")?;
    if body.get("tools").is_some() {
        let mut names = Vec::new();
        for tool in list(body, "tools")? {
            ensure(tool["type"] == "function", || format!("tools: unknown type {}", tool["type"]))?;
            judge_tool(&tool["function"], "parameters", &mut names)?;
            let description = text(&tool["function"], "description")?;
            ensure(description.chars().count() <= 1_024, || "tools: a description is too long".to_owned())?;
        }
    }
    judge_choice(body)?;
    judge_messages(list(body, "messages")?)?;
    Ok(key.to_owned())
}

fn judge_messages(messages: &[Value]) -> Judgement {
    let mut calls = Vec::new();
    let mut results = Vec::new();
    for message in messages {
        let role = text(message, "role")?;
        if role == "tool" {
            text(message, "content")?;
            results.push(text(message, "tool_call_id")?.to_owned());
            continue;
        }
        judge_results(&calls, &results)?;
        calls.clear();
        results.clear();
        match role {
            "system" | "user" => text(message, "content").map(drop)?,
            "assistant" if message.get("tool_calls").is_some() => {
                for call in list(message, "tool_calls")? {
                    calls.push(judge_call(call)?);
                }
            }
            "assistant" => ensure(!text(message, "content")?.is_empty(), || "an empty message".to_owned())?,
            other => return Err(format!("unknown role {other}")),
        }
    }
    judge_results(&calls, &results)
}

fn judge_call(call: &Value) -> Result<String, String> {
    ensure(call["type"] == "function", || format!("unknown type of call in {call}"))?;
    let name = text(&call["function"], "name")?;
    ensure(is_legal(name), || format!("messages: the name `{name}` is not legal"))?;
    let arguments = text(&call["function"], "arguments")?;
    let parsed: Option<Value> = serde_json::from_str(arguments).ok();
    ensure(parsed.is_some_and(|value| value.is_object()), || format!("messages: arguments `{arguments}`"))?;
    let id = text(call, "id")?;
    ensure(!id.is_empty(), || "messages: a call without id".to_owned())?;
    Ok(id.to_owned())
}

/// An answer of text.
pub(crate) fn says(content: &str) -> Answer {
    message(&json!({"role": "assistant", "content": content}), "stop")
}

/// An answer of calls: id, name, arguments as text.
pub(crate) fn calls(calls: &[(&str, &str, &str)]) -> Answer {
    calls_cut_by(calls, "tool_calls")
}

/// As [`calls`], with another reason to stop.
pub(crate) fn calls_cut_by(calls: &[(&str, &str, &str)], finish_reason: &str) -> Answer {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(id, name, arguments)| {
            json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
        })
        .collect();
    message(&json!({"role": "assistant", "content": null, "tool_calls": calls}), finish_reason)
}

/// Any message, as the only choice.
pub(crate) fn message(message: &Value, finish_reason: &str) -> Answer {
    Answer::json(
        200,
        &json!({
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": "test-model-2026",
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }),
    )
}

#[test]
fn a_request_is_judged_as_openai_would() {
    let request = Request::new("/v1/chat/completions", &[("authorization", "Bearer k")]);
    let call =
        |id: &str| json!({"id": id, "type": "function", "function": {"name": "echo", "arguments": "{}"}});
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "ok"});
    let asks = |calls: Value| json!({"role": "assistant", "content": "", "tool_calls": calls});
    let user = json!({"role": "user", "content": "hi"});
    let with = |messages: Value| json!({"model": "m", "messages": messages});
    let fine = with(json!([user, asks(json!([call("a"), call("b")])), result("a"), result("b")]));
    assert_eq!(judge(&request, &fine), Ok("k".to_owned()));

    let mut broken = call("a");
    broken["function"]["arguments"] = json!("{\"msg\":");
    let mut illegal = call("a");
    illegal["function"]["name"] = json!("functions.echo");
    for (body, fault) in [
        (with(json!([user, asks(json!([call("a")])), user])), "`a` has no result"),
        (with(json!([user, result("a")])), "`a` answers no call"),
        (with(json!([user, asks(json!([call("a"), call("b")])), result("b"), result("a")])), "results"),
        (with(json!([user, asks(json!([call("a"), call("a")])), result("a"), result("a")])), "twice"),
        (with(json!([user, asks(json!([broken])), result("a")])), "arguments"),
        (with(json!([user, asks(json!([illegal])), result("a")])), "not legal"),
        (with(json!([user, {"role": "assistant", "content": ""}])), "empty message"),
        (json!({"model": "m", "messages": [user], "tools": []}), "`tools` is empty"),
        (json!({"model": "m", "messages": [user], "tool_choice": "auto"}), "only allowed with tools"),
        (
            json!({"model": "m", "messages": [user], "tools": [{"type": "function", "function":
                {"name": "echo", "description": "d", "parameters": {"type": "string", "properties": {}}}}]}),
            "not of type object",
        ),
    ] {
        let judgement = judge(&request, &body);
        assert!(judgement.as_ref().is_err_and(|text| text.contains(fault)), "{fault}: {judgement:?}");
    }
}
