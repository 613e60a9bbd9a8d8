//! A small server of the earlier protocol era that misbehaves as it is told: this test binary, started again.

use std::{
    env,
    io::{self, BufRead, Write},
    process,
    time::Duration,
};

use serde_json::{Value, json};
use tool_core::{Registry, ToolError, Toolset};
use tool_mcp::McpSource;

/// Its members are in no order that a sorted map has.
pub(crate) const SCHEMA: &str =
    r#"{"type":"object","required":["text"],"properties":{"text":{"type":"string","x-of-ours":true}}}"#;

pub(crate) fn source(fault: &str) -> McpSource {
    McpSource::command(env::current_exe().unwrap())
        .args(["--exact", "play", "--ignored", "--nocapture", "--quiet"])
        .env("MCP_FAULT", fault)
}

/// A registry with the server as source `s`, started.
pub(crate) async fn registry(fault: &str) -> Registry {
    let registry = Registry::builder().toolset(Toolset::new("s").source(source(fault))).build().unwrap();
    registry.ready(Duration::from_secs(60)).await;
    registry
}

pub(crate) fn status(registry: &Registry) -> String {
    registry.sources()[0].to_string()
}

pub(crate) async fn call(registry: &Registry, name: &str, arguments: Value) -> Result<String, ToolError> {
    registry.session().call(name, arguments).await.map(|output| output.to_text().into_owned())
}

/// Serves standard input until it ends.
pub(crate) fn serve(fault: &str) {
    let mut server = Server { fault, changed: false, cancelled: 0 };
    for line in io::stdin().lock().lines() {
        let Ok(message) = serde_json::from_str::<Value>(&line.unwrap()) else { continue };
        server.take(&message);
    }
    process::exit(0);
}

struct Server<'a> {
    fault: &'a str,
    changed: bool,
    cancelled: usize,
}

impl Server<'_> {
    fn take(&mut self, message: &Value) {
        let id = &message["id"];
        match message["method"].as_str() {
            Some("initialize") => {
                let version = if self.fault == "version" { "1999-01-01" } else { "2025-06-18" };
                self.answer(
                    id,
                    json!({
                        "protocolVersion": version,
                        "capabilities": { "tools": { "listChanged": true } },
                        "serverInfo": { "name": "faulty", "version": "1" },
                    }),
                );
            }
            Some("tools/list") => self.list(id),
            Some("tools/call") => self.call(id, &message["params"]),
            Some("notifications/cancelled") => self.cancelled += 1,
            Some(_) if !id.is_null() => {
                send(
                    &json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "no such method" } }),
                );
            }
            _ => {}
        }
    }

    fn list(&self, id: &Value) {
        let echo = format!(r#"{{"name":"echo","description":"Say it again.","inputSchema":{SCHEMA}}}"#);
        let cancelled = r#"{"name":"cancelled","inputSchema":{"type":"object"}}"#;
        let mut tools = vec![echo.as_str(), cancelled];
        if self.fault == "bad_tool" {
            tools.push("7.5");
            tools.push(
                r#"{"name":"slow","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}"#,
            );
            tools[2] = r#"{"inputSchema":{}}"#;
        }
        if self.changed {
            tools.push(r#"{"name":"new","inputSchema":{"type":"object"}}"#);
        }
        let cursor = match self.fault {
            "same_cursor" => r#","nextCursor":"again""#.to_owned(),
            "new_cursors" => format!(r#","nextCursor":"{id}""#),
            _ => String::new(),
        };
        // As text, so that the order of members is what this says.
        let list =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[{}]{cursor}}}}}"#, tools.join(","));
        self.line(&list);
    }

    fn call(&mut self, id: &Value, params: &Value) {
        let text = params["arguments"]["text"].as_str().unwrap_or_default();
        let said = match (params["name"].as_str(), text) {
            (Some("cancelled"), _) => self.cancelled.to_string(),
            (_, "hang") => return,
            (_, "crash") => {
                eprintln!("about to crash");
                process::abort();
            }
            (_, "change") => {
                self.changed = true;
                send(&json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
                "changed".to_owned()
            }
            (_, "pids") => format!("{} {}", process::id(), start_child()),
            (_, text) => text.to_owned(),
        };
        self.answer(id, json!({ "content": [{ "type": "text", "text": said }] }));
    }

    #[allow(clippy::needless_pass_by_value, reason = "from `json!` in place")]
    fn answer(&self, id: &Value, result: Value) {
        let id = if self.fault == "string_id" { &Value::String(id.to_string()) } else { id };
        let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        self.line(&message.to_string());
    }

    fn line(&self, message: &str) {
        match self.fault {
            "noise" => print(&format!("listening …\n{{\"jsonrpc\":\n{message}\n[done]")),
            "bom" => print(&format!("\u{feff}{message}")),
            "batch" => print(&format!("[{message}]")),
            "twice" => print(&format!("{message}\n{message}")),
            _ => print(message),
        }
    }
}

/// A process that outlives its parent if nobody ends it.
fn start_child() -> u32 {
    process::Command::new("sleep").arg("1000").spawn().unwrap().id()
}

fn send(message: &Value) {
    print(&message.to_string());
}

fn print(text: &str) {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}").unwrap();
    out.flush().unwrap();
}
