//! A request that one replica forwards to another: the request, the decision of the replica that
//! authenticated the client, and a signature over both.

use super::fleet::FleetSessions;
use crate::http::{ClientAddress, Principal, Role};
use axum::http::header::{AUTHORIZATION, CONNECTION, CONTENT_LENGTH, COOKIE, TRANSFER_ENCODING};
use axum::http::request::Parts;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::Instant;
use toolscout_core::Moment;
use toolscout_core::cx::ClientApprovals;

/// The header with the signature.
pub(super) const SIGNATURE: &str = "toolscout-signature";
/// How old a request may be, and how far in the future.
const WINDOW: Duration = Duration::from_secs(30);
/// Maximum number of remembered nonces; beyond it, requests are refused.
const MAX_NONCES: usize = 100_000;

/// The part of a forwarded request before the body of the client.
#[derive(Serialize, Deserialize)]
pub(super) struct Envelope {
    /// The id of the replica that has to process it.
    to: String,
    at: Moment,
    nonce: String,
    pub(super) method: String,
    pub(super) uri: String,
    pub(super) headers: Vec<(String, String)>,
    /// The address of the client.
    pub(super) address: Option<IpAddr>,
    principal: ForwardedPrincipal,
}

/// The decision of the replica that authenticated the client.
#[derive(Serialize, Deserialize)]
struct ForwardedPrincipal {
    name: Option<String>,
    is_operator: bool,
    token: Option<String>,
    profile: Option<String>,
    /// Whether its answers approve calls; none if the configuration decides.
    approves: Option<bool>,
    is_ui: bool,
}

/// Why a forwarded request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotFromReplica(pub(super) &'static str);

/// The body of a forwarded request, and its signature.
pub(super) struct SignedRequest {
    pub(super) body: Vec<u8>,
    pub(super) signature: String,
}

impl Envelope {
    /// The request of a client, for this replica.
    pub(super) fn new(
        fleet: &FleetSessions,
        to: &str,
        head: &Parts,
        principal: &Principal,
    ) -> Option<Self> {
        let mut nonce = [0; 16];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let skipped = [AUTHORIZATION, COOKIE, CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING];
        let headers = head.headers.iter().filter(|(name, _)| !skipped.contains(name));
        let headers = headers
            .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
        Some(Self {
            to: to.to_owned(),
            at: fleet.replicas.now(),
            nonce: URL_SAFE_NO_PAD.encode(nonce),
            method: head.method.to_string(),
            uri: head.uri.path_and_query()?.to_string(),
            headers: headers.collect(),
            address: head.extensions.get::<ClientAddress>().map(|address| address.0),
            principal: ForwardedPrincipal::of(principal),
        })
    }

    /// The authenticated client.
    pub(super) fn principal(&self) -> Principal {
        let ForwardedPrincipal { name, is_operator, token, profile, approves, is_ui } =
            &self.principal;
        let role = if *is_operator { Role::Operator } else { Role::Agent };
        let mut all = Principal::new(name.as_deref().map(Into::into), role);
        all.token = token.as_deref().map(Into::into);
        all.profile = profile.as_deref().map(Into::into);
        all.approvals = match approves {
            None => ClientApprovals::AsConfigured,
            Some(true) => ClientApprovals::Always,
            Some(false) => ClientApprovals::Never,
        };
        all.is_ui = *is_ui;
        all
    }

    /// Signs the request together with the body of the client.
    pub(super) fn sign(&self, fleet: &FleetSessions, body: &[u8]) -> Option<SignedRequest> {
        let mut signed = serde_json::to_vec(self).ok()?;
        signed.push(b'\n');
        signed.extend_from_slice(body);
        let signature = hmac::sign(fleet.keys.first()?, &signed);
        Some(SignedRequest { body: signed, signature: URL_SAFE_NO_PAD.encode(signature) })
    }

    /// Reads a request that another replica has signed for this one, once. Returns it with the body
    /// of the client.
    pub(super) fn open(
        fleet: &FleetSessions,
        signature: Option<&str>,
        mut signed: Vec<u8>,
    ) -> Result<(Self, Vec<u8>), NotFromReplica> {
        let signature = signature.and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
        let signature = signature.ok_or(NotFromReplica("the request is not signed"))?;
        let is_signed = |key: &hmac::Key| hmac::verify(key, &signed, &signature).is_ok();
        if !fleet.keys.iter().any(is_signed) {
            return Err(NotFromReplica("the signature is not one of this fleet"));
        }
        let unreadable = NotFromReplica("the request is that of another version");
        let end = signed.iter().position(|byte| *byte == b'\n').ok_or(unreadable)?;
        let body = signed.split_off(end + 1);
        let envelope: Self = serde_json::from_slice(&signed).map_err(|_| unreadable)?;
        if envelope.to != *fleet.replicas.own_id() {
            return Err(NotFromReplica("the request is for another replica"));
        }
        let now = fleet.replicas.now();
        if envelope.at.age(now) > WINDOW || now.age(envelope.at) > WINDOW {
            return Err(NotFromReplica("the request is too old"));
        }
        fleet.use_nonce(&envelope.nonce)?;
        Ok((envelope, body))
    }
}

impl ForwardedPrincipal {
    fn of(principal: &Principal) -> Self {
        Self {
            name: principal.name.as_deref().map(str::to_owned),
            is_operator: principal.role == Role::Operator,
            token: principal.token.as_deref().map(str::to_owned),
            profile: principal.profile.as_deref().map(str::to_owned),
            approves: match principal.approvals {
                ClientApprovals::AsConfigured => None,
                ClientApprovals::Always => Some(true),
                ClientApprovals::Never => Some(false),
            },
            is_ui: principal.is_ui,
        }
    }
}

impl FleetSessions {
    /// Accepts a nonce once, for as long as its request may be accepted.
    fn use_nonce(&self, nonce: &str) -> Result<(), NotFromReplica> {
        let mut nonces = self.nonces.lock();
        let now = Instant::now();
        if nonces.len() >= MAX_NONCES / 2 {
            nonces.retain(|_, until| now < *until);
        }
        if nonces.len() >= MAX_NONCES {
            return Err(NotFromReplica("too many requests of other replicas"));
        }
        match nonces.insert(nonce.to_owned(), now + WINDOW * 2) {
            None => Ok(()),
            Some(_) => Err(NotFromReplica("the request was sent before")),
        }
    }
}
