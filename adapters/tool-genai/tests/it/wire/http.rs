//! As much of HTTP/1.1 as one request per connection needs.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, TcpStream},
};

use serde_json::Value;

/// A request as it came.
pub(crate) struct Request {
    pub(crate) path: String,
    pub(crate) body: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// None if the client went away.
    pub(super) fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut headers = Vec::new();
        loop {
            line.clear();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut request = Self { path, body: String::new(), headers };
        let length: u64 = request.header("content-length")?.parse().ok()?;
        reader.take(length).read_to_string(&mut request.body).ok()?;
        Some(request)
    }

    pub(crate) fn new(path: &str, headers: &[(&str, &str)]) -> Self {
        let headers = headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { path: path.to_owned(), body: String::new(), headers }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// What the provider does with a request.
pub(crate) enum Answer {
    /// Answers.
    Http { status: u16, headers: Vec<(&'static str, &'static str)>, body: String },
    /// Closes the connection without a word.
    Hangup,
    /// Announces the whole body, sends the first half and closes.
    Half { body: String },
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "application/json", body.to_string())
    }

    pub(crate) fn text(status: u16, content_type: &'static str, body: impl Into<String>) -> Self {
        Self::Http { status, headers: vec![("content-type", content_type)], body: body.into() }
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        if let Self::Http { headers, .. } = &mut self {
            headers.push((name, value));
        }
        self
    }

    pub(super) fn write(self, stream: &mut TcpStream) {
        let mut text = String::new();
        match self {
            Self::Hangup => {}
            Self::Http { status, headers, body } => {
                text =
                    format!("HTTP/1.1 {status} -\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
                for (name, value) in headers {
                    text.extend([name, ": ", value, "\r\n"]);
                }
                text.extend(["\r\n", &body]);
            }
            Self::Half { body } => {
                text = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                text.push_str(&body[..body.len() / 2]);
            }
        }
        // The client may have gone away; that is its test's business.
        let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.shutdown(Shutdown::Both));
    }
}
