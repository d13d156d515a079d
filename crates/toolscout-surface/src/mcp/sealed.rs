//! Sealed state that a client carries from one request to the next. The client cannot read, change
//! or share it.

#[cfg(test)]
mod tests;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use toolscout_core::Moment;

/// How long a client may take to repeat its request.
pub(super) const RESUME_TIMEOUT: Duration = Duration::from_secs(300);
/// Maximum size of the state in bytes.
const MAX_STATE_BYTES: usize = 96 << 10;

/// The place where a request that needed input is resumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum State {
    /// A suspended request of this process.
    Suspended(u64),
    /// A server that expects this state.
    Upstream(Option<String>),
    /// The pending approval with this id: the client answers whether the call may run, to any
    /// process that shares the store.
    Approval(String),
}

#[derive(Serialize, Deserialize)]
struct Carried {
    state: State,
    /// How often the request has needed input.
    rounds: u8,
    until: u64,
}

/// Seals and opens states.
pub(super) struct Seal {
    key: LessSafeKey,
    clock: Clock,
}

/// A clock that all holders of a key share.
pub type Clock = Arc<dyn Fn() -> Moment + Send + Sync>;

impl Seal {
    pub(super) fn new(key: &[u8; 32]) -> Self {
        // The type guarantees the length.
        let key = UnboundKey::new(&CHACHA20_POLY1305, key).expect("a key of 32 bytes");
        Self { key: LessSafeKey::new(key), clock: Arc::new(Moment::now) }
    }

    /// Replaces the clock.
    pub(super) fn by_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Seals a state for this user and request. Returns none if it is too long, or if the system
    /// has no random numbers.
    pub(super) fn seal(&self, state: State, rounds: u8, bound_to: &str) -> Option<String> {
        let carried = Carried { state, rounds, until: self.now() + RESUME_TIMEOUT.as_secs() };
        let bytes =
            serde_json::to_vec(&carried).ok().filter(|value| value.len() <= MAX_STATE_BYTES)?;
        self.seal_bytes(bytes, bound_to)
    }

    /// Seals bytes, as text that is valid in a header.
    pub(super) fn seal_bytes(&self, mut bytes: Vec<u8>, bound_to: &str) -> Option<String> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let (aad, unique) = (Aad::from(bound_to.as_bytes()), Nonce::assume_unique_for_key(nonce));
        self.key.seal_in_place_append_tag(unique, aad, &mut bytes).ok()?;
        Some(URL_SAFE_NO_PAD.encode([nonce.as_slice(), &bytes].concat()))
    }

    /// Opens a state. Returns none if it was sealed for another user or request, or has expired.
    /// Also returns its number of rounds.
    pub(super) fn open(&self, text: &str, bound_to: &str) -> Option<(State, u8)> {
        let opened = self.open_bytes(text, bound_to)?;
        let carried: Carried = serde_json::from_slice(&opened).ok()?;
        (carried.until >= self.now()).then_some((carried.state, carried.rounds))
    }

    /// Opens bytes. Returns none if they were sealed with another key, or bound to something else.
    pub(super) fn open_bytes(&self, text: &str, bound_to: &str) -> Option<Vec<u8>> {
        let mut bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        if bytes.len() < NONCE_LEN {
            return None;
        }
        let mut sealed = bytes.split_off(NONCE_LEN);
        let nonce = Nonce::try_assume_unique_for_key(&bytes).ok()?;
        let aad = Aad::from(bound_to.as_bytes());
        Some(self.key.open_in_place(nonce, aad, &mut sealed).ok()?.to_vec())
    }

    /// Seconds since 1970.
    fn now(&self) -> u64 {
        (self.clock)().0 / 1_000
    }
}
