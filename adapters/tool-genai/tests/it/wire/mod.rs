//! A provider for tests: answers come from a script, requests are judged by the provider's rules and kept.

pub(crate) mod anthropic;
mod http;
pub(crate) mod openai;
pub(crate) mod responses;
mod rules;

use std::{
    collections::VecDeque,
    net::TcpListener,
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};
use tool_genai::GenaiModel;

pub(crate) use http::Answer;
use http::Request;

/// Which provider is played.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Protocol {
    OpenAi,
    Responses,
    Anthropic,
}

impl Protocol {
    /// An answer of text.
    pub(crate) fn says(self, text: &str) -> Answer {
        match self {
            Self::OpenAi => openai::says(text),
            Self::Responses => responses::answer(text, &[], "completed"),
            Self::Anthropic if text.is_empty() => anthropic::message(&json!([]), "end_turn"),
            Self::Anthropic => anthropic::says(text),
        }
    }

    /// An answer of calls: id, name, arguments as text.
    pub(crate) fn calls(self, calls: &[(&str, &str, &str)]) -> Answer {
        match self {
            Self::OpenAi => openai::calls(calls),
            Self::Responses => responses::answer("", calls, "completed"),
            Self::Anthropic => {
                let uses: Vec<(&str, &str, Value)> = calls
                    .iter()
                    .map(|&(id, name, arguments)| (id, name, serde_json::from_str(arguments).unwrap()))
                    .collect();
                anthropic::uses("Let me see.", &uses)
            }
        }
    }

    fn model_name(self) -> &'static str {
        match self {
            Self::OpenAi => "smollm",
            Self::Responses => "openai_resp::gpt-test",
            Self::Anthropic => "anthropic::claude-test",
        }
    }
}

/// A request that the provider accepted.
pub(crate) struct Received {
    /// The key it came with.
    pub(crate) key: String,
    pub(crate) body: Value,
}

/// A listening provider. A request that breaks a rule is answered with 400 and fails [`finish`](Self::finish).
pub(crate) struct Provider {
    base_url: String,
    state: Arc<Mutex<State>>,
}

struct State {
    protocol: Protocol,
    script: VecDeque<Answer>,
    /// Words that may be in no request: names of hidden tools.
    secrets: Vec<String>,
    requests: Vec<Received>,
    faults: Vec<String>,
}

impl Provider {
    pub(crate) fn start(protocol: Protocol, script: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State {
            protocol,
            script: script.into_iter().collect(),
            secrets: Vec::new(),
            requests: Vec::new(),
            faults: Vec::new(),
        }));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                if let Some(request) = Request::read(&mut stream) {
                    let answer = shared.lock().unwrap().answer(&request);
                    answer.write(&mut stream);
                }
            }
        });
        Self { base_url, state }
    }

    /// A model of this provider.
    pub(crate) fn model(&self) -> GenaiModel {
        let name = self.state.lock().unwrap().protocol.model_name();
        GenaiModel::new(name).with_base_url(&self.base_url)
    }

    /// Where to send to: the address and `/v1`.
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    /// From now on no request may hold this word.
    pub(crate) fn must_not_see(&self, word: &str) {
        self.state.lock().unwrap().secrets.push(word.to_owned());
    }

    /// How many requests it has accepted.
    pub(crate) fn requests(&self) -> usize {
        self.state.lock().unwrap().requests.len()
    }

    /// The requests. Panics if one broke a rule or an answer was not asked for.
    pub(crate) fn finish(self) -> Vec<Received> {
        let mut state = self.state.lock().unwrap();
        assert!(state.faults.is_empty(), "refused requests: {:#?}", state.faults);
        assert!(state.script.is_empty(), "{} answers were not asked for", state.script.len());
        std::mem::take(&mut state.requests)
    }
}

impl State {
    fn answer(&mut self, request: &Request) -> Answer {
        if let Err(fault) = self.judge(request) {
            self.faults.push(fault.clone());
            return self.refusal(&fault);
        }
        self.script.pop_front().unwrap_or_else(|| {
            self.faults.push("a request after the last answer".to_owned());
            self.refusal("the script has ended")
        })
    }

    fn judge(&mut self, request: &Request) -> Result<(), String> {
        if let Some(secret) = self.secrets.iter().find(|secret| request.body.contains(secret.as_str())) {
            return Err(format!("`{secret}` is in the bytes"));
        }
        let body: Value = serde_json::from_str(&request.body).map_err(|error| error.to_string())?;
        let key = match self.protocol {
            Protocol::OpenAi => openai::judge(request, &body),
            Protocol::Responses => responses::judge(request, &body),
            Protocol::Anthropic => anthropic::judge(request, &body),
        }?;
        self.requests.push(Received { key, body });
        Ok(())
    }

    fn refusal(&self, fault: &str) -> Answer {
        let error = json!({"type": "invalid_request_error", "message": fault});
        Answer::json(
            400,
            &match self.protocol {
                Protocol::OpenAi | Protocol::Responses => json!({"error": error}),
                Protocol::Anthropic => json!({"type": "error", "error": error}),
            },
        )
    }
}
