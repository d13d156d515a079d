//! A mark on what is precious, so that nobody's writing but ours is believed.
//!
//! SQLite notices a page that makes no sense, not a byte of a value that was changed. The mark depends on where the value
//! is kept, too, so that a good one cannot be moved to another place.

use toolscout_core::Namespace;

const LENGTH: usize = blake3::OUT_LEN;

/// The value behind its mark.
pub(super) fn seal(secret: &[u8; 32], namespace: Namespace, key: &str, value: &[u8]) -> Vec<u8> {
    let mut sealed = mark(secret, namespace, key, value).as_bytes().to_vec();
    sealed.extend_from_slice(value);
    sealed
}

/// The value, if the mark before it is right.
pub(super) fn unseal(secret: &[u8; 32], namespace: Namespace, key: &str, mut sealed: Vec<u8>) -> Option<Vec<u8>> {
    let value = sealed.split_off(sealed.len().min(LENGTH));
    let claimed: [u8; LENGTH] = sealed.try_into().ok()?;
    // Compares in constant time.
    (mark(secret, namespace, key, &value) == claimed).then_some(value)
}

fn mark(secret: &[u8; 32], namespace: Namespace, key: &str, value: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    for part in [namespace.word().as_bytes(), key.as_bytes(), value] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize()
}
