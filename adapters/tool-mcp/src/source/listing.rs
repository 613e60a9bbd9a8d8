//! A page of `tools/list`, tool by tool: one that cannot be read costs one tool.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use tool_core::{RejectedTool, SourceTool};

/// What a page says.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) tools: Vec<SourceTool>,
    pub(super) rejected: Vec<RejectedTool>,
    pub(super) next: Option<String>,
    /// How long the list may be taken as good.
    pub(super) ttl: Option<Duration>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawPage<'a> {
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    #[serde(default)]
    next_cursor: Option<Value>,
    #[serde(default)]
    ttl_ms: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawTool<'a> {
    #[serde(default)]
    name: Value,
    #[serde(default)]
    title: Value,
    #[serde(default)]
    description: Value,
    #[serde(borrow, default)]
    input_schema: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output_schema: Option<&'a RawValue>,
    #[serde(default)]
    annotations: Value,
    #[serde(default)]
    execution: Value,
}

/// Reads a page; `before` tools came on pages before it.
///
/// # Errors
/// What is wrong with the page as a whole.
pub(super) fn page(result: &RawValue, before: usize) -> Result<Page, String> {
    let raw: RawPage<'_> = serde_json::from_str(result.get())
        .map_err(|error| format!("its answer to tools/list cannot be read: {error}"))?;
    let tools = raw.tools.map_or("null", RawValue::get);
    let tools: Vec<&RawValue> = serde_json::from_str(tools)
        .map_err(|_| "its answer to tools/list has no list of tools".to_owned())?;
    let mut page = Page {
        next: raw
            .next_cursor
            .as_ref()
            .and_then(Value::as_str)
            .filter(|next| !next.is_empty())
            .map(str::to_owned),
        ttl: raw.ttl_ms.as_ref().and_then(Value::as_u64).map(Duration::from_millis),
        ..Page::default()
    };
    for (index, raw) in tools.into_iter().enumerate() {
        match tool(raw) {
            Ok(tool) => page.tools.push(tool),
            Err((name, reason)) => {
                let name = name.unwrap_or_else(|| format!("#{}", before + index));
                page.rejected.push(RejectedTool::new(name, reason));
            }
        }
    }
    Ok(page)
}

fn tool(raw: &RawValue) -> Result<SourceTool, (Option<String>, &'static str)> {
    let raw: RawTool<'_> = serde_json::from_str(raw.get()).map_err(|_| (None, "it is no object"))?;
    let Some(name) = raw.name.as_str().filter(|name| !name.trim().is_empty()) else {
        return Err((None, "it has no name"));
    };
    let fault = |reason| Err((Some(name.to_owned()), reason));
    if raw.execution.get("taskSupport").and_then(Value::as_str) == Some("required") {
        return fault("it can only be called as a task, which is not supported");
    }
    let Some(schema) = raw.input_schema else { return fault("it has no inputSchema") };
    let mut tool = match raw.description.as_str() {
        Some(description) => SourceTool::new(name, description, schema.get()),
        None => SourceTool::without_description(name, schema.get()),
    };
    let title = raw.title.as_str().or_else(|| raw.annotations.get("title").and_then(Value::as_str));
    if let Some(title) = title {
        tool = tool.with_title(title);
    }
    if let Some(schema) = raw.output_schema.filter(|schema| schema.get() != "null") {
        tool = tool.with_output_schema(schema.get());
    }
    if !raw.annotations.is_null() {
        tool = tool.with_annotations(raw.annotations);
    }
    Ok(tool)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Page, String> {
        page(&RawValue::from_string(text.to_owned()).unwrap(), 10)
    }

    #[test]
    fn a_bad_tool_costs_one_tool() {
        let page = read(
            r#"{"tools":[{"name":"a","inputSchema":{"type":"object"}},7,null,{"name":3,"inputSchema":{}},
                {"name":"b","description":9,"inputSchema":{"z":1,"a":2}},
                {"name":"t","inputSchema":{},"execution":{"taskSupport":"required"}},{"name":"n"}]}"#,
        )
        .unwrap();
        let names: Vec<_> = page.tools.iter().map(SourceTool::name).collect();
        assert_eq!(names, ["a", "b"]);
        let rejected: Vec<_> =
            page.rejected.iter().map(|tool| (tool.name.as_str(), tool.reason.as_str())).collect();
        assert_eq!(
            rejected,
            [
                ("#11", "it is no object"),
                ("#12", "it is no object"),
                ("#13", "it has no name"),
                ("t", "it can only be called as a task, which is not supported"),
                ("n", "it has no inputSchema"),
            ]
        );
    }

    #[test]
    fn cursors_and_times_are_read_only_where_they_mean_something() {
        assert_eq!(read(r#"{"tools":[],"nextCursor":"x","ttlMs":1500}"#).unwrap().next.as_deref(), Some("x"));
        assert_eq!(
            read(r#"{"tools":[],"nextCursor":"x","ttlMs":1500}"#).unwrap().ttl,
            Some(Duration::from_millis(1500))
        );
        for nothing in [r#"{"tools":[],"nextCursor":""}"#, r#"{"tools":[],"nextCursor":null,"ttlMs":"soon"}"#]
        {
            let page = read(nothing).unwrap();
            assert_eq!((page.next, page.ttl), (None, None));
        }
    }

    #[test]
    fn an_answer_without_a_list_is_an_error() {
        for bad in ["null", "{}", r#"{"tools":{}}"#, r#"{"tools":7}"#, "[]"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
