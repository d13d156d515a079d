//! The client that a request is counted for, and the places that all clients share.

use super::{Limits, Principal};
use axum::http::header::USER_AGENT;
use axum::http::request::Parts;
use std::fmt::Write;
use std::net::IpAddr;
use std::sync::Arc;
use toolscout_core::{FairShares, ShareKey};

/// Characters of a header that tell clients apart.
const MAX_NAME_CHARS: usize = 100;

/// The address of the client; in the extensions of every request over TCP.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientAddress(pub(crate) IpAddr);

/// The places for requests, streams and bytes of bodies.
#[derive(Debug, Clone)]
pub(crate) struct RequestShares {
    pub(crate) requests: Arc<FairShares>,
    pub(crate) streams: Arc<FairShares>,
    /// One place per byte.
    pub(crate) bodies: Arc<FairShares>,
}

impl RequestShares {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            requests: FairShares::new(limits.requests, limits.requests_each),
            streams: FairShares::new(limits.streams, limits.streams_each),
            bodies: FairShares::new(limits.bodies, limits.bodies / 2),
        }
    }
}

/// The client of a request without a session: its principal, its address and its `User-Agent`.
pub(crate) fn share_key(principal: &Principal, head: &Parts) -> ShareKey {
    let mut client = String::new();
    if let Some(ClientAddress(address)) = head.extensions.get() {
        let _ = write!(client, "{address} ");
    }
    let agent = head.headers.get(USER_AGENT).and_then(|value| value.to_str().ok());
    client.extend(agent.unwrap_or_default().chars().take(MAX_NAME_CHARS));
    ShareKey { principal: principal.name.clone(), client: Some(client.into()) }
}
