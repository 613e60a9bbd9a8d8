//! [`GenaiModel`]: which provider, where and how; and one request to it.
//!
//! Configuration is cheap to clone and holds no conversation. Nothing is retried: what to do after a
//! [`ModelError`](tool_core::ModelError) is the host's decision.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use genai::{
    Client, ModelIden, ServiceTarget,
    adapter::AdapterKind,
    chat::ChatOptions,
    resolver::{AuthData, Endpoint},
};
use serde_json::Value;
use tool_core::{Model, ModelError, ModelFuture, ModelIdentity, ModelReply, ModelRequest};

use crate::{error, reply, request};

/// Sent where a server wants some key and none was given: local servers take anything, and a key of the environment
/// must not reach a host that its owner never named.
const NO_KEY: &str = "no-key";

/// A model of one provider, by name.
///
/// The provider follows from the name (`gpt-…`, `claude-…`, `gemini-…`; anything else is Ollama's), from a prefix
/// (`groq::llama-3.3-70b-versatile`), or from [`with_adapter`](Self::with_adapter). Its key comes from the provider's
/// usual environment variable, read at the first request, or from [`with_api_key`](Self::with_api_key).
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_genai::GenaiModel;
///
/// let model = GenaiModel::new("smollm")
///     .with_base_url("http://127.0.0.1:8080/v1")
///     .with_temperature(0.0)
///     .with_extra_body(json!({"parallel_tool_calls": false}));
/// assert_eq!(model.name(), "smollm");
/// ```
#[derive(Clone)]
pub struct GenaiModel {
    name: String,
    client: Arc<OnceLock<Client>>,
    adapter: Option<AdapterKind>,
    base_url: Option<String>,
    api_key: Option<String>,
    options: ChatOptions,
}

impl GenaiModel {
    /// The model of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            client: Arc::default(),
            adapter: None,
            base_url: None,
            api_key: None,
            options: ChatOptions::default(),
        }
    }

    /// Sends to another server, such as `http://127.0.0.1:8080/v1`.
    ///
    /// It is taken to speak OpenAI's chat completions, unless a prefix of the name (`anthropic::…`) or
    /// [`with_adapter`](Self::with_adapter) says otherwise. Keys of the environment are not sent there.
    #[must_use]
    pub fn with_base_url(mut self, url: impl Into<String>) -> Self {
        let mut url = url.into();
        // The path of the endpoint is joined to it; without the slash the last segment would be replaced.
        if !url.ends_with('/') && !url.contains('?') {
            url.push('/');
        }
        self.base_url = Some(url);
        self
    }

    /// Sends this key instead of one from the environment.
    #[must_use]
    pub fn with_api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// Chooses the provider's protocol, whatever the name says.
    #[must_use]
    pub fn with_adapter(mut self, adapter: AdapterKind) -> Self {
        self.adapter = Some(adapter);
        self
    }

    /// Uses a client of the host: its connections, time-outs, proxies, keys and resolvers.
    ///
    /// A service target resolver of that client has the last word over base URL and key.
    #[must_use]
    pub fn with_client(mut self, client: Client) -> Self {
        self.client = Arc::new(OnceLock::from(client));
        self
    }

    /// Replaces all options of the requests: sampling, reasoning effort, headers, prompt cache, ….
    #[must_use]
    pub fn with_options(mut self, options: ChatOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the sampling temperature.
    #[must_use]
    pub fn with_temperature(mut self, temperature: f64) -> Self {
        self.options.temperature = Some(temperature);
        self
    }

    /// Sets the longest answer, in tokens. A call that it cuts comes back with
    /// [`FinishReason::Length`](tool_core::FinishReason::Length) and broken arguments.
    #[must_use]
    pub fn with_max_tokens(mut self, tokens: u32) -> Self {
        self.options.max_tokens = Some(tokens);
        self
    }

    /// Adds members to the body of each request, such as `{"parallel_tool_calls": false}`; they win over members
    /// that the adapter made.
    #[must_use]
    pub fn with_extra_body(mut self, members: Value) -> Self {
        self.options.extra_body = Some(members);
        self
    }

    /// The name as given.
    pub fn name(&self) -> &str {
        &self.name
    }

    async fn send(&self, request: ModelRequest<'_>) -> Result<ModelReply, ModelError> {
        let client = self.client()?;
        let target = self.target(&client).await?;
        let adapter = target.model.adapter_kind;
        let chat = request::chat_request(request, adapter)?;
        let options = request::chat_options(&self.options, request, adapter, &chat);
        let position = request.messages.len();
        match client.exec_chat(target, chat, Some(&options)).await {
            Ok(response) => reply::from_response(response, adapter, position),
            Err(failure) => reply::from_failure(failure, adapter, position),
        }
    }

    fn client(&self) -> Result<Client, ModelError> {
        if let Some(client) = self.client.get() {
            return Ok(client.clone());
        }
        let client = Client::new().map_err(error::from_genai)?;
        Ok(self.client.get_or_init(|| client).clone())
    }

    async fn target(&self, client: &Client) -> Result<ServiceTarget, ModelError> {
        let model =
            ModelIden::new(self.adapter_kind(Some(client)).map_err(error::from_genai)?, self.name.as_str());
        let mut target = client.resolve_service_target(model).await.map_err(error::from_genai)?;
        if let Some(url) = &self.base_url {
            target.endpoint = Endpoint::from_owned(url.as_str());
            if matches!(target.auth, AuthData::FromEnv(_) | AuthData::None) {
                target.auth = AuthData::from_single(NO_KEY);
            }
        }
        if let Some(key) = &self.api_key {
            target.auth = AuthData::from_single(key.as_str());
        }
        Ok(target)
    }

    fn adapter_kind(&self, client: Option<&Client>) -> genai::Result<AdapterKind> {
        if let Some(adapter) = self.adapter.or_else(|| client?.adapter_kind()) {
            return Ok(adapter);
        }
        if self.base_url.is_some() && !self.name.contains("::") {
            return Ok(AdapterKind::OpenAI);
        }
        AdapterKind::from_model(&self.name)
    }
}

impl Model for GenaiModel {
    fn respond<'a>(&'a self, request: ModelRequest<'a>) -> ModelFuture<'a> {
        Box::pin(self.send(request))
    }

    fn identity(&self) -> ModelIdentity<'_> {
        let adapter = self.adapter_kind(self.client.get()).ok();
        ModelIdentity::new(adapter.map(provider), &self.name)
    }
}

/// The provider as OpenTelemetry's conventions call it, where they have a name; else as genai does.
fn provider(adapter: AdapterKind) -> &'static str {
    match adapter {
        AdapterKind::OpenAI | AdapterKind::OpenAIResp => "openai",
        AdapterKind::Anthropic => "anthropic",
        AdapterKind::Gemini => "gcp.gemini",
        AdapterKind::Groq => "groq",
        AdapterKind::DeepSeek => "deepseek",
        AdapterKind::Cohere => "cohere",
        AdapterKind::Xai => "x_ai",
        other => other.as_lower_str(),
    }
}

impl fmt::Debug for GenaiModel {
    // Neither the key nor the options: headers and body may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GenaiModel")
            .field("name", &self.name)
            .field("adapter", &self.adapter)
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}
