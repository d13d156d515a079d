//! The stored form of a named token: everything about it except its value.

use serde::{Deserialize, Serialize};
use toolscout_core::cx::Role;
use toolscout_core::{Moment, Namespace, RowNote, Store, StoreError, UnknownFields, is_newer_row};
use toolscout_surface::http::auth::Token;

const VERSION: u32 = 1;

/// A named token. A record of a later major version is not read: it may limit the token in a way
/// that this version does not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenRecord {
    pub(crate) version: u32,
    /// The SHA-256 of the value, in hexadecimal.
    pub(crate) hash: String,
    pub(crate) is_operator: bool,
    pub(crate) profile: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) created: Moment,
    pub(crate) expires: Option<Moment>,
    /// Whether answers of its clients to elicitations approve calls.
    pub(crate) approves: bool,
    /// Fields of a later version.
    #[serde(flatten)]
    pub(crate) unknown: UnknownFields,
}

impl TokenRecord {
    /// A token with this value, created now.
    pub(crate) fn new(secret: &str, is_operator: bool) -> Self {
        Self {
            version: VERSION,
            hash: hash(secret),
            is_operator,
            profile: None,
            user: None,
            created: Moment::now(),
            expires: None,
            approves: false,
            unknown: UnknownFields::default(),
        }
    }

    /// The same token with another value, created now.
    pub(crate) fn with_value(self, secret: &str) -> Self {
        Self { hash: hash(secret), created: Moment::now(), ..self }
    }

    pub(crate) fn is_expired(&self) -> bool {
        self.expires.is_some_and(|expires| expires <= Moment::now())
    }

    /// The token as a listener checks it.
    pub(super) fn token(&self, name: &str) -> Token {
        let role = if self.is_operator { Role::Operator } else { Role::Agent };
        let mut token = Token::from_hash(name, self.hash_bytes().unwrap_or_default(), role);
        if let Some(user) = &self.user {
            token = token.for_user(user);
        }
        if let Some(profile) = &self.profile {
            token = token.limited_to(profile);
        }
        if let Some(expires) = self.expires {
            token = token.expiring(expires);
        }
        if self.approves { token.approving() } else { token }
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let record: Self = serde_json::from_slice(bytes).ok()?;
        (record.version == VERSION && record.hash_bytes().is_some()).then_some(record)
    }

    fn hash_bytes(&self) -> Option<[u8; 32]> {
        blake3::Hash::from_hex(&self.hash).ok().map(Into::into)
    }
}

fn hash(secret: &str) -> String {
    crate::random::to_hex(&Token::hash(secret))
}

/// All named tokens that can be read.
pub(crate) fn all(store: &dyn Store) -> Result<Vec<(String, TokenRecord)>, StoreError> {
    let mut all = Vec::new();
    for name in store.keys(Namespace::AccessToken)? {
        let Some(bytes) = store.read(Namespace::AccessToken, &name)? else { continue };
        match TokenRecord::parse(&bytes) {
            Some(record) => all.push((name, record)),
            None if is_newer_row(&bytes, VERSION) => {
                super::warn(&name, &"its record was written by a newer toolscout");
            }
            None => super::warn(&name, &"its record is invalid"),
        }
    }
    Ok(all)
}

/// A named token and its stored bytes; `None` if there is none, or if it cannot be read.
pub(crate) fn read(
    store: &dyn Store,
    name: &str,
) -> Result<Option<(TokenRecord, Vec<u8>)>, StoreError> {
    let Some(bytes) = store.read(Namespace::AccessToken, name)? else { return Ok(None) };
    Ok(TokenRecord::parse(&bytes).map(|record| (record, bytes)))
}

/// Stores a token instead of `expected`, for this person; returns whether that was still stored.
pub(crate) fn swap(
    store: &dyn Store,
    name: &str,
    expected: Option<&[u8]>,
    next: Option<&TokenRecord>,
    by: &str,
) -> Result<bool, StoreError> {
    let next = next.map(serde_json::to_vec).transpose().map_err(|cause| StoreError {
        what: "the token cannot be serialized".to_owned(),
        cause: Some(cause.into()),
    })?;
    let action = match (expected, &next) {
        (None, _) => "created",
        (Some(_), Some(_)) => "changed",
        (Some(_), None) => "removed",
    };
    let note = RowNote { subject: name, action, by };
    store.swap_noted(Namespace::AccessToken, name, expected, next.as_deref(), &note)
}
