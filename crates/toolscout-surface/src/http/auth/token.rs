//! Tokens that toolscout issued; only their hashes are stored.

use super::{ClientApprovals, Principal, Role};
use crate::http::Error;
use ring::digest::{SHA256, digest};
use std::sync::Arc;

/// The minimum length of a token in characters.
pub const MIN_TOKEN_LENGTH: usize = 16;

/// A token that toolscout issued, and its principal.
pub struct Token {
    name: Arc<str>,
    role: Role,
    hash: [u8; 32],
}

impl Token {
    /// A token for `name`. A secret that could be guessed is an error.
    pub fn new(name: &str, secret: &str, role: Role) -> Result<Self, Error> {
        let secret = secret.trim();
        if secret.chars().count() < MIN_TOKEN_LENGTH {
            return Err(Error::Token(name.to_owned()));
        }
        Ok(Self { name: name.into(), role, hash: hash(secret) })
    }
}

/// The principal of this secret. Takes constant time: every byte of every token is compared.
pub(super) fn find(tokens: &[Token], secret: &str) -> Option<Principal> {
    let hash = hash(secret);
    let mut found = None;
    for token in tokens {
        let difference = token.hash.iter().zip(hash).fold(0, |sum, (a, b)| sum | (a ^ b));
        if std::hint::black_box(difference) == 0 {
            found = Some(token);
        }
    }
    found.map(|it| Principal { name: Some(it.name.clone()), role: it.role })
}

pub(super) fn hash(secret: &str) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, secret.as_bytes()).as_ref());
    hash
}
