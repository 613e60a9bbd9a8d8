//! One live connection to a server: its handshake, its list page by page, its calls, its end.

use std::{collections::HashSet, fmt, sync::Arc, time::Duration};

use rmcp::{
    RoleClient,
    model::{
        CallToolRequest, CallToolRequestParams, ClientRequest, ListToolsRequest, PaginatedRequestParams,
        ProtocolVersion, RequestId, SubscriptionFilter,
    },
    service::{
        ClientLifecycleMode, ClientServiceExt, Peer, PeerRequestOptions, RequestHandle, RunningService,
        ServiceError,
    },
    transport::{StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig},
};
use serde_json::{Map, Value};
use tokio::sync::watch;
use tool_core::{RejectedTool, SourceListing, SourceTool, ToolError, ToolOutput};

use super::{
    Endpoint,
    client::Client,
    http::Http,
    lines::Lines,
    listing, output,
    process::Process,
    raw::{RawAnswer, RawAnswers},
};

/// Most pages of a list that are read.
const MAX_PAGES: usize = 200;
/// Most tools of a list that are kept.
const MAX_TOOLS: usize = 20_000;
/// How long a server that ended is left alone before the library is told, so that one that ends at once is not started
/// without a pause.
const REST: Duration = Duration::from_secs(1);

pub(super) struct Connection {
    service: RunningService<RoleClient, Client>,
    answers: Arc<RawAnswers>,
    process: Option<Process>,
}

/// What went wrong, in words for an error message.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Failure(String);

impl Connection {
    pub(super) async fn open(
        endpoint: &Endpoint,
        label: &str,
        changed: &watch::Sender<()>,
    ) -> Result<Self, Failure> {
        let answers = Arc::new(RawAnswers::default());
        let client = Client { label: label.to_owned(), changed: changed.clone() };
        let lifecycle = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::LATEST],
            legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
        };
        let (started, process) = match endpoint {
            Endpoint::Child(program) => {
                let (process, stdin, stdout) = Process::start(program).map_err(|error| {
                    Failure(format!("{} cannot be started: {error}", program.path.display()))
                })?;
                let transport = Lines::new(stdout, stdin, Arc::clone(&answers));
                (client.serve_with_lifecycle(transport, lifecycle).await, Some(process))
            }
            Endpoint::Http(address) => {
                let mut config = StreamableHttpClientTransportConfig::with_uri(address.url.as_str());
                config.custom_headers.clone_from(&address.headers);
                config.auth_header.clone_from(&address.token);
                let http = Http::new(address.client.clone(), Arc::clone(&answers));
                let transport = StreamableHttpClientTransport::with_client(http, config);
                (client.serve_with_lifecycle(transport, lifecycle).await, None)
            }
        };
        let service = match started {
            Ok(service) => service,
            Err(error) => return Err(failure(process.as_ref(), &answers, &error)),
        };
        let connection = Self { service, answers, process };
        connection.check_version()?;
        connection.watch(changed.clone());
        Ok(connection)
    }

    /// rmcp takes any version.
    fn check_version(&self) -> Result<(), Failure> {
        let Some(server) = self.service.peer_info() else { return Ok(()) };
        let version = &server.protocol_version;
        if ProtocolVersion::KNOWN_VERSIONS.contains(version) {
            return Ok(());
        }
        Err(Failure(format!("it speaks protocol version '{version}', which is not known")))
    }

    /// Tells of changes of the list in the later era, and of the end.
    fn watch(&self, changed: watch::Sender<()>) {
        let peer = self.service.peer().clone();
        tokio::spawn(async move {
            let is_later = peer.peer_info().is_none_or(|server| !server.protocol_version.has_initialize());
            if is_later {
                let filter = SubscriptionFilter::builder().tools_list_changed().build();
                if let Ok(mut subscription) = peer.listen(filter).await {
                    while let Ok(Some(_)) = subscription.next().await {
                        changed.send_replace(());
                    }
                }
            }
            closed(&peer).await;
            tokio::time::sleep(REST).await;
            changed.send_replace(());
        });
    }

    pub(super) fn is_open(&self) -> bool {
        !self.service.is_transport_closed()
    }

    /// All pages, as far as they can be read, and how long they may be taken as good.
    pub(super) async fn list(&self) -> Result<(SourceListing, Option<Duration>), Failure> {
        let (mut tools, mut rejected): (Vec<SourceTool>, Vec<RejectedTool>) = (Vec::new(), Vec::new());
        let (mut ttl, mut cursor, mut cursors) = (None::<Duration>, None::<String>, HashSet::new());
        for number in 1..=MAX_PAGES {
            let mut params = PaginatedRequestParams::default();
            params.cursor = cursor.take();
            let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
            let read = self.answer(request).await.and_then(|answer| match answer {
                RawAnswer::Result(result) => {
                    listing::page(&result, tools.len() + rejected.len()).map_err(Failure)
                }
                RawAnswer::Error(error) => {
                    Err(Failure(format!("it answered tools/list with an error: {}", error.get())))
                }
            });
            let page = match read {
                Ok(page) => page,
                Err(error) if number == 1 => return Err(error),
                Err(error) => {
                    rejected.push(RejectedTool::new(format!("page {number} and later"), error.to_string()));
                    break;
                }
            };
            let known = tools.len();
            tools.extend(page.tools);
            rejected.extend(page.rejected);
            ttl = [ttl, page.ttl].into_iter().flatten().min();
            let Some(next) = page.next else { break };
            let same_page = repeats(&tools, known);
            let repeated = !cursors.insert(next.clone()) || same_page;
            if repeated || number == MAX_PAGES || tools.len() >= MAX_TOOLS {
                let reason = if repeated { "its pages repeat" } else { "it lists too much" };
                rejected.push(RejectedTool::new(format!("page {} and later", number + 1), reason));
                if same_page {
                    tools.truncate(known);
                }
                break;
            }
            cursor = Some(next);
        }
        tools.truncate(MAX_TOOLS);
        Ok((SourceListing::new(tools, rejected), ttl))
    }

    pub(super) async fn call(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<ToolOutput, ToolError> {
        let mut params = CallToolRequestParams::new(name.to_owned());
        params.arguments = Some(arguments);
        let answer = self.answer(ClientRequest::CallToolRequest(CallToolRequest::new(params))).await;
        match answer {
            Ok(answer) => output::of(&answer),
            Err(error) => Err(ToolError::from_error(error).for_model("the server did not answer")),
        }
    }

    /// Sends a request whose answer is kept as it came. Dropped, it cancels the request.
    async fn answer(&self, request: ClientRequest) -> Result<RawAnswer, Failure> {
        let sent = self.service.peer().send_cancellable_request(request, PeerRequestOptions::no_options());
        let handle = sent.await.map_err(|error| failure(self.process.as_ref(), &self.answers, &error))?;
        let mut pending = Pending { answers: &self.answers, id: handle.id.clone(), handle: Some(handle) };
        let answered = match &mut pending.handle {
            Some(handle) => (&mut handle.rx).await,
            None => return Err(Failure("the request was lost".to_owned())),
        };
        pending.handle = None;
        if let Some(answer) = self.answers.take(&pending.id) {
            return Ok(answer);
        }
        let error = match answered {
            Ok(Ok(_)) => return Err(Failure("it answered something else".to_owned())),
            Ok(Err(error)) => error,
            Err(_) => ServiceError::TransportClosed,
        };
        Err(failure(self.process.as_ref(), &self.answers, &error))
    }

    /// Ends the connection, and the process if there is one.
    pub(super) async fn close(self) {
        let _ = self.service.cancel().await;
        if let Some(process) = self.process {
            process.end().await;
        }
    }
}

/// Whether the last page is the page before once more.
fn repeats(tools: &[SourceTool], known: usize) -> bool {
    let (before, last) = tools.split_at(known);
    !last.is_empty() && before.ends_with(last)
}

async fn closed(peer: &Peer<RoleClient>) {
    // rmcp has no signal for it.
    while !peer.is_transport_closed() {
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// An error with what else is known of the server: what it printed that was no message, and to standard error.
fn failure(process: Option<&Process>, answers: &RawAnswers, error: &dyn fmt::Display) -> Failure {
    let mut text = error.to_string();
    let skipped = answers.skipped();
    if skipped > 0 {
        text = format!("{text}; {skipped} of the texts that it sent were no messages");
    }
    if let Some(stderr) = process.and_then(|process| process.stderr().text()) {
        text = format!("{text}; it wrote to standard error: {stderr}");
    }
    Failure(text)
}

/// A request that waits. Dropped before its answer, it is cancelled at the server and forgotten here.
struct Pending<'a> {
    answers: &'a RawAnswers,
    id: RequestId,
    handle: Option<RequestHandle<RoleClient>>,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            drop(self.answers.take(&self.id));
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(handle.cancel(Some("cancelled".to_owned())));
            }
        }
    }
}
