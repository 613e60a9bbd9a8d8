//! The transport of a connection: notes calls in the order in which they come, before anything runs, and what is
//! answered; when the input ends, the requests in flight are answered first.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::{
    RoleServer,
    model::{ClientNotification, ClientRequest, GetExtensions, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
    transport::Transport,
};
use tokio::sync::{OnceCell, watch};
use tokio_util::sync::CancellationToken;
use tool_core::TurnError;

use super::served::{Arrival, Served};

/// A connection with a session of its own, in the extensions of each of its requests; empty until `initialize`.
#[derive(Debug, Clone, Default)]
pub(super) struct Connection(pub(super) Arc<OnceCell<Arc<Served>>>);

impl Connection {
    pub(super) fn of(served: Arc<Served>) -> Self {
        Self(Arc::new(OnceCell::new_with(Some(served))))
    }
}

/// A call as the transport noted it, in the extensions of its request.
#[derive(Debug, Clone)]
pub(super) struct Arrived(pub(super) Arc<Result<Arrival, TurnError>>);

/// A transport that notes what comes and what is answered.
pub(super) struct Ordered<T> {
    inner: T,
    connection: Connection,
    in_flight: Arc<InFlight>,
    /// A message that was read and not yet handed on: `receive` may be dropped at any await.
    held: Option<RxJsonRpcMessage<RoleServer>>,
    /// No more input is read.
    stop: CancellationToken,
}

impl<T> Ordered<T> {
    pub(super) fn new(inner: T, connection: Connection, stop: CancellationToken) -> Self {
        Self { inner, connection, in_flight: Arc::default(), held: None, stop }
    }
}

/// The requests that are not answered.
#[derive(Debug, Default)]
struct InFlight {
    requests: Mutex<HashMap<RequestId, Option<Arrived>>>,
    count: watch::Sender<usize>,
    /// Answers that are being written. Their client may have read them before the write returns.
    writing: watch::Sender<usize>,
}

impl InFlight {
    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, Option<Arrived>>> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn insert(&self, id: RequestId, arrived: Option<Arrived>) {
        let mut requests = self.lock();
        requests.insert(id, arrived);
        self.count.send_replace(requests.len());
    }

    fn remove(&self, id: &RequestId) -> Option<Arrived> {
        self.lock().remove(id).flatten()
    }

    async fn all_written(&self) {
        // The sender is in `self`.
        let _ = self.writing.subscribe().wait_for(|writing| *writing == 0).await;
    }

    fn recount(&self) {
        let open = self.lock().len();
        self.count.send_replace(open);
    }

    async fn all_answered(&self) {
        // The sender is in `self`.
        let _ = self.count.subscribe().wait_for(|open| *open == 0).await;
    }
}

/// An answer that is being written; when it is dropped the request is none in flight.
struct Writing {
    in_flight: Arc<InFlight>,
    answered: Option<Arrived>,
}

impl Writing {
    fn new(in_flight: Arc<InFlight>, id: &RequestId) -> Self {
        let answered = in_flight.remove(id);
        in_flight.writing.send_modify(|writing| *writing += 1);
        Self { in_flight, answered }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.in_flight.writing.send_modify(|writing| *writing -= 1);
        self.in_flight.recount();
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Ordered<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), T::Error>> + Send + 'static {
        let answers = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let sent = self.inner.send(message);
        let writing = answers.map(|id| Writing::new(Arc::clone(&self.in_flight), &id));
        async move {
            let sent = sent.await;
            if let Some(Writing { answered: Some(Arrived(arrival)), .. }) = &writing
                && let Ok(arrival) = &**arrival
            {
                arrival.answered().await;
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if self.held.is_none() {
            self.held = self.stop.run_until_cancelled(self.inner.receive()).await.flatten();
        }
        if self.held.is_none() {
            self.in_flight.all_answered().await;
        }
        self.in_flight.all_written().await;
        let mut message = self.held.take()?;
        match &mut message {
            JsonRpcMessage::Request(request) => {
                let mut arrived = None;
                if let ClientRequest::CallToolRequest(call) = &mut request.request
                    && let Some(served) = self.connection.0.get()
                {
                    let noted = Arrived(Arc::new(served.arrive(&call.params.name).await));
                    call.extensions_mut().insert(noted.clone());
                    arrived = Some(noted);
                }
                request.request.extensions_mut().insert(self.connection.clone());
                self.in_flight.insert(request.id.clone(), arrived);
            }
            JsonRpcMessage::Notification(notification) => {
                // What was cancelled is never answered.
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    drop(self.in_flight.remove(id));
                    self.in_flight.recount();
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }

    async fn close(&mut self) -> Result<(), T::Error> {
        self.inner.close().await
    }
}
