//! Strings that must not be exposed by accident.

#[cfg(test)]
mod tests;

use super::super::ClientError;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use std::fmt;
use toolscout_core::redact::REDACTED;

/// A token, a code or a password. It is written in clear to its file, and nowhere else.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct OAuthSecret(String);

impl OAuthSecret {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// 32 random bytes, encoded as 43 URL-safe characters.
    pub(super) fn random() -> Result<Self, ClientError> {
        let mut bytes = [0; 32];
        let failed = |_| ClientError::lost("the operating system returned no random numbers");
        SystemRandom::new().fill(&mut bytes).map_err(failed)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    pub(super) fn reveal(&self) -> &str {
        &self.0
    }

    /// The challenge for this verifier (RFC 7636, `S256`).
    pub(super) fn challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(digest(&SHA256, self.0.as_bytes()))
    }
}

impl fmt::Debug for OAuthSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}
