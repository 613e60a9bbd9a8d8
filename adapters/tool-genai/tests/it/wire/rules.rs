//! What all providers ask of a request.

use serde_json::Value;

/// A fault as the provider's 400 words it.
pub(crate) type Judgement = Result<(), String>;

/// An error with this text unless `holds`.
pub(crate) fn ensure(holds: bool, fault: impl FnOnce() -> String) -> Judgement {
    if holds { Ok(()) } else { Err(fault()) }
}

/// `^[a-zA-Z0-9_-]{1,64}$`, for names of tools and of calls in the history, and for ids.
pub(crate) fn is_legal(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// Name, description and schema of one tool; `seen` has the names before it.
pub(crate) fn judge_tool(tool: &Value, schema: &str, seen: &mut Vec<String>) -> Judgement {
    let name = text(tool, "name")?;
    ensure(is_legal(name), || format!("tools: the name `{name}` is not legal"))?;
    ensure(!seen.iter().any(|other| other == name), || format!("tools: `{name}` is there twice"))?;
    seen.push(name.to_owned());
    ensure(!text(tool, "description")?.is_empty(), || format!("tools: `{name}` has no description"))?;
    let schema = &tool[schema];
    ensure(schema["type"] == "object", || format!("tools: the root of `{name}` is not of type object"))?;
    ensure(schema["properties"].is_object(), || format!("tools: `{name}` has no properties"))?;
    let combined = ["oneOf", "anyOf", "allOf", "enum", "not"].iter().find(|key| schema.get(**key).is_some());
    ensure(combined.is_none(), || format!("tools: `{name}` has {} at its root", combined.unwrap()))
}

/// A choice needs tools to choose from.
pub(crate) fn judge_choice(body: &Value) -> Judgement {
    ensure(body.get("tool_choice").is_none() || body.get("tools").is_some(), || {
        "tool_choice is only allowed with tools".to_owned()
    })
}

/// The results after a turn of calls: one each, in the order of the calls.
pub(crate) fn judge_results(calls: &[String], results: &[String]) -> Judgement {
    for (index, call) in calls.iter().enumerate() {
        ensure(!calls[..index].contains(call), || format!("messages: the call id `{call}` is there twice"))?;
    }
    if let Some(missing) = calls.iter().find(|call| !results.contains(call)) {
        return Err(format!("messages: the call `{missing}` has no result"));
    }
    if let Some(stray) = results.iter().find(|result| !calls.contains(result)) {
        return Err(format!("messages: the result `{stray}` answers no call"));
    }
    ensure(calls == results, || format!("messages: results {results:?} for calls {calls:?}"))
}

pub(crate) fn text<'a>(value: &'a Value, member: &str) -> Result<&'a str, String> {
    value[member].as_str().ok_or_else(|| format!("`{member}` is missing in {value}"))
}

pub(crate) fn list<'a>(value: &'a Value, member: &str) -> Result<&'a [Value], String> {
    let list = value[member].as_array().ok_or_else(|| format!("`{member}` is no list in {value}"))?;
    ensure(!list.is_empty(), || format!("`{member}` is empty"))?;
    Ok(list)
}
