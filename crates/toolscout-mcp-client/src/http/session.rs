//! The state of an HTTP connection: the era, and the session in the legacy era.

use super::super::ClientError;
use super::super::era::ProtocolEra;
use super::super::wire::Outgoing;
use super::headers::{self, SESSION, VERSION, plain};
use parking_lot::Mutex;
use reqwest::header::{HeaderMap, HeaderValue};

/// The longest session id, in bytes.
const MAX_SESSION_ID: usize = 512;

/// The state of an HTTP connection; at first it has neither era nor session.
#[derive(Default)]
pub(crate) struct HttpSession(Mutex<HttpSessionState>);

#[derive(Default)]
struct HttpSessionState {
    era: Option<ProtocolEra>,
    session: Option<HeaderValue>,
}

impl HttpSession {
    /// Sets the agreed era.
    pub(crate) fn set_era(&self, era: &ProtocolEra) {
        self.0.lock().era = Some(era.clone());
    }

    pub(crate) fn is_legacy(&self) -> bool {
        matches!(self.0.lock().era, Some(ProtocolEra::Legacy { .. }))
    }

    /// Whether the message does not exist in the modern era: a request is cancelled by closing its
    /// stream, and there are no reverse requests to reply to.
    pub(crate) fn is_obsolete(&self, message: &Outgoing) -> bool {
        let is_modern = matches!(self.0.lock().era, Some(ProtocolEra::Modern { .. }));
        is_modern && matches!(message.method.as_deref(), None | Some("notifications/cancelled"))
    }

    /// The headers for the HTTP request of a message.
    pub(crate) fn headers(&self, message: &Outgoing) -> Result<HeaderMap, ClientError> {
        // `initialize` opens the session, so it cannot be part of one.
        if message.method.as_deref() == Some("initialize") {
            return Ok(HeaderMap::new());
        }
        let modern = match &self.0.lock().era {
            Some(ProtocolEra::Modern { version }) => Some(version.clone()),
            Some(ProtocolEra::Legacy { .. }) => None,
            // During the handshake, the version in the body determines the headers.
            None => headers::protocol_version_in(&message.body),
        };
        modern.map_or_else(|| self.legacy_headers(), |version| headers::modern(message, &version))
    }

    /// The headers of every legacy request after the handshake.
    pub(crate) fn legacy_headers(&self) -> Result<HeaderMap, ClientError> {
        let state = self.0.lock();
        let mut out = HeaderMap::new();
        if let Some(ProtocolEra::Legacy { version }) = &state.era {
            out.insert(VERSION, plain(version)?);
        }
        if let Some(session) = &state.session {
            out.insert(SESSION, session.clone());
        }
        Ok(out)
    }

    /// Reads the session id from the response to `initialize`, if the server assigns one.
    pub(crate) fn start_session(&self, headers: &HeaderMap) -> Result<(), ClientError> {
        let mut all = headers.get_all(&SESSION).iter();
        let session = match (all.next(), all.next()) {
            (None, _) => None,
            (Some(one), None) if is_session_id(one) => Some(one.clone()),
            _ => return Err(ClientError::protocol("it sent an invalid session id")),
        };
        let session = session.map(|mut session| {
            // The session id is a credential.
            session.set_sensitive(true);
            session
        });
        self.0.lock().session = session;
        Ok(())
    }

    pub(crate) fn has_session(&self) -> bool {
        self.0.lock().session.is_some()
    }
}

fn is_session_id(value: &HeaderValue) -> bool {
    let bytes = value.as_bytes();
    (1..=MAX_SESSION_ID).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic)
}
