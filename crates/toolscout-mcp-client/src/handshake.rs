//! Determines the era of a server, and does the matching handshake.
//!
//! **The rule.** An unknown server is sent `server/discover` first. A valid response makes it a
//! modern server. An error of the modern era is final. Any other error, or a response without
//! versions, makes it a legacy server, and `initialize` follows. If the server stays silent for a
//! while, `initialize` is sent while `server/discover` is still pending, and the first valid
//! response wins. Thus a server that is merely slow to start is never misclassified, and a server
//! that ignores unknown methods causes no delay. The era of the last connection only changes the
//! order: a legacy server is sent `initialize` first, and a modern server's silence is ignored. In
//! either case a wrong assumption is corrected once, and no more. A configured revision replaces
//! all of this: the server gets that handshake and no other.

mod description;

#[cfg(test)]
mod tests;

pub use description::ServerDescription;

use super::era::ProtocolEra;
use super::limits::Limits;
use super::params::RequestParams;
use super::peer::{Peer, PeerRequest, time_limit};
use super::{ClientError, ProtocolChoice};
use serde_json::{Map, Value, json};
use std::pin::{Pin, pin};
use std::time::{Duration, Instant};
use tokio::time::timeout;
use toolscout_core::RawJson;

/// The supported versions, best first.
pub(super) const MODERN: &str = "2026-07-28";
pub(super) const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Error codes that only modern servers use.
const HEADER_MISMATCH: i64 = -32020;
const MISSING_CAPABILITY: i64 = -32021;
const UNSUPPORTED_VERSION: i64 = -32022;
/// The error code of a server that expects `initialize`.
const NOT_INITIALIZED: i64 = -32002;
/// The number of bytes of a version that are shown.
const MAX_SHOWN_VERSION: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct HandshakeResult {
    pub(super) era: ProtocolEra,
    pub(super) description: ServerDescription,
}

/// Does the handshake that `choice` permits. `known` is the era of the last connection.
pub(super) async fn negotiate(
    peer: &Peer,
    choice: ProtocolChoice,
    known: Option<&ProtocolEra>,
    limits: &Limits,
    deadline: Instant,
) -> Result<HandshakeResult, ClientError> {
    let started = Instant::now();
    let result = match choice {
        ProtocolChoice::Auto => open(peer, known, limits, deadline).await,
        ProtocolChoice::Modern => match discover(peer, deadline).await? {
            DiscoverVerdict::Modern(result) => Ok(result),
            DiscoverVerdict::Legacy(_) => Err(without_revision(MODERN)),
        },
        ProtocolChoice::Legacy => initialize(peer, LEGACY[0], deadline).await,
        ProtocolChoice::Revision(revision) => match initialize(peer, revision, deadline).await? {
            result if result.era.version() == revision => Ok(result),
            _ => Err(without_revision(revision)),
        },
    };
    result.map_err(|error| match error {
        // The error reports the time limit of the whole handshake, because that is how long the
        // user waited, and not the limit of one request in it.
        ClientError::TimedOut { what, .. } => {
            ClientError::TimedOut { what, limit: time_limit(started, deadline) }
        }
        other => other,
    })
}

async fn open(
    peer: &Peer,
    known: Option<&ProtocolEra>,
    limits: &Limits,
    deadline: Instant,
) -> Result<HandshakeResult, ClientError> {
    match known {
        Some(ProtocolEra::Legacy { .. }) => match initialize(peer, LEGACY[0], deadline).await {
            Err(error) if may_be_wrong_era(peer, &error) => {
                probe(peer, limits, true, deadline).await
            }
            other => other,
        },
        Some(ProtocolEra::Modern { .. }) => probe(peer, limits, false, deadline).await,
        None => probe(peer, limits, true, deadline).await,
    }
}

/// Does the legacy handshake.
pub(super) async fn initialize(
    peer: &Peer,
    offered_version: &str,
    deadline: Instant,
) -> Result<HandshakeResult, ClientError> {
    let opened = match send_initialize(peer, offered_version, deadline).await {
        Err(ClientError::Answered { code, message, data }) => {
            match other_supported_version(offered_version, data.as_ref()) {
                Some(version) if LEGACY.contains(&version) => {
                    send_initialize(peer, version, deadline).await?
                }
                _ => return Err(ClientError::Answered { code, message, data }),
            }
        }
        other => other?,
    };
    let opened = opened.to_value();
    let version = match &opened["protocolVersion"] {
        Value::String(version) if LEGACY.contains(&version.as_str()) => version.clone(),
        Value::String(version) => return Err(no_common_version(&[version])),
        _ => {
            return Err(ClientError::protocol(
                "its response to `initialize` has no protocol version",
            ));
        }
    };
    let era = ProtocolEra::Legacy { version };
    // Over HTTP, the notification and the event stream that it opens need the agreed version.
    peer.wire().set_era(&era);
    // A failure is ignored: the server may not need the notification, and if it is gone, the next
    // request fails.
    let _ = peer.notify("notifications/initialized", None, deadline).await;
    Ok(HandshakeResult { era, description: ServerDescription::from_response(&opened) })
}

/// Whether this error means that the server expects a legacy handshake.
pub(super) fn wants_initialize(error: &ClientError) -> bool {
    match error {
        ClientError::Answered { code: NOT_INITIALIZED, .. } => true,
        ClientError::Answered { message, .. } => {
            message.to_ascii_lowercase().contains("not initialized")
        }
        _ => false,
    }
}

/// The newest legacy version, to offer to a server that turned out to be a legacy one.
pub(super) fn newest_legacy() -> &'static str {
    LEGACY[0]
}

/// The client information in every request of the modern era.
pub(super) fn add_client_info(meta: &mut Map<String, Value>, capabilities: Value) {
    let key = |name: &str| format!("io.modelcontextprotocol/{name}");
    meta.insert(key("protocolVersion"), MODERN.into());
    meta.insert(key("clientCapabilities"), capabilities);
    meta.insert(key("clientInfo"), client_info());
}

fn client_info() -> Value {
    json!({"name": "toolscout", "version": env!("CARGO_PKG_VERSION")})
}

/// The era according to the response to `server/discover`.
enum DiscoverVerdict {
    Modern(HandshakeResult),
    /// The version to offer.
    Legacy(&'static str),
}

async fn probe(
    peer: &Peer,
    limits: &Limits,
    falls_back_on_silence: bool,
    deadline: Instant,
) -> Result<HandshakeResult, ClientError> {
    let mut discovering = pin!(discover(peer, deadline));
    let verdict = if falls_back_on_silence {
        match timeout(silence_timeout(limits, deadline), &mut discovering).await {
            Ok(verdict) => verdict,
            Err(_) => return race(peer, discovering, limits, deadline).await,
        }
    } else {
        discovering.await
    };
    match verdict? {
        DiscoverVerdict::Modern(result) => Ok(result),
        DiscoverVerdict::Legacy(offered_version) => {
            initialize(peer, offered_version, deadline).await
        }
    }
}

/// How long to wait for a silent server; at most a third of the remaining time, so that a handshake
/// still fits.
fn silence_timeout(limits: &Limits, deadline: Instant) -> Duration {
    limits.probe.min(deadline.saturating_duration_since(Instant::now()) / 3)
}

/// Sends `initialize` while `server/discover` is pending. The first valid response wins, and the
/// other request is dropped.
async fn race(
    peer: &Peer,
    mut discovering: Pin<&mut impl Future<Output = Result<DiscoverVerdict, ClientError>>>,
    limits: &Limits,
    deadline: Instant,
) -> Result<HandshakeResult, ClientError> {
    let mut opening = pin!(initialize(peer, LEGACY[0], deadline));
    tokio::select! {
        biased;
        verdict = &mut discovering => match verdict {
            Ok(DiscoverVerdict::Modern(result)) => Ok(result),
            _ => opening.await,
        },
        opened = &mut opening => match opened {
            // The server may be a modern one that is slow to answer `server/discover`.
            Err(error) if may_be_wrong_era(peer, &error) => match timeout(limits.probe, discovering).await {
                Ok(Ok(DiscoverVerdict::Modern(result))) => Ok(result),
                _ => Err(error),
            },
            other => other,
        },
    }
}

async fn discover(peer: &Peer, deadline: Instant) -> Result<DiscoverVerdict, ClientError> {
    let response = match send_discover(peer, deadline).await {
        // Another instance behind the same address may answer now, so this is tried once more.
        Err(ClientError::Answered { code: UNSUPPORTED_VERSION, data, .. })
            if supports_modern(data.as_ref()) =>
        {
            send_discover(peer, deadline).await
        }
        response => response,
    };
    match response {
        Ok(response) => evaluate(&response.to_value()),
        Err(ClientError::Answered { code: UNSUPPORTED_VERSION, message, data }) => {
            match other_supported_version(MODERN, data.as_ref()) {
                Some(version) => Ok(DiscoverVerdict::Legacy(version)),
                None => Err(unsupported_version(message, data.as_ref())),
            }
        }
        Err(error @ ClientError::Answered { code: HEADER_MISMATCH | MISSING_CAPABILITY, .. }) => {
            Err(error)
        }
        Err(error) if may_be_wrong_era(peer, &error) => Ok(DiscoverVerdict::Legacy(LEGACY[0])),
        Err(error) => Err(error),
    }
}

async fn send_discover(peer: &Peer, deadline: Instant) -> Result<RawJson, ClientError> {
    let mut meta = Map::new();
    add_client_info(&mut meta, json!({}));
    let params = Map::from_iter([("_meta".to_owned(), Value::Object(meta))]);
    peer.request(
        PeerRequest::new("server/discover", params, deadline)
            .described_as("the handshake")
            .without_cancellation(),
    )
    .await
}

fn supports_modern(data: Option<&RawJson>) -> bool {
    data.is_some_and(|data| texts(&data.to_value()["supported"]).contains(&MODERN))
}

fn evaluate(response: &Value) -> Result<DiscoverVerdict, ClientError> {
    let offered: Vec<&str> = texts(&response["supportedVersions"]);
    if offered.contains(&MODERN) {
        return Ok(DiscoverVerdict::Modern(HandshakeResult {
            era: ProtocolEra::Modern { version: MODERN.to_owned() },
            description: ServerDescription::from_response(response),
        }));
    }
    match (LEGACY.into_iter().find(|legacy| offered.contains(legacy)), offered.is_empty()) {
        (Some(version), _) => Ok(DiscoverVerdict::Legacy(version)),
        // Some legacy servers answer every request with an empty result.
        (None, true) => Ok(DiscoverVerdict::Legacy(LEGACY[0])),
        (None, false) => Err(no_common_version(&offered)),
    }
}

async fn send_initialize(
    peer: &Peer,
    version: &str,
    deadline: Instant,
) -> Result<RawJson, ClientError> {
    let params = RequestParams::default().with("protocolVersion", &version);
    let params = params
        .with("capabilities", &capabilities(peer.router().relays()))
        .with("clientInfo", &client_info());
    peer.request(
        PeerRequest::new("initialize", params, deadline)
            .described_as("the handshake")
            .without_cancellation(),
    )
    .await
}

/// The client capabilities sent to a legacy server. Callers with different capabilities share the
/// connection, so the server gets the largest set. A reverse request that a caller does not support
/// is refused when it arrives.
fn capabilities(relays: bool) -> Value {
    if relays {
        json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
    } else {
        json!({})
    }
}

/// Whether an error may mean that the server does not know the method, rather than that it is gone,
/// is busy, or requires a login.
fn may_be_wrong_era(peer: &Peer, error: &ClientError) -> bool {
    let may_be = matches!(
        error,
        ClientError::Answered { .. }
            | ClientError::Protocol { .. }
            | ClientError::Status { status: 400..=499, .. }
    );
    may_be && peer.router().lost_reason().is_none()
}

/// A version that both sides support, from the list in the error data, other than the refused one.
fn other_supported_version(refused: &str, data: Option<&RawJson>) -> Option<&'static str> {
    let data = data?.to_value();
    let supported = texts(&data["supported"]);
    LEGACY.into_iter().find(|legacy| *legacy != refused && supported.contains(legacy))
}

fn unsupported_version(message: String, data: Option<&RawJson>) -> ClientError {
    let data = data.map(RawJson::to_value).unwrap_or_default();
    match texts(&data["supported"]) {
        offered if offered.contains(&MODERN) => ClientError::protocol(format!(
            "it rejects protocol version {MODERN}, although it lists it as supported: {message}"
        )),
        offered => no_common_version(&offered),
    }
}

fn without_revision(revision: &str) -> ClientError {
    ClientError::protocol(format!(
        "it does not support protocol version {revision}, which its `protocol` requires"
    ))
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn no_common_version(offered: &[impl AsRef<str>]) -> ClientError {
    let shown = offered.iter().take(4).map(|offered| {
        &offered.as_ref()[..offered.as_ref().floor_char_boundary(MAX_SHOWN_VERSION)]
    });
    let theirs = shown.collect::<Vec<_>>().join(", ");
    let ours = LEGACY.join(", ");
    ClientError::protocol(format!(
        "no common protocol version: it supports `{theirs}`, toolscout supports {MODERN}, {ours}"
    ))
}
