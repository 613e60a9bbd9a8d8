//! A stub of an OpenTelemetry collector: takes OTLP over HTTP as JSON and keeps the spans.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

use serde::Deserialize;
use serde_json::Value;

/// What an exporter sends at a time.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Export {
    resource_spans: Vec<ResourceSpans>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans {
    scope_spans: Vec<ScopeSpans>,
}

#[derive(Deserialize)]
struct ScopeSpans {
    spans: Vec<Arrived>,
}

/// A span as it arrived.
#[derive(Debug, Deserialize)]
pub(crate) struct Arrived {
    #[serde(rename = "spanId")]
    pub(crate) id: String,
    /// Empty where nothing is around it.
    #[serde(rename = "parentSpanId", default)]
    pub(crate) parent: String,
    pub(crate) name: String,
    #[serde(default)]
    attributes: Vec<Attribute>,
}

#[derive(Debug, Deserialize)]
struct Attribute {
    key: String,
    value: Value,
}

impl Arrived {
    /// A text or a number, as text.
    pub(crate) fn get(&self, key: &str) -> Option<String> {
        let attribute = self.attributes.iter().find(|attribute| attribute.key == key)?;
        // An object whose one member is named after its type: `{"intValue": "400"}`.
        let value = attribute.value.as_object()?.values().next()?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }
}

/// Listens on a free port until the program ends. Each request is one batch of spans.
pub(crate) fn start() -> io::Result<(SocketAddr, Receiver<Vec<Arrived>>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let (address, (sender, receiver)) = (listener.local_addr()?, channel());
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // A broken request is the exporter's affair: it reports it.
            let _ = serve(&connection, &sender);
        }
    });
    Ok((address, receiver))
}

fn serve(connection: &TcpStream, sender: &Sender<Vec<Arrived>>) -> io::Result<()> {
    let mut reader = BufReader::new(connection);
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            _ if line.trim().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let export: Export = serde_json::from_slice(&body)?;
    let scopes = export.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
    let _ = sender.send(scopes.flat_map(|scope| scope.spans).collect());
    let mut connection = connection;
    connection.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}",
    )
}
