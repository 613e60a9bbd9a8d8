//! Anthropic's messages: rules of a request, forms of an answer.

use serde_json::{Value, json};

use super::{
    Answer,
    http::Request,
    rules::{Judgement, ensure, is_legal, judge_choice, judge_results, judge_tool, list, text},
};

/// The key of a request that keeps the rules.
pub(crate) fn judge(request: &Request, body: &Value) -> Result<String, String> {
    ensure(request.path == "/v1/messages", || format!("no such path: {}", request.path))?;
    let key = request.header("x-api-key").filter(|key| !key.is_empty()).ok_or("no key")?;
    ensure(request.header("anthropic-version").is_some(), || "no version".to_owned())?;
    text(body, "model")?;
    ensure(body["max_tokens"].is_u64(), || "max_tokens is missing".to_owned())?;
    if body.get("tools").is_some() {
        let mut names = Vec::new();
        for tool in list(body, "tools")? {
            ensure(tool.get("type").is_none(), || format!("a tool of the provider: {tool}"))?;
            judge_tool(tool, "input_schema", &mut names)?;
        }
    }
    judge_choice(body)?;
    judge_turns(&turns(list(body, "messages")?)?)?;
    Ok(key.to_owned())
}

struct Turn<'a> {
    role: &'a str,
    blocks: Vec<Value>,
}

/// Messages of one role in a row are one turn, as the provider joins them.
fn turns(messages: &[Value]) -> Result<Vec<Turn<'_>>, String> {
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for message in messages {
        let role = text(message, "role")?;
        ensure(["user", "assistant"].contains(&role), || format!("unknown role {role}"))?;
        let blocks = match &message["content"] {
            Value::String(text) => vec![json!({"type": "text", "text": text})],
            _ => list(message, "content")?.to_vec(),
        };
        match turns.last_mut() {
            Some(last) if last.role == role => last.blocks.extend(blocks),
            _ => turns.push(Turn { role, blocks }),
        }
    }
    Ok(turns)
}

fn judge_turns(turns: &[Turn<'_>]) -> Judgement {
    ensure(turns[0].role == "user", || "the first message is not the user's".to_owned())?;
    let mut calls = Vec::new();
    for turn in turns {
        let mut results = Vec::new();
        let mut new_calls = Vec::new();
        let mut thoughts = 0;
        for (index, block) in turn.blocks.iter().enumerate() {
            match (turn.role, text(block, "type")?) {
                (_, "text") => {
                    ensure(!text(block, "text")?.trim().is_empty(), || "an empty text block".to_owned())?;
                }
                // Those of a turn stand before all else.
                ("assistant", "thinking" | "redacted_thinking") => {
                    let sealed = block["signature"].is_string() || block["data"].is_string();
                    ensure(sealed && index == thoughts, || {
                        format!("a thought without seal or place: {block}")
                    })?;
                    thoughts += 1;
                }
                ("assistant", "tool_use") => new_calls.push(judge_use(block)?),
                ("user", "tool_result") => {
                    ensure(index == results.len(), || "a result stands behind other content".to_owned())?;
                    judge_result_content(block)?;
                    results.push(text(block, "tool_use_id")?.to_owned());
                }
                (role, other) => return Err(format!("a block `{other}` of the {role}")),
            }
        }
        judge_results(&calls, &results)?;
        calls = new_calls;
    }
    judge_results(&calls, &[])
}

fn judge_use(block: &Value) -> Result<String, String> {
    let (id, name) = (text(block, "id")?, text(block, "name")?);
    ensure(is_legal(id), || format!("messages: the id `{id}` is not legal"))?;
    ensure(is_legal(name), || format!("messages: the name `{name}` is not legal"))?;
    ensure(block["input"].is_object(), || format!("messages: the input of `{name}` is no object"))?;
    Ok(id.to_owned())
}

fn judge_result_content(result: &Value) -> Judgement {
    let Value::Array(blocks) = &result["content"] else {
        return text(result, "content").map(drop);
    };
    for block in blocks {
        match text(block, "type")? {
            "text" => ensure(!text(block, "text")?.is_empty(), || "an empty text in a result".to_owned())?,
            "image" => text(&block["source"], "data").map(drop)?,
            other => return Err(format!("a block `{other}` in a result")),
        }
    }
    Ok(())
}

/// An answer of text.
pub(crate) fn says(content: &str) -> Answer {
    message(&json!([{"type": "text", "text": content}]), "end_turn")
}

/// An answer of text and calls: id, name, input.
pub(crate) fn uses(content: &str, calls: &[(&str, &str, Value)]) -> Answer {
    let mut blocks = vec![json!({"type": "text", "text": content})];
    blocks.extend(
        calls
            .iter()
            .map(|(id, name, input)| json!({"type": "tool_use", "id": id, "name": name, "input": input})),
    );
    message(&json!(blocks), "tool_use")
}

/// Any content.
pub(crate) fn message(content: &Value, stop_reason: &str) -> Answer {
    Answer::json(
        200,
        &json!({
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-test-2026",
            "content": content,
            "stop_reason": stop_reason,
            "usage": {"input_tokens": 100, "output_tokens": 20},
        }),
    )
}

#[test]
fn a_request_is_judged_as_anthropic_would() {
    let request = Request::new("/v1/messages", &[("x-api-key", "k"), ("anthropic-version", "2023-06-01")]);
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "echo", "input": {}});
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "ok"});
    let user = json!({"role": "user", "content": "hi"});
    let asks = |blocks: Value| json!({"role": "assistant", "content": blocks});
    let answers = |blocks: Value| json!({"role": "user", "content": blocks});
    let with = |messages: Value| json!({"model": "m", "max_tokens": 9, "messages": messages});
    let fine = with(json!([
        user,
        asks(json!([call("a"), call("b")])),
        answers(json!([result("a"), result("b")])),
        user
    ]));
    assert_eq!(judge(&request, &fine), Ok("k".to_owned()));

    let text = json!({"type": "text", "text": "hm"});
    let blank = json!({"type": "text", "text": " "});
    let mut no_object = call("a");
    no_object["input"] = json!("{");
    for (body, fault) in [
        (with(json!([asks(json!([text]))])), "not the user's"),
        (with(json!([user, asks(json!([call("a")])), user])), "`a` has no result"),
        (with(json!([user, asks(json!([call("a")]))])), "`a` has no result"),
        (with(json!([user, asks(json!([call("a")])), answers(json!([text, result("a")]))])), "behind other"),
        (with(json!([user, asks(json!([text])), answers(json!([result("a")]))])), "`a` answers no call"),
        (with(json!([user, asks(json!([no_object])), answers(json!([result("a")]))])), "no object"),
        (with(json!([user, asks(json!([blank]))])), "empty text"),
        (with(json!([user, asks(json!([]))])), "`content` is empty"),
        (
            with(json!([
                user,
                asks(json!([text, {"type": "thinking", "thinking": "hm", "signature": "s"}]))
            ])),
            "or place",
        ),
        (with(json!([user, asks(json!([{"type": "thinking", "thinking": "hm"}]))])), "without seal"),
        (with(json!([{"role": "system", "content": "be kind"}])), "unknown role"),
        (json!({"model": "m", "messages": [user]}), "max_tokens"),
        (
            json!({"model": "m", "max_tokens": 9, "messages": [user], "tools": [{"name": "web_search", "type": "web_search_20250305"}]}),
            "a tool of the provider",
        ),
    ] {
        let judgement = judge(&request, &body);
        assert!(judgement.as_ref().is_err_and(|text| text.contains(fault)), "{fault}: {judgement:?}");
    }
}
