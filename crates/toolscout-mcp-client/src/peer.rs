//! The client's end of a JSON-RPC connection: sends requests, waits for responses, cancels.
//!
//! [`Peer`] is the interface for callers; [`ResponseRouter`] is the interface for the wire. They
//! are separate because the wire keeps the router alive and the peer keeps the wire alive: dropping
//! the peer drops the wire, and the server process or connection behind it.

mod counts;
mod origin;
mod reverse_requests;
mod router;
mod split_message;
mod token_bucket;

#[cfg(test)]
pub(super) mod tests;

pub use counts::PeerCounts;
pub(super) use router::{LibraryChanges, ProgressCallback, ResponseRouter};

use super::params::RequestParams;
use super::wire::{Outgoing, Wire};
use super::{ClientError, message};
use origin::RequestOrigin;
use reverse_requests::{ReverseRequestSender, ReverseRequests};
use router::PendingResponse;
use serde_json::{Value, json};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Instant as TokioInstant, timeout, timeout_at};
use toolscout_core::{Cx, RawJson, ReverseChannel};

/// The time limit for sending a response to the server, or a cancellation.
const SEND_TIMEOUT: Duration = Duration::from_secs(2);
/// The deadline of standing requests, which last until one side ends them.
const STANDING_TIME_LIMIT: Duration = Duration::from_secs(365 * 24 * 3600);

/// Receives the response.
type ResponseReceiver = oneshot::Receiver<Result<RawJson, ClientError>>;

/// A request to send.
#[derive(Clone)]
pub(super) struct PeerRequest {
    pub(super) method: String,
    pub(super) params: RequestParams,
    /// The value for `Mcp-Name`.
    pub(super) name: Option<String>,
    /// The values for `Mcp-Param-…`.
    pub(super) mirrored: Vec<(String, String)>,
    /// Receives progress.
    pub(super) progress: Option<ProgressCallback>,
    /// The party the request is made for.
    pub(super) behalf: Behalf,
    /// Whether an abandoned request is cancelled at the server.
    pub(super) cancels: bool,
    /// The name of the request in a timeout error.
    pub(super) what: String,
    pub(super) deadline: Instant,
}

impl PeerRequest {
    pub(super) fn new(method: &str, params: impl Into<RequestParams>, deadline: Instant) -> Self {
        let (what, params, behalf) = (format!("`{method}`"), params.into(), Behalf::Ourselves);
        let (name, mirrored, progress) = (None, Vec::new(), None);
        Self {
            method: method.to_owned(),
            params,
            name,
            mirrored,
            progress,
            behalf,
            cancels: true,
            what,
            deadline,
        }
    }

    /// The same request with another name in a timeout error.
    pub(super) fn described_as(self, what: impl Into<String>) -> Self {
        Self { what: what.into(), ..self }
    }

    /// The same request without a cancellation at the server, which may not understand it.
    pub(super) fn without_cancellation(self) -> Self {
        Self { cancels: false, ..self }
    }
}

/// The party a request is made for.
#[derive(Clone)]
pub(super) enum Behalf {
    /// The client itself: a listing, a handshake.
    Ourselves,
    /// A caller, perhaps with a counterpart for reverse requests.
    Caller(Option<Arc<dyn ReverseChannel>>),
}

impl Behalf {
    /// The counterpart for reverse requests.
    pub(super) fn counterpart(&self) -> Option<&Arc<dyn ReverseChannel>> {
        match self {
            Self::Caller(counterpart) => counterpart.as_ref(),
            Self::Ourselves => None,
        }
    }
}

/// The client's end of a connection.
pub(super) struct Peer {
    router: Arc<ResponseRouter>,
    wire: Arc<dyn Wire>,
    /// Sends messages without a response. Aborted with the peer.
    _outbox_task: JoinSet<()>,
}

impl Peer {
    /// Joins a wire and the router that receives its messages.
    pub(super) fn new(router: Arc<ResponseRouter>, wire: Arc<dyn Wire>) -> Self {
        let mut outbox_task = JoinSet::new();
        if let Some(outbox) = router.take_outbox() {
            outbox_task.spawn(send_outbox(outbox, Arc::downgrade(&wire)));
        }
        Self { router, wire, _outbox_task: outbox_task }
    }

    pub(super) fn router(&self) -> &ResponseRouter {
        &self.router
    }

    pub(super) fn wire(&self) -> &dyn Wire {
        &*self.wire
    }

    /// Sends a request, and waits for the response until the deadline. Incoming messages do not
    /// move the deadline, with one exception: the time that a reverse request takes does not count.
    ///
    /// Cancel-safe: dropping the future frees the id at once, and cancels the request at the
    /// server.
    pub(super) async fn request(&self, request: PeerRequest) -> Result<RawJson, ClientError> {
        let started = Instant::now();
        let (deadline, what) = (request.deadline, request.what.clone());
        let RegisteredRequest { mut in_flight, outgoing, response, reverse_requests } =
            self.register(request, false)?;
        let work = async {
            self.wire.send(outgoing).await?;
            in_flight.is_sent = true;
            response.await.unwrap_or_else(|_| Err(connection_closed()))
        };
        let outcome = match reverse_requests {
            None => timeout_at(TokioInstant::from_std(deadline), work).await.ok(),
            Some(reverse_requests) => {
                reverse_requests.relay_while(work, deadline, &self.router).await
            }
        };
        drop(in_flight);
        outcome.unwrap_or_else(|| {
            Err(ClientError::TimedOut { what, limit: time_limit(started, deadline) })
        })
    }

    /// Sends a standing request; returns when the server has acknowledged it, or was silent for
    /// `patience`.
    pub(super) async fn open_standing(
        &self,
        mut request: PeerRequest,
        patience: Duration,
    ) -> Result<StandingRequest, ClientError> {
        request.deadline = Instant::now() + STANDING_TIME_LIMIT;
        let RegisteredRequest { mut in_flight, outgoing, mut response, .. } =
            self.register(request, true)?;
        let acknowledgement = self.router.acknowledgement(in_flight.id);
        let sent = timeout(patience.max(SEND_TIMEOUT), self.wire.send(outgoing)).await;
        sent.unwrap_or_else(|_| Err(ClientError::lost("it does not accept messages")))?;
        in_flight.is_sent = true;
        tokio::select! {
            biased;
            outcome = &mut response => match outcome {
                Ok(Err(error)) => return Err(error),
                Err(_) => return Err(connection_closed()),
                // The request has already ended; [`StandingRequest::ended`] returns at once.
                Ok(Ok(_)) => return Ok(StandingRequest { _in_flight: in_flight, response: None }),
            },
            _ = timeout(patience, acknowledgement) => {}
        }
        Ok(StandingRequest { _in_flight: in_flight, response: Some(response) })
    }

    /// Sends a notification to the server.
    pub(super) async fn notify(
        &self,
        method: &str,
        params: Option<Value>,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        self.wire.send(notification(method, params, deadline)).await
    }

    fn register(
        &self,
        request: PeerRequest,
        is_standing: bool,
    ) -> Result<RegisteredRequest, ClientError> {
        let PeerRequest {
            method,
            mut params,
            name,
            mirrored,
            progress,
            behalf,
            cancels,
            deadline,
            ..
        } = request;
        let (sender, response) = oneshot::channel();
        let wants_progress = progress.is_some();
        let (origin, reverse_requests) = self.origin(behalf);
        let id =
            self.router.register(PendingResponse::new(sender, progress, is_standing, origin))?;
        let wire = Arc::downgrade(&self.wire);
        let in_flight =
            InFlightRequest { router: self.router.clone(), wire, id, is_sent: false, cancels };
        if wants_progress {
            params.meta.insert("progressToken".to_owned(), id.into());
        }
        let body = message::request(id, &method, &params);
        let extra_time =
            reverse_requests.as_ref().map_or(Duration::ZERO, |_| Cx::REVERSE_REQUEST_LIMIT);
        let outgoing = Outgoing {
            body,
            id: Some(id),
            method: Some(method),
            name,
            mirrored,
            deadline,
            extra_time,
        };
        Ok(RegisteredRequest { in_flight, outgoing, response, reverse_requests })
    }

    fn origin(&self, behalf: Behalf) -> (RequestOrigin, Option<ReverseRequests>) {
        match behalf {
            Behalf::Ourselves => (RequestOrigin::Ourselves, None),
            Behalf::Caller(None) => (RequestOrigin::Mute, None),
            Behalf::Caller(Some(counterpart)) if self.router.accepts_reverse_requests() => {
                let (sender, reverse_requests) = reverse_requests::open(counterpart);
                (RequestOrigin::Caller(sender), Some(reverse_requests))
            }
            Behalf::Caller(Some(counterpart)) => {
                (RequestOrigin::Caller(ReverseRequestSender::notifications_only(counterpart)), None)
            }
        }
    }
}

/// A request that is ready to be sent.
struct RegisteredRequest {
    in_flight: InFlightRequest,
    outgoing: Outgoing,
    response: ResponseReceiver,
    /// Reverse requests to the caller while its request is pending.
    reverse_requests: Option<ReverseRequests>,
}

/// A request that lasts until the server ends it or it is dropped.
pub(super) struct StandingRequest {
    _in_flight: InFlightRequest,
    response: Option<ResponseReceiver>,
}

impl StandingRequest {
    /// Waits until the request has ended.
    pub(super) async fn ended(&mut self) {
        if let Some(response) = &mut self.response {
            let _ = response.await;
        }
        self.response = None;
    }
}

/// A request in flight. Dropping it removes it from the router, and cancels it at the server if
/// there was no response.
struct InFlightRequest {
    router: Arc<ResponseRouter>,
    wire: Weak<dyn Wire>,
    id: u64,
    is_sent: bool,
    cancels: bool,
}

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        if !self.router.forget(self.id) {
            return;
        }
        if let Some(wire) = self.wire.upgrade() {
            wire.forget(self.id);
        }
        if self.is_sent && self.cancels {
            let params = json!({"requestId": self.id, "reason": "the client no longer waits for the response"});
            self.router.post(notification(
                "notifications/cancelled",
                Some(params),
                Instant::now() + SEND_TIMEOUT,
            ));
        }
    }
}

fn notification(method: &str, params: Option<Value>, deadline: Instant) -> Outgoing {
    let body = toolscout_core::jsonrpc::notification(
        method,
        params.map(|params| params.to_string()).as_deref(),
    );
    let (method, extra_time) = (Some(method.to_owned()), Duration::ZERO);
    Outgoing { body, id: None, method, name: None, mirrored: Vec::new(), deadline, extra_time }
}

/// The time from `started` to `deadline`, rounded to milliseconds.
pub(super) fn time_limit(started: Instant, deadline: Instant) -> Duration {
    let exact = deadline.saturating_duration_since(started);
    Duration::from_millis(u64::try_from((exact.as_micros() + 500) / 1000).unwrap_or(u64::MAX))
}

fn connection_closed() -> ClientError {
    ClientError::lost("the connection was closed")
}

/// Sends messages without a response in order, each with a short timeout.
async fn send_outbox(mut outbox: mpsc::Receiver<Outgoing>, wire: Weak<dyn Wire>) {
    while let Some(mut outgoing) = outbox.recv().await {
        let Some(wire) = wire.upgrade() else { return };
        outgoing.deadline = Instant::now() + SEND_TIMEOUT;
        let _ = timeout(SEND_TIMEOUT, wire.send(outgoing)).await;
    }
}
