//! Tokens that toolscout issued; only their hashes are stored.

use super::{ClientApprovals, Principal, Role};
use crate::http::Error;
use ring::digest::{SHA256, digest};
use std::sync::Arc;
use toolscout_core::Moment;

/// The minimum length of a token in characters.
pub const MIN_TOKEN_LENGTH: usize = 16;

/// A token that toolscout issued, and its principal.
#[derive(Debug, Clone)]
pub struct Token {
    principal: Principal,
    hash: [u8; 32],
    expires: Option<Moment>,
}

/// The tokens of a listener. They may change while it runs.
pub trait TokenSet: Send + Sync {
    /// The tokens that are valid now, apart from their expiry.
    fn current(&self) -> Arc<[Token]>;

    /// A request was authenticated with the token of this name.
    fn used(&self, name: &str) {
        let _ = name;
    }
}

/// Tokens that do not change.
pub struct FixedTokens(pub Arc<[Token]>);

impl TokenSet for FixedTokens {
    fn current(&self) -> Arc<[Token]> {
        self.0.clone()
    }
}

impl Token {
    /// A token for `name`. A secret that could be guessed is an error.
    pub fn new(name: &str, secret: &str, role: Role) -> Result<Self, Error> {
        let secret = secret.trim();
        if secret.chars().count() < MIN_TOKEN_LENGTH {
            return Err(Error::Token(name.to_owned()));
        }
        Ok(Self::from_hash(name, hash(secret), role))
    }

    /// A token of which only the hash is known. Its user has the name of the token.
    pub fn from_hash(name: &str, hash: [u8; 32], role: Role) -> Self {
        let name: Arc<str> = name.into();
        let (token, secret_hash) = (Some(name.clone()), Some(hash));
        let principal = Principal { token, secret_hash, ..Principal::new(Some(name), role) };
        Self { principal, hash, expires: None }
    }

    /// For this user.
    pub fn for_user(mut self, user: &str) -> Self {
        self.principal.name = Some(user.into());
        self
    }

    /// For this profile alone. No operator is limited to a profile, so it is an agent's token.
    pub fn limited_to(mut self, profile: &str) -> Self {
        self.principal.profile = Some(profile.into());
        self.principal.role = Role::Agent;
        self
    }

    /// Valid until this time.
    pub fn expiring(mut self, at: Moment) -> Self {
        self.expires = Some(at);
        self
    }

    /// For a client whose answers to elicitations approve calls.
    pub fn approving(mut self) -> Self {
        self.principal.approvals = ClientApprovals::Always;
        self
    }

    /// The hash of a secret, as it is stored.
    pub fn hash(secret: &str) -> [u8; 32] {
        hash(secret.trim())
    }
}

/// The principal of this secret.
pub(super) fn find(tokens: &dyn TokenSet, secret: &str) -> Option<Principal> {
    let principal = find_by_hash(tokens, &hash(secret))?;
    principal.token.iter().for_each(|name| tokens.used(name));
    Some(principal)
}

/// The principal of the secret with this hash. Takes constant time: every byte of every token is
/// compared.
pub(super) fn find_by_hash(tokens: &dyn TokenSet, hash: &[u8; 32]) -> Option<Principal> {
    let (tokens, now) = (tokens.current(), Moment::now());
    let mut found = None;
    for token in tokens.iter() {
        if is_equal(&token.hash, hash) {
            found = Some(token);
        }
    }
    let is_valid = |token: &&Token| token.expires.is_none_or(|expires| now < expires);
    found.filter(is_valid).map(|token| token.principal.clone())
}

/// Compares two hashes in constant time.
pub(super) fn is_equal(one: &[u8; 32], other: &[u8; 32]) -> bool {
    std::hint::black_box(one.iter().zip(other).fold(0, |sum, (a, b)| sum | (a ^ b))) == 0
}

pub(super) fn hash(secret: &str) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, secret.as_bytes()).as_ref());
    hash
}
