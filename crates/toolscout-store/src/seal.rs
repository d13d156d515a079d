//! A keyed hash on precious values, so that only values written by toolscout are accepted.
//!
//! SQLite detects a corrupt page, but not a changed byte in a value. The hash also covers namespace
//! and key, so that a valid value cannot be moved to another key.

use toolscout_core::Namespace;

const HASH_BYTES: usize = blake3::OUT_LEN;

/// The value behind its hash.
pub fn seal(secret: &[u8; 32], namespace: Namespace, key: &str, value: &[u8]) -> Vec<u8> {
    let mut sealed = keyed_hash(secret, namespace, key, value).as_bytes().to_vec();
    sealed.extend_from_slice(value);
    sealed
}

/// The value, if the hash before it is valid.
pub fn unseal(
    secret: &[u8; 32],
    namespace: Namespace,
    key: &str,
    mut sealed: Vec<u8>,
) -> Option<Vec<u8>> {
    let value = sealed.split_off(sealed.len().min(HASH_BYTES));
    let claimed: [u8; HASH_BYTES] = sealed.try_into().ok()?;
    // `blake3::Hash` compares in constant time.
    (keyed_hash(secret, namespace, key, &value) == claimed).then_some(value)
}

fn keyed_hash(secret: &[u8; 32], namespace: Namespace, key: &str, value: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(secret);
    for part in [namespace.as_str().as_bytes(), key.as_bytes(), value] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hasher.finalize()
}
