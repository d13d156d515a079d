//! Determines the era of a server, and does the matching handshake.
//!
//! **The rule.** An unknown server is sent `server/discover` first. A valid response makes it a
//! modern server. An error of the modern era is final. Any other error, or a response without
//! versions, makes it a legacy server, and `initialize` follows. If the server stays silent for a
//! while, `initialize` is sent while `server/discover` is still pending, and the first valid
//! response wins. Thus a server that is merely slow to start is never misclassified, and a server
//! that ignores unknown methods causes no delay. The era of the last connection only changes the
//! order: a legacy server is sent `initialize` first, and a modern server's silence is ignored. In
//! either case a wrong assumption is corrected once, and no more.

mod description;

#[cfg(test)]
mod tests;

pub use description::ServerDescription;

use super::ClientError;
use super::era::ProtocolEra;
use super::limits::Limits;
use super::params::RequestParams;
use super::peer::{Peer, PeerRequest, given};
use serde_json::{Map, Value, json};
use std::pin::{Pin, pin};
use std::time::{Duration, Instant};
use tokio::time::timeout;
use toolscout_core::RawJson;

/// The supported versions, best first.
pub(super) const MODERN: &str = "2026-07-28";
const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Error codes that only modern servers use.
const HEADER_MISMATCH: i64 = -32020;
const MISSING_CAPABILITY: i64 = -32021;
const UNSUPPORTED_VERSION: i64 = -32022;
/// The error code of a server that expects `initialize`.
const NOT_INITIALIZED: i64 = -32002;
/// The number of bytes of a version that are shown.
const VERSION: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct HandshakeResult {
    pub(super) era: ProtocolEra,
    pub(super) description: ServerDescription,
}

/// Does the handshake. `known` is the era of the last connection.
pub(super) async fn agree(
    peer: &Peer,
    known: Option<&ProtocolEra>,
    limits: &Limits,
    deadline: Instant,
) -> Result<HandshakeResult, ClientError> {
    let began = Instant::now();
    let agreed = open(peer, known, limits, deadline).await;
    agreed.map_err(|error| match error {
        // The error reports the time limit of the whole handshake, because that is how long the
        // user waited, and not the limit of one request in it.
        ClientError::TimedOut { what, .. } => {
            ClientError::TimedOut { what, limit: given(began, deadline) }
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
            Err(error) if is_about_era(peer, &error) => probe(peer, limits, true, deadline).await,
            other => other,
        },
        Some(ProtocolEra::Modern { .. }) => probe(peer, limits, false, deadline).await,
        None => probe(peer, limits, true, deadline).await,
    }
}

/// Does the legacy handshake.
pub(super) async fn initialize(
    peer: &Peer,
    offer: &str,
    deadline: Instant,
) -> Result<HandshakeResult, ClientError> {
    let opened = match ask_to_initialize(peer, offer, deadline).await {
        Err(ClientError::Answered { code, message, data }) => {
            match other_than(offer, data.as_ref()) {
                Some(version) if LEGACY.contains(&version) => {
                    ask_to_initialize(peer, version, deadline).await?
                }
                _ => return Err(ClientError::Answered { code, message, data }),
            }
        }
        other => other?,
    };
    let opened = opened.to_value();
    let version = match &opened["protocolVersion"] {
        Value::String(version) if LEGACY.contains(&version.as_str()) => version.clone(),
        Value::String(version) => return Err(nothing_common(&[version])),
        _ => {
            return Err(ClientError::protocol(
                "its answer to `initialize` names no protocol version",
            ));
        }
    };
    // A failure is ignored: the server may not need the notification, and if it is gone, the next
    // request fails.
    let _ = peer.tell("notifications/initialized", None, deadline).await;
    Ok(HandshakeResult {
        era: ProtocolEra::Legacy { version },
        description: ServerDescription::of(&opened),
    })
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
pub(super) fn introduce(meta: &mut Map<String, Value>, capabilities: Value) {
    let key = |name: &str| format!("io.modelcontextprotocol/{name}");
    meta.insert(key("protocolVersion"), MODERN.into());
    meta.insert(key("clientCapabilities"), capabilities);
    meta.insert(key("clientInfo"), us());
}

fn us() -> Value {
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
    minds_silence: bool,
    deadline: Instant,
) -> Result<HandshakeResult, ClientError> {
    let mut discovering = pin!(discover(peer, deadline));
    let verdict = match minds_silence {
        false => discovering.await,
        true => match timeout(patience(limits, deadline), &mut discovering).await {
            Ok(verdict) => verdict,
            Err(_) => return race(peer, discovering, limits, deadline).await,
        },
    };
    match verdict? {
        DiscoverVerdict::Modern(agreed) => Ok(agreed),
        DiscoverVerdict::Legacy(offer) => initialize(peer, offer, deadline).await,
    }
}

/// How long to wait for a silent server; at most a third of the remaining time, so that a handshake
/// still fits.
fn patience(limits: &Limits, deadline: Instant) -> Duration {
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
            Ok(DiscoverVerdict::Modern(agreed)) => Ok(agreed),
            _ => opening.await,
        },
        opened = &mut opening => match opened {
            // The server may be a modern one that is slow to answer `server/discover`.
            Err(error) if is_about_era(peer, &error) => match timeout(limits.probe, discovering).await {
                Ok(Ok(DiscoverVerdict::Modern(agreed))) => Ok(agreed),
                _ => Err(error),
            },
            other => other,
        },
    }
}

async fn discover(peer: &Peer, deadline: Instant) -> Result<DiscoverVerdict, ClientError> {
    let answer = match ask_to_discover(peer, deadline).await {
        // Another instance behind the same address may answer now, so this is tried once more.
        Err(ClientError::Answered { code: UNSUPPORTED_VERSION, data, .. })
            if supports_modern(data.as_ref()) =>
        {
            ask_to_discover(peer, deadline).await
        }
        answer => answer,
    };
    match answer {
        Ok(answer) => judge(&answer.to_value()),
        Err(ClientError::Answered { code: UNSUPPORTED_VERSION, message, data }) => {
            match other_than(MODERN, data.as_ref()) {
                Some(version) => Ok(DiscoverVerdict::Legacy(version)),
                None => Err(refused(message, data.as_ref())),
            }
        }
        Err(error @ ClientError::Answered { code: HEADER_MISMATCH | MISSING_CAPABILITY, .. }) => {
            Err(error)
        }
        Err(error) if is_about_era(peer, &error) => Ok(DiscoverVerdict::Legacy(LEGACY[0])),
        Err(error) => Err(error),
    }
}

async fn ask_to_discover(peer: &Peer, deadline: Instant) -> Result<RawJson, ClientError> {
    let mut meta = Map::new();
    introduce(&mut meta, json!({}));
    let params = Map::from_iter([("_meta".to_owned(), Value::Object(meta))]);
    peer.ask(
        PeerRequest::new("server/discover", params, deadline).called("the handshake").quietly(),
    )
    .await
}

fn supports_modern(data: Option<&RawJson>) -> bool {
    data.is_some_and(|it| texts(&it.to_value()["supported"]).contains(&MODERN))
}

fn judge(answer: &Value) -> Result<DiscoverVerdict, ClientError> {
    let offered: Vec<&str> = texts(&answer["supportedVersions"]);
    if offered.contains(&MODERN) {
        return Ok(DiscoverVerdict::Modern(HandshakeResult {
            era: ProtocolEra::Modern { version: MODERN.to_owned() },
            description: ServerDescription::of(answer),
        }));
    }
    match (LEGACY.into_iter().find(|it| offered.contains(it)), offered.is_empty()) {
        (Some(version), _) => Ok(DiscoverVerdict::Legacy(version)),
        // Some legacy servers answer every request with an empty result.
        (None, true) => Ok(DiscoverVerdict::Legacy(LEGACY[0])),
        (None, false) => Err(nothing_common(&offered)),
    }
}

async fn ask_to_initialize(
    peer: &Peer,
    version: &str,
    deadline: Instant,
) -> Result<RawJson, ClientError> {
    let params = RequestParams::default().with("protocolVersion", &version);
    let params = params
        .with("capabilities", &capabilities(peer.router().relays()))
        .with("clientInfo", &us());
    peer.ask(PeerRequest::new("initialize", params, deadline).called("the handshake").quietly())
        .await
}

/// The client capabilities sent to a legacy server. Callers with different capabilities share the
/// connection, so the server gets the largest set. A reverse request that a caller does not support
/// is refused when it arrives.
fn capabilities(relays: bool) -> Value {
    match relays {
        true => json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}),
        false => json!({}),
    }
}

/// Whether an error may mean that the server does not know the method, rather than that it is gone,
/// is busy, or requires a login.
fn is_about_era(peer: &Peer, error: &ClientError) -> bool {
    let may_be = matches!(
        error,
        ClientError::Answered { .. }
            | ClientError::Protocol { .. }
            | ClientError::Status { status: 400..=499, .. }
    );
    may_be && peer.router().is_lost().is_none()
}

/// A version that both sides support, from the list in the error data, other than the refused one.
fn other_than(refused: &str, data: Option<&RawJson>) -> Option<&'static str> {
    let data = data?.to_value();
    let supported = texts(&data["supported"]);
    LEGACY.into_iter().find(|it| *it != refused && supported.contains(it))
}

fn refused(message: String, data: Option<&RawJson>) -> ClientError {
    let data = data.map(RawJson::to_value).unwrap_or_default();
    match texts(&data["supported"]) {
        offered if offered.contains(&MODERN) => ClientError::protocol(format!(
            "it refuses protocol version {MODERN} and yet says that it speaks it: {message}"
        )),
        offered => nothing_common(&offered),
    }
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn nothing_common(offered: &[impl AsRef<str>]) -> ClientError {
    let shown =
        offered.iter().take(4).map(|it| &it.as_ref()[..it.as_ref().floor_char_boundary(VERSION)]);
    let theirs = shown.collect::<Vec<_>>().join(", ");
    let ours = LEGACY.join(", ");
    ClientError::protocol(format!(
        "no common protocol version: it speaks `{theirs}`, toolscout speaks {MODERN}, {ours}"
    ))
}
