//! Finds out which era a server is of, and opens the conversation accordingly.
//!
//! **The rule.** A server we know nothing about is asked `server/discover` first. A good answer makes it a modern one; an
//! error of the modern era is final; any other error, or an answer that says nothing about versions, makes it a legacy one,
//! and `initialize` follows. If it stays silent for a while, `initialize` is sent beside the question still open, and the
//! first good answer wins: so a server that is merely slow to start is never taken for something it is not, and one that
//! ignores what it does not know does not hold us up. What was learnt the last time only changes the order: a legacy server
//! is sent `initialize` first, and a modern one's silence is not held against it. Either way an assumption that turns out
//! wrong is given up once, and no more.

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

/// The versions we speak, the best first.
pub(super) const MODERN: &str = "2026-07-28";
const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Codes that only servers of the modern era know.
const HEADER_MISMATCH: i64 = -32020;
const MISSING_CAPABILITY: i64 = -32021;
const UNSUPPORTED_VERSION: i64 = -32022;
/// The error of a server that waits for `initialize`.
const NOT_INITIALIZED: i64 = -32002;
/// Bytes of a version that are shown.
const VERSION: usize = 32;

/// The result of a handshake.
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
        // Whichever question it was that took so long: people wait for the whole.
        ClientError::TimedOut { what, .. } => ClientError::TimedOut { what, limit: given(began, deadline) },
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

/// Opens a legacy conversation.
pub(super) async fn initialize(peer: &Peer, offer: &str, deadline: Instant) -> Result<HandshakeResult, ClientError> {
    let opened = match ask_to_initialize(peer, offer, deadline).await {
        Err(ClientError::Answered { code, message, data }) => match other_than(offer, data.as_ref()) {
            Some(version) if LEGACY.contains(&version) => ask_to_initialize(peer, version, deadline).await?,
            _ => return Err(ClientError::Answered { code, message, data }),
        },
        other => other?,
    };
    let opened = opened.to_value();
    let version = match &opened["protocolVersion"] {
        Value::String(version) if LEGACY.contains(&version.as_str()) => version.clone(),
        Value::String(version) => return Err(nothing_common(&[version])),
        _ => return Err(ClientError::protocol("its answer to `initialize` names no protocol version")),
    };
    // A server that does not care to hear this will not miss it; one that is gone is noticed by the next request.
    let _ = peer.tell("notifications/initialized", None, deadline).await;
    Ok(HandshakeResult { era: ProtocolEra::Legacy { version }, description: ServerDescription::of(&opened) })
}

/// Whether this error means that the server waits for a handshake of the legacy era.
pub(super) fn wants_initialize(error: &ClientError) -> bool {
    match error {
        ClientError::Answered { code: NOT_INITIALIZED, .. } => true,
        ClientError::Answered { message, .. } => message.to_ascii_lowercase().contains("not initialized"),
        _ => false,
    }
}

/// Newest first, to offer to a server that turned out to be of the legacy era.
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
    /// Offer it this.
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

/// How long silence is waited out; never so long that there would be no time left for a handshake.
fn patience(limits: &Limits, deadline: Instant) -> Duration {
    limits.probe.min(deadline.saturating_duration_since(Instant::now()) / 3)
}

/// Both requests are pending; the first good response wins, and the other one is dropped.
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
            // It may be a modern one that takes its time to say so.
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
        // Another instance behind the same address may answer now. Tried once more.
        Err(ClientError::Answered { code: UNSUPPORTED_VERSION, data, .. }) if supports_modern(data.as_ref()) => {
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
        Err(error @ ClientError::Answered { code: HEADER_MISMATCH | MISSING_CAPABILITY, .. }) => Err(error),
        Err(error) if is_about_era(peer, &error) => Ok(DiscoverVerdict::Legacy(LEGACY[0])),
        Err(error) => Err(error),
    }
}

async fn ask_to_discover(peer: &Peer, deadline: Instant) -> Result<RawJson, ClientError> {
    let mut meta = Map::new();
    introduce(&mut meta, json!({}));
    let params = Map::from_iter([("_meta".to_owned(), Value::Object(meta))]);
    peer.ask(PeerRequest::new("server/discover", params, deadline).called("the handshake").quietly()).await
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
        // Some legacy servers answer anything at all with an empty result.
        (None, true) => Ok(DiscoverVerdict::Legacy(LEGACY[0])),
        (None, false) => Err(nothing_common(&offered)),
    }
}

async fn ask_to_initialize(peer: &Peer, version: &str, deadline: Instant) -> Result<RawJson, ClientError> {
    let params = RequestParams::default().with("protocolVersion", &version);
    let params = params.with("capabilities", &capabilities(peer.router().relays())).with("clientInfo", &us());
    peer.ask(PeerRequest::new("initialize", params, deadline).called("the handshake").quietly()).await
}

/// What a server of the legacy era is told that we can do. It is shared by callers of whom some can do all of this and some
/// nothing, so it is told what the best of them can; what another one cannot is refused when it is asked for.
fn capabilities(relays: bool) -> Value {
    match relays {
        true => json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}),
        false => json!({}),
    }
}

/// Whether an error may mean that the server does not know what was asked, as opposed to: it is gone, it is busy, nobody
/// is logged in.
fn is_about_era(peer: &Peer, error: &ClientError) -> bool {
    let may_be = matches!(
        error,
        ClientError::Answered { .. } | ClientError::Protocol { .. } | ClientError::Status { status: 400..=499, .. }
    );
    may_be && peer.router().is_lost().is_none()
}

/// A version that both know, from the list beside an error; not the one that was just refused.
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
    let shown = offered.iter().take(4).map(|it| &it.as_ref()[..it.as_ref().floor_char_boundary(VERSION)]);
    let theirs = shown.collect::<Vec<_>>().join(", ");
    let ours = LEGACY.join(", ");
    ClientError::protocol(format!(
        "no common protocol version: it speaks `{theirs}`, toolscout speaks {MODERN}, {ours}"
    ))
}
