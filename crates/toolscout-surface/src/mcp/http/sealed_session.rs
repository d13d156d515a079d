//! The id of a session in a fleet: it contains the state of the session, sealed, so that any replica
//! continues the session without `initialize`.

use crate::mcp::version::Version;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::{Moment, RawJson};

/// How long an id is valid. After it, a replica that does not have the session refuses it.
pub(super) const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
/// Maximum length of a client's name in bytes, so that an id has 256 characters at most.
const MAX_NAME: usize = 88;
/// The version of the encoding.
const ENCODING: u8 = 1;

/// The capabilities of clients that the id keeps, each as a JSON pointer.
const CAPABILITIES: [&str; 8] = [
    "/elicitation",
    "/elicitation/form",
    "/elicitation/url",
    "/sampling",
    "/sampling/tools",
    "/sampling/context",
    "/roots",
    "/roots/listChanged",
];

/// The state of a session that its id contains.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SealedSession {
    /// The replica where it was started.
    pub(super) replica: String,
    pub(super) version: Version,
    /// One bit for each of [`CAPABILITIES`].
    capabilities: u8,
    /// The name of the client.
    pub(super) name: Option<Arc<str>>,
    /// The label of the session in logs.
    pub(super) label: Arc<str>,
    pub(super) started: Moment,
}

impl SealedSession {
    pub(super) fn new(
        replica: &str,
        version: Version,
        capabilities: Option<&RawJson>,
        name: Option<Arc<str>>,
        label: Arc<str>,
        started: Moment,
    ) -> Self {
        let declared = capabilities.map(RawJson::to_value).unwrap_or_default();
        let is_declared = |pointer: &str| {
            declared
                .pointer(pointer)
                .is_some_and(|value| value.is_object() || *value == json!(true))
        };
        let bits = CAPABILITIES.iter().enumerate();
        let bits = bits.filter(|(_, pointer)| is_declared(pointer));
        let capabilities = bits.fold(0, |all, (bit, _)| all | 1 << bit);
        let name = name.map(|name| name[..name.floor_char_boundary(MAX_NAME)].into());
        Self { replica: replica.to_owned(), version, capabilities, name, label, started }
    }

    /// The capabilities as the client would declare them.
    pub(super) fn capabilities(&self) -> RawJson {
        let mut all = Map::new();
        for (bit, pointer) in CAPABILITIES.iter().enumerate() {
            if self.capabilities & (1 << bit) == 0 {
                continue;
            }
            let mut parts = pointer[1..].split('/');
            let (Some(group), member) = (parts.next(), parts.next()) else { continue };
            let group = all.entry(group).or_insert_with(|| json!({}));
            match member {
                Some("listChanged") => group["listChanged"] = json!(true),
                Some(member) => group[member] = json!({}),
                None => {}
            }
        }
        RawJson::from_value(&Value::Object(all))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![ENCODING, self.capabilities];
        bytes.extend(self.started.0.to_be_bytes());
        let texts = [self.version.name(), &self.replica, &self.label];
        for text in texts.into_iter().chain(self.name.as_deref()) {
            bytes.push(u8::try_from(text.len()).unwrap_or(u8::MAX));
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    /// Reads the encoding; none if it is that of another version of the program.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let ([ENCODING, capabilities], rest) = bytes.split_first_chunk()? else { return None };
        let (started, mut rest) = rest.split_first_chunk()?;
        let mut text = || {
            let (length, after) = rest.split_first()?;
            let (text, after) = after.split_at_checked(usize::from(*length))?;
            rest = after;
            std::str::from_utf8(text).ok()
        };
        Some(Self {
            version: Version::supported(text()?)?,
            replica: text()?.to_owned(),
            label: text()?.into(),
            name: text().map(Into::into),
            capabilities: *capabilities,
            started: Moment(u64::from_be_bytes(*started)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::sealed::Seal;

    fn session(name: &str, capabilities: &Value) -> SealedSession {
        SealedSession::new(
            &"a".repeat(32),
            Version::LEGACY,
            Some(&RawJson::from_value(capabilities)),
            Some(name.into()),
            "0123456789abcdef".into(),
            Moment(1_800_000_000_000),
        )
    }

    #[test]
    fn the_state_survives_encoding() {
        let capabilities = json!({
            "elicitation": {"url": {}}, "roots": {"listChanged": true}, "experimental": {"x": {}},
        });
        let before = session("claude-code 2.1.0", &capabilities);
        let after = SealedSession::from_bytes(&before.to_bytes()).expect("a session");
        assert_eq!(after, before);
        let kept = json!({"elicitation": {"url": {}}, "roots": {"listChanged": true}});
        assert_eq!(after.capabilities().to_value(), kept);
        assert_eq!(SealedSession::from_bytes(&[2, 0]), None, "another version");
        let bytes = before.to_bytes();
        for end in 0..60 {
            assert_eq!(SealedSession::from_bytes(&bytes[..end]), None, "{end}");
        }
    }

    #[test]
    fn an_id_has_256_characters_at_most() {
        let all = json!({"elicitation": {}, "sampling": {}, "roots": {}});
        for name in ["x".repeat(200), "\u{1f980}".repeat(60)] {
            let bytes = session(&name, &all).to_bytes();
            let id = Seal::new(&[7; 32]).seal_bytes(bytes, "bound").expect("an id");
            assert!(id.len() <= 256, "{}", id.len());
            assert!(id.bytes().all(|byte| byte.is_ascii_graphic()));
        }
    }
}
