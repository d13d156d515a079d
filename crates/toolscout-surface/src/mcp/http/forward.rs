//! Forwards a request of a client to the replica that has what it needs, and streams the response
//! back.

use super::envelope::{Envelope, SIGNATURE};
use super::fleet::{FleetSessions, ReplicaGone, Target};
use super::forwarded::PATH;
use super::session::Session;
use crate::http::{HttpRejection, Principal};
use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST};
use axum::http::request::Parts;
use axum::http::{HeaderName, Request, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::future::join_all;
use futures_util::stream::unfold;
use futures_util::{Stream, StreamExt};
use hyper_util::rt::TokioIo;
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::{interval, timeout};

/// How long a connection to a replica may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(1);
/// How often a waiting request checks that the other replica still serves.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// The replica has not received the request.
const NOT_SENT: ReplicaGone = ReplicaGone { was_sent: false };
/// The replica may have received the request.
const LOST: ReplicaGone = ReplicaGone { was_sent: true };
/// The headers of a response that reach the client.
const HEADERS: [HeaderName; 3] =
    [CONTENT_TYPE, CACHE_CONTROL, HeaderName::from_static("x-accel-buffering")];

/// The request of a client on its way to another replica.
pub(super) struct Forwarding<'a> {
    pub(super) fleet: &'a Arc<FleetSessions>,
    pub(super) principal: &'a Principal,
    pub(super) head: &'a Parts,
    pub(super) body: &'a [u8],
}

type Connection = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Forwarding<'_> {
    /// The response of the replica that has to process the request; none if that is this one.
    pub(super) async fn to_target(
        &self,
        target: Target,
        session: Option<&Session>,
    ) -> Option<Response> {
        match target {
            Target::Here => None,
            Target::Replica(replica) => Some(
                self.send(&replica)
                    .await
                    .unwrap_or_else(|gone| HttpRejection::from(gone).into_response()),
            ),
            Target::Home => self.to_home(session?).await,
            Target::Everywhere => {
                let others = self.fleet.others();
                join_all(others.iter().map(|replica| self.send(replica))).await;
                None
            }
        }
    }

    /// The response of the replica that has the stream of the session; none if that is this one,
    /// or if it has gone.
    pub(super) async fn to_home(&self, session: &Session) -> Option<Response> {
        let home = self.fleet.home(session)?;
        if home == *self.fleet.replicas.own_id() {
            return None;
        }
        self.send(&home).await.ok()
    }

    /// Sends the request to a replica, and waits for the head of the response.
    pub(super) async fn send(&self, replica: &str) -> Result<Response, ReplicaGone> {
        let address = self.fleet.address(replica).await?;
        let envelope = Envelope::new(self.fleet, replica, self.head, self.principal);
        let signed = envelope.and_then(|envelope| envelope.sign(self.fleet, self.body));
        let signed = signed.ok_or(NOT_SENT)?;
        let connecting = timeout(CONNECT_LIMIT, TcpStream::connect(&address));
        let stream = connecting.await.ok().and_then(Result::ok).ok_or(NOT_SENT)?;
        let _ = stream.set_nodelay(true);
        let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream));
        let (mut sender, connection) = handshake.await.map_err(|_| NOT_SENT)?;
        let connection: Connection = Box::pin(async move {
            // The body of the response reports a broken connection.
            let _ = connection.await;
        });
        let mut connection = Some(connection);
        let request = Request::builder()
            .method("POST")
            .uri(PATH)
            .header(HOST, &address)
            .header(SIGNATURE, signed.signature)
            .body(Body::from(signed.body))
            .map_err(|_| NOT_SENT)?;
        let mut response = pin!(sender.send_request(request));
        let response = tokio::select! {
            biased;
            response = &mut response => response,
            // A replica that drains closes the connection behind its response.
            () = driven(&mut connection) => response.await,
            () = self.fleet.gone(replica) => return Err(LOST),
        };
        let response = response.map_err(|_| LOST)?;
        let (head, body) = response.into_parts();
        if matches!(head.status, StatusCode::UNAUTHORIZED) {
            tracing::warn!(event = "replica_refused_request", replica);
            return Err(NOT_SENT);
        }
        let body = Body::new(body).into_data_stream();
        let gone = {
            let (fleet, replica) = (self.fleet.clone(), replica.to_owned());
            Box::pin(async move { fleet.gone(&replica).await })
        };
        let mut response = Response::new(Body::from_stream(streamed(body, connection, gone)));
        *response.status_mut() = head.status;
        for (name, value) in head.headers.iter().filter(|(name, _)| HEADERS.contains(name)) {
            response.headers_mut().append(name, value.clone());
        }
        Ok(response)
    }
}

impl FleetSessions {
    /// Waits until a replica does not serve any more.
    async fn gone(&self, replica: &str) {
        let mut checks = interval(CHECK_INTERVAL);
        loop {
            checks.tick().await;
            if self.known_address(replica).is_none() {
                return;
            }
        }
    }
}

/// The body of a response, while its connection is driven. It ends when the replica is gone.
fn streamed(
    body: impl Stream<Item = Result<Bytes, axum::Error>> + Send + Unpin + 'static,
    connection: Option<Connection>,
    gone: Pin<Box<dyn Future<Output = ()> + Send>>,
) -> impl Stream<Item = io::Result<Bytes>> {
    unfold(Some((body, connection, gone)), |state| async move {
        let (mut body, mut connection, mut gone) = state?;
        loop {
            tokio::select! {
                biased;
                chunk = body.next() => return match chunk? {
                    Ok(chunk) => Some((Ok(chunk), Some((body, connection, gone)))),
                    Err(error) => Some((Err(io::Error::other(error)), None)),
                },
                // What it has received is still in the body.
                () = driven(&mut connection) => {}
                () = &mut gone => return None,
            }
        }
    })
}

/// Drives a connection until it ends; afterwards there is nothing to drive.
async fn driven(connection: &mut Option<Connection>) {
    match connection {
        Some(running) => running.await,
        None => std::future::pending().await,
    }
    *connection = None;
}
