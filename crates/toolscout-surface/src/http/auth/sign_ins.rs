//! Sessions of the UI: opened by a single-use link or by a token, and valid for some hours.
//!
//! Browsers send a cookie to every port of a host, so any other program that listens on this
//! machine sees it. Therefore the cookie alone is not sufficient: the UI has a second secret,
//! in storage that browsers separate by port, and sends it in a header.

#[cfg(test)]
mod tests;

use super::token::{hash, is_equal};
use super::{Principal, Role};
use axum::http::header::{COOKIE, HOST};
use axum::http::{HeaderMap, HeaderName};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use ring::rand::{SecureRandom, SystemRandom};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The header with the UI's own secret.
pub(in crate::http) const KEY: HeaderName = HeaderName::from_static("x-toolscout-key");
/// How long a link works.
const LINK_TIME: Duration = Duration::from_secs(2 * 60);
/// How long a session lasts.
pub(in crate::http) const SESSION_TIME: Duration = Duration::from_secs(12 * 60 * 60);
/// The maximum number of unused links and of open sessions; the oldest are evicted.
const MAX_LINKS: usize = 16;
const MAX_SESSIONS: usize = 64;

/// Sessions of the UI, in memory only: they end with the process.
#[derive(Default)]
pub struct SignIns(Mutex<OpenSessions>);

#[derive(Default)]
struct OpenSessions {
    links: VecDeque<(Hash, Instant)>,
    sessions: VecDeque<UiSession>,
}

type Hash = [u8; 32];

struct UiSession {
    cookie: Hash,
    key: Hash,
    principal: Principal,
    expires_at: Instant,
}

/// The secrets of a session: one for the cookie, one for the UI.
pub(in crate::http) struct Secrets {
    pub(in crate::http) cookie: String,
    pub(in crate::http) key: String,
}

impl SignIns {
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// A path that signs in the operator: once, within two minutes. `None` if the system has no
    /// random numbers.
    pub fn link(&self) -> Option<String> {
        let code = secret()?;
        let mut state = self.0.lock();
        make_room(&mut state.links, MAX_LINKS);
        state.links.push_back((hash(&code), Instant::now() + LINK_TIME));
        Some(format!("/signin?code={code}"))
    }

    /// Opens a session by the code of a link.
    pub(in crate::http) fn redeem(&self, code: &str, now: Instant) -> Option<Secrets> {
        let code_hash = hash(code);
        let mut state = self.0.lock();
        let index = state.links.iter().position(|(link, _)| is_equal(link, &code_hash))?;
        let (_, expires_at) = state.links.remove(index)?;
        drop(state);
        let operator = Principal::new(Some("operator".into()), Role::Operator);
        if now <= expires_at { self.open_session(operator, now) } else { None }
    }

    /// Opens a session for an authenticated client.
    pub(in crate::http) fn open_session(
        &self,
        principal: Principal,
        now: Instant,
    ) -> Option<Secrets> {
        let secrets = Secrets { cookie: secret()?, key: secret()? };
        let mut state = self.0.lock();
        state.sessions.retain(|session| now <= session.expires_at);
        make_room(&mut state.sessions, MAX_SESSIONS);
        state.sessions.push_back(UiSession {
            cookie: hash(&secrets.cookie),
            key: hash(&secrets.key),
            principal: Principal { is_ui: true, ..principal },
            expires_at: now + SESSION_TIME,
        });
        Some(secrets)
    }

    /// The principal of the session that this request belongs to.
    pub(in crate::http) fn authenticate(
        &self,
        headers: &HeaderMap,
        now: Instant,
    ) -> Option<Principal> {
        let (cookie, key) = request_secrets(headers)?;
        let state = self.0.lock();
        let session = state
            .sessions
            .iter()
            .find(|session| is_equal(&session.cookie, &cookie) & is_equal(&session.key, &key))?;
        (now <= session.expires_at).then(|| session.principal.clone())
    }

    /// Ends the session that this request belongs to.
    pub(in crate::http) fn sign_out(&self, headers: &HeaderMap) {
        let Some((cookie, key)) = request_secrets(headers) else { return };
        self.0.lock().sessions.retain(|session| {
            !(is_equal(&session.cookie, &cookie) && is_equal(&session.key, &key))
        });
    }
}

/// The name of the cookie. Two listeners on two ports of one host share the browser's cookies,
/// so each port has its own name.
pub(in crate::http) fn cookie_name(headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|header| header.to_str().ok()).unwrap_or_default();
    let port = host
        .rsplit_once(':')
        .map(|(_, value)| value)
        .filter(|value| value.bytes().all(|byte| byte.is_ascii_digit()));
    port.map_or("toolscout_session".to_owned(), |port| format!("toolscout_session_{port}"))
}

fn request_secrets(headers: &HeaderMap) -> Option<(Hash, Hash)> {
    let name = cookie_name(headers);
    let lines = headers.get_all(COOKIE).iter().filter_map(|item| item.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|part| part.trim().split_once('='));
    let cookie = pairs.into_iter().find(|(pair, _)| *pair == name).map(|(_, value)| hash(value))?;
    let key = headers.get(KEY)?.to_str().ok().map(hash)?;
    Some((cookie, key))
}

fn make_room<T>(queue: &mut VecDeque<T>, capacity: usize) {
    while queue.len() >= capacity {
        queue.pop_front();
    }
}

/// 256 random bits, encoded for URLs.
fn secret() -> Option<String> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(URL_SAFE_NO_PAD.encode(bytes))
}
