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
pub(super) use router::{ProgressTo, ResponseRouter};

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
use tokio::time::{Instant as Until, timeout, timeout_at};
use toolscout_core::{Counterpart, Cx, RawJson};

/// The time limit for sending a response to the server, or a cancellation.
const POSTING: Duration = Duration::from_secs(2);
/// The deadline of standing requests, which last until one side ends them.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

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
    pub(super) progress: Option<ProgressTo>,
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
    pub(super) fn called(self, what: impl Into<String>) -> Self {
        Self { what: what.into(), ..self }
    }

    /// The same request without a cancellation at the server, which may not understand it.
    pub(super) fn quietly(self) -> Self {
        Self { cancels: false, ..self }
    }
}

/// The party a request is made for.
#[derive(Clone)]
pub(super) enum Behalf {
    /// The client itself: a listing, a handshake.
    Ourselves,
    /// A caller, perhaps with a counterpart for reverse requests.
    Caller(Option<Arc<dyn Counterpart>>),
}

impl Behalf {
    /// The counterpart for reverse requests.
    pub(super) fn counterpart(&self) -> Option<&Arc<dyn Counterpart>> {
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
    _courier: JoinSet<()>,
}

impl Peer {
    /// Joins a wire and the router that receives its messages.
    pub(super) fn new(router: Arc<ResponseRouter>, wire: Arc<dyn Wire>) -> Self {
        let mut courier = JoinSet::new();
        if let Some(outbox) = router.take_outbox() {
            courier.spawn(post(outbox, Arc::downgrade(&wire)));
        }
        Self { router, wire, _courier: courier }
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
    pub(super) async fn ask(&self, ask: PeerRequest) -> Result<RawJson, ClientError> {
        let began = Instant::now();
        let (deadline, what) = (ask.deadline, ask.what.clone());
        let RegisteredRequest { mut asked, outgoing, answer, reverse_requests } =
            self.register(ask, false)?;
        let work = async {
            self.wire.send(outgoing).await?;
            asked.is_sent = true;
            answer.await.unwrap_or_else(|_| Err(gone()))
        };
        let answered = match reverse_requests {
            None => timeout_at(Until::from_std(deadline), work).await.ok(),
            Some(reverse_requests) => reverse_requests.attend(work, deadline, &self.router).await,
        };
        drop(asked);
        answered
            .unwrap_or_else(|| Err(ClientError::TimedOut { what, limit: given(began, deadline) }))
    }

    /// Sends a standing request; returns when the server has acknowledged it, or was silent for
    /// `patience`.
    pub(super) async fn stand(
        &self,
        mut ask: PeerRequest,
        patience: Duration,
    ) -> Result<StandingRequest, ClientError> {
        ask.deadline = Instant::now() + FOR_EVER;
        let RegisteredRequest { mut asked, outgoing, mut answer, .. } = self.register(ask, true)?;
        let acknowledged = self.router.acknowledgement(asked.id);
        let sent = timeout(patience.max(POSTING), self.wire.send(outgoing)).await;
        sent.unwrap_or_else(|_| Err(ClientError::lost("it does not take what is sent to it")))?;
        asked.is_sent = true;
        tokio::select! {
            biased;
            answered = &mut answer => match answered {
                Ok(Err(error)) => return Err(error),
                Err(_) => return Err(gone()),
                // The request has already ended; [`StandingRequest::ended`] returns at once.
                Ok(Ok(_)) => return Ok(StandingRequest { _asked: asked, answer: None }),
            },
            _ = timeout(patience, acknowledged) => {}
        }
        Ok(StandingRequest { _asked: asked, answer: Some(answer) })
    }

    /// Sends a notification to the server.
    pub(super) async fn tell(
        &self,
        method: &str,
        params: Option<Value>,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        self.wire.send(told(method, params, deadline)).await
    }

    fn register(&self, ask: PeerRequest, stands: bool) -> Result<RegisteredRequest, ClientError> {
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
        } = ask;
        let (sender, answer) = oneshot::channel();
        let wants_progress = progress.is_some();
        let (origin, reverse_requests) = self.origin(behalf);
        let id = self.router.register(PendingResponse::new(sender, progress, stands, origin))?;
        let wire = Arc::downgrade(&self.wire);
        let asked =
            InFlightRequest { router: self.router.clone(), wire, id, is_sent: false, cancels };
        if wants_progress {
            params.meta.insert("progressToken".to_owned(), id.into());
        }
        let body = message::request(id, &method, &params);
        let longer = reverse_requests.as_ref().map_or(Duration::ZERO, |_| Cx::THINKING);
        let outgoing =
            Outgoing { body, id: Some(id), method: Some(method), name, mirrored, deadline, longer };
        Ok(RegisteredRequest { asked, outgoing, answer, reverse_requests })
    }

    fn origin(&self, behalf: Behalf) -> (RequestOrigin, Option<ReverseRequests>) {
        match behalf {
            Behalf::Ourselves => (RequestOrigin::Ourselves, None),
            Behalf::Caller(None) => (RequestOrigin::Mute, None),
            Behalf::Caller(Some(counterpart)) if self.router.may_be_asked() => {
                let (sender, reverse_requests) = reverse_requests::open(counterpart);
                (RequestOrigin::Caller(sender), Some(reverse_requests))
            }
            Behalf::Caller(Some(counterpart)) => {
                (RequestOrigin::Caller(ReverseRequestSender::without_questions(counterpart)), None)
            }
        }
    }
}

/// A request that is ready to be sent.
struct RegisteredRequest {
    asked: InFlightRequest,
    outgoing: Outgoing,
    answer: ResponseReceiver,
    /// Reverse requests to the caller while its request is pending.
    reverse_requests: Option<ReverseRequests>,
}

/// A request that lasts until the server ends it or it is dropped.
pub(super) struct StandingRequest {
    _asked: InFlightRequest,
    answer: Option<ResponseReceiver>,
}

impl StandingRequest {
    /// Waits until the request has ended.
    pub(super) async fn ended(&mut self) {
        if let Some(answer) = &mut self.answer {
            let _ = answer.await;
        }
        self.answer = None;
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
            let params = json!({"requestId": self.id, "reason": "nobody waits for it any more"});
            self.router.post(told(
                "notifications/cancelled",
                Some(params),
                Instant::now() + POSTING,
            ));
        }
    }
}

fn told(method: &str, params: Option<Value>, deadline: Instant) -> Outgoing {
    let body = toolscout_core::jsonrpc::notification(
        method,
        params.map(|params| params.to_string()).as_deref(),
    );
    let (method, longer) = (Some(method.to_owned()), Duration::ZERO);
    Outgoing { body, id: None, method, name: None, mirrored: Vec::new(), deadline, longer }
}

/// The time from `began` to `deadline`, rounded to milliseconds.
pub(super) fn given(began: Instant, deadline: Instant) -> Duration {
    let exact = deadline.saturating_duration_since(began);
    Duration::from_millis(u64::try_from((exact.as_micros() + 500) / 1000).unwrap_or(u64::MAX))
}

fn gone() -> ClientError {
    ClientError::lost("the connection was closed")
}

/// Sends messages without a response in order, each with a short timeout.
async fn post(mut outbox: mpsc::Receiver<Outgoing>, wire: Weak<dyn Wire>) {
    while let Some(mut outgoing) = outbox.recv().await {
        let Some(wire) = wire.upgrade() else { return };
        outgoing.deadline = Instant::now() + POSTING;
        let _ = timeout(POSTING, wire.send(outgoing)).await;
    }
}
