//! The key of a fleet, and the data key that it protects.
//!
//! The fleet key is outside the database. It encrypts one random data key, which is in the
//! database and protects everything else. So the fleet key can be replaced without rewriting rows.

use crate::FleetError;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use std::fmt;

/// The start of every key as text, so that a leaked one is recognized.
const PREFIX: &str = "toolscout_fleet_";
const WRAPPING: &str = "toolscout 2026 fleet key: encryption of the data key";
const FINGERPRINT: &str = "toolscout 2026 fleet key: fingerprint";

/// A key of a fleet: 32 random bytes.
#[derive(Clone, PartialEq, Eq)]
pub struct FleetKey([u8; 32]);

impl FleetKey {
    /// A new random key.
    pub fn generate() -> Result<Self, FleetError> {
        random().map(Self)
    }

    /// Reads the text form.
    pub fn parse(text: &str) -> Result<Self, FleetError> {
        let encoded = text.trim().strip_prefix(PREFIX).ok_or(FleetError::InvalidKey)?;
        let bytes = URL_SAFE_NO_PAD.decode(encoded).map_err(|_| FleetError::InvalidKey)?;
        Ok(Self(bytes.try_into().map_err(|_| FleetError::InvalidKey)?))
    }

    /// The text form, for a variable or a file.
    pub fn to_text(&self) -> String {
        format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(self.0))
    }

    /// Encrypts a data key.
    pub(crate) fn wrap(&self, data_key: &[u8; 32]) -> Result<Vec<u8>, FleetError> {
        let nonce: [u8; NONCE_LEN] = random()?;
        let mut sealed = data_key.to_vec();
        self.cipher()
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::empty(),
                &mut sealed,
            )
            .map_err(|_| FleetError::WrongKey)?;
        Ok([nonce.to_vec(), sealed].concat())
    }

    /// Decrypts a data key; none if it was encrypted with another key.
    pub(crate) fn unwrap(&self, wrapped: &[u8]) -> Option<[u8; 32]> {
        let (nonce, sealed) = wrapped.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut sealed = sealed.to_vec();
        self.cipher().open_in_place(nonce, Aad::empty(), &mut sealed).ok()?.try_into().ok()
    }

    /// Identifies the key without revealing it.
    pub(crate) fn fingerprint(&self) -> String {
        let fingerprint = blake3::derive_key(FINGERPRINT, &self.0);
        blake3::Hash::from_bytes(fingerprint).to_hex()[..32].to_owned()
    }

    fn cipher(&self) -> LessSafeKey {
        let key = blake3::derive_key(WRAPPING, &self.0);
        let key = UnboundKey::new(&CHACHA20_POLY1305, &key);
        LessSafeKey::new(key.expect("a key of 32 bytes"))
    }
}

/// Omits the key.
impl fmt::Debug for FleetKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FleetKey")
    }
}

/// The keys that a replica accepts: the current one and, while keys rotate, another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetKeys {
    /// The key that new secrets are encrypted with.
    pub current: FleetKey,
    /// A key that is accepted as well.
    pub other: Option<FleetKey>,
}

impl FleetKeys {
    /// Reads one key, or two separated by a comma: the current one first.
    pub fn parse(text: &str) -> Result<Self, FleetError> {
        let mut keys = text.split(',').map(FleetKey::parse);
        let current = keys.next().ok_or(FleetError::InvalidKey)??;
        let other = keys.next().transpose()?;
        if keys.next().is_some() {
            return Err(FleetError::InvalidKey);
        }
        Ok(Self { current, other })
    }

    fn all(&self) -> impl Iterator<Item = &FleetKey> {
        std::iter::once(&self.current).chain(&self.other)
    }

    /// The fingerprints of all keys.
    pub(crate) fn fingerprints(&self) -> Vec<String> {
        self.all().map(FleetKey::fingerprint).collect()
    }

    pub(crate) fn unwrap(&self, wrapped: &[u8]) -> Result<[u8; 32], FleetError> {
        self.all().filter_map(|key| key.unwrap(wrapped)).next().ok_or(FleetError::WrongKey)
    }
}

/// Bytes from the operating system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], FleetError> {
    let mut bytes = [0; N];
    match SystemRandom::new().fill(&mut bytes) {
        Ok(()) => Ok(bytes),
        Err(_) => {
            Err(FleetError::Refused("the operating system returned no random numbers".to_owned()))
        }
    }
}
