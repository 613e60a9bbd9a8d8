//! A client that speaks plain JSON lines, so that nothing of the library under test is on both sides.

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    task::JoinHandle,
};
use tool_core::{FunctionTool, Registry, RegistryBuilder, ToolAnnotations, ToolContext};
use tool_mcp::{McpServer, ServeError};

pub(crate) struct Peer {
    write: Option<WriteHalf<DuplexStream>>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    serving: JoinHandle<Result<(), ServeError>>,
    next_id: u64,
    seen: Vec<Value>,
    /// Of the later era: in every request.
    meta: Option<Value>,
}

/// One eager tool and two that are hidden.
pub(crate) fn builder() -> RegistryBuilder {
    let mut read_only = ToolAnnotations::NONE;
    read_only.read_only = Some(true);
    let echo = FunctionTool::builder("echo", "Say hi.")
        .annotations(read_only)
        .handler(async |(): (), _: ToolContext| "hi");
    let charge = FunctionTool::builder("charge", "Charge a credit card.")
        .deferred()
        .handler(async |(): (), _: ToolContext| "charged");
    let refund = FunctionTool::builder("refund", "Refund a payment.")
        .deferred()
        .handler(async |(): (), _: ToolContext| "refunded");
    Registry::builder().tools([echo, charge, refund])
}

pub(crate) fn registry() -> Registry {
    builder().build().unwrap()
}

/// Parameters of `tools/call`.
#[allow(clippy::needless_pass_by_value, reason = "from `json!` in place")]
pub(crate) fn calls(name: &str, arguments: Value) -> Value {
    json!({ "name": name, "arguments": arguments })
}

impl Peer {
    pub(crate) async fn initialized(registry: Registry) -> Self {
        Self::connect(&McpServer::builder(registry).build()).await
    }

    fn raw(server: &McpServer) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(theirs);
        let server = server.clone();
        let serving = tokio::spawn(async move { server.serve(read, write).await });
        let (read, write) = tokio::io::split(ours);
        let lines = BufReader::new(read).lines();
        Self { write: Some(write), lines, serving, next_id: 1, seen: Vec::new(), meta: None }
    }

    pub(crate) async fn connect(server: &McpServer) -> Self {
        let mut peer = Self::raw(server);
        let client = json!({ "name": "peer", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let answer = peer.request("initialize", hello).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
        assert_eq!(answer["result"]["capabilities"], json!({ "tools": { "listChanged": true } }));
        peer.notify("notifications/initialized", json!({})).await;
        peer
    }

    pub(crate) fn modern(registry: Registry) -> Self {
        let mut peer = Self::raw(&McpServer::builder(registry).build());
        peer.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "peer", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        }));
        peer
    }

    pub(crate) async fn send(&mut self, method: &str, mut params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        self.line(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.line(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    async fn line(&mut self, message: &Value) {
        let write = self.write.as_mut().unwrap();
        write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// The answer to a request; what else comes is kept.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(at) = self.seen.iter().position(|seen| seen["id"] == id) {
                return self.seen.remove(at);
            }
            let line = self.lines.next_line().await.unwrap().expect("the server is there");
            self.seen.push(serde_json::from_str(&line).unwrap());
        }
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    /// The result of a call.
    pub(crate) async fn call(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", calls(name, arguments)).await;
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// The answers to calls that are sent in one write.
    pub(crate) async fn pipelined(&mut self, all: &[Value]) -> Vec<Value> {
        let mut text = String::new();
        let first = self.next_id;
        for params in all {
            let request =
                json!({ "jsonrpc": "2.0", "id": self.next_id, "method": "tools/call", "params": params });
            text += &request.to_string();
            text.push('\n');
            self.next_id += 1;
        }
        self.write.as_mut().unwrap().write_all(text.as_bytes()).await.unwrap();
        let mut answers = Vec::new();
        for id in first..self.next_id {
            answers.push(self.answer(id).await);
        }
        answers
    }

    /// Methods of the notifications that have come so far.
    pub(crate) fn notifications(&self) -> Vec<&str> {
        self.seen
            .iter()
            .filter(|seen| seen["id"].is_null())
            .map(|seen| seen["method"].as_str().unwrap())
            .collect()
    }

    pub(crate) async fn end_input(&mut self) {
        self.write.take().unwrap().shutdown().await.unwrap();
    }

    pub(crate) async fn served(self) -> Result<(), ServeError> {
        self.serving.await.unwrap()
    }
}
