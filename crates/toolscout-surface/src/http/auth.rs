//! Authentication: none, by one of our tokens, by the token of an issuer, or by a session of
//! the UI.

mod claims;
mod issuer;
mod jwt;
mod keys;
pub(super) mod metadata;
pub(super) mod sign_ins;
mod token;

#[cfg(test)]
mod tests;

pub use claims::ClaimNames;
pub use issuer::Fetch;
pub use jwt::{Jwt, JwtTerms};
pub use sign_ins::SignIns;
pub use token::{FixedTokens, MIN_TOKEN_LENGTH, Token, TokenSet};
pub use toolscout_core::cx::Role;

use super::{Error, HttpRejection};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use std::sync::Arc;
use toolscout_core::cx::ClientApprovals;

/// The authentication method of a listener.
pub enum Auth {
    /// Every request is accepted; on loopback only.
    None,
    /// By a token that toolscout issued.
    Tokens(Arc<dyn TokenSet>),
    /// By a token of an issuer.
    Jwt(Box<Jwt>),
    /// No token is valid: every request is signed by another replica of the fleet, and its route
    /// verifies that.
    Replicas,
}

/// An authenticated client.
#[derive(Debug, Clone)]
pub struct Principal {
    /// Its user; `None` if clients are not distinguished.
    pub name: Option<Arc<str>>,
    pub role: Role,
    /// The name of its token, if the token has one.
    pub token: Option<Arc<str>>,
    /// The only profile that it may use; `None` for all.
    pub profile: Option<Arc<str>>,
    /// Whether its answers to elicitations approve calls.
    pub approvals: ClientApprovals,
    /// Whether it is the web UI.
    pub is_ui: bool,
    /// The hash of its token, to check later that the token is still valid.
    secret_hash: Option<[u8; 32]>,
    /// When the token of its issuer expires, in seconds since 1970.
    expires_at: Option<u64>,
}

impl Principal {
    /// A client without a token of its own: nothing limits it but its role, and its answers to
    /// elicitations approve nothing.
    pub fn new(name: Option<Arc<str>>, role: Role) -> Self {
        let approvals = ClientApprovals::Never;
        Self {
            name,
            role,
            token: None,
            profile: None,
            approvals,
            is_ui: false,
            secret_hash: None,
            expires_at: None,
        }
    }
}

/// How the requests of a listener are authenticated.
#[derive(Clone)]
pub(super) struct Authenticator {
    pub(super) auth: Arc<Auth>,
    /// `None` if there is no UI.
    pub(super) sign_ins: Option<Arc<SignIns>>,
}

impl Auth {
    /// Fails if the method could never authenticate a client.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Self::Tokens(tokens) if tokens.current().is_empty() => Err(Error::NoToken),
            _ => Ok(()),
        }
    }

    /// By exactly these tokens.
    pub fn fixed_tokens(tokens: Vec<Token>) -> Self {
        Self::Tokens(Arc::new(FixedTokens(tokens.into())))
    }

    /// Whether the token that this principal has authenticated with is still valid.
    pub(super) fn is_current(&self, principal: &Principal) -> bool {
        match self {
            Self::None | Self::Replicas => true,
            Self::Tokens(tokens) => principal
                .secret_hash
                .is_none_or(|hash| token::find_by_hash(&**tokens, &hash).is_some()),
            Self::Jwt(jwt) => {
                principal.expires_at.is_none_or(|expires_at| jwt.is_future(expires_at))
            }
        }
    }

    /// Authenticates a request for this path by its token.
    pub(super) async fn authenticate(
        &self,
        headers: &HeaderMap,
        path: &str,
    ) -> Result<Principal, HttpRejection> {
        match self {
            Self::None => Ok(Principal {
                approvals: ClientApprovals::AsConfigured,
                ..Principal::new(None, Role::Agent)
            }),
            Self::Tokens(tokens) => {
                let unauthorized = |message| {
                    HttpRejection::challenge(
                        StatusCode::UNAUTHORIZED,
                        r#"Bearer realm="toolscout""#,
                        message,
                    )
                };
                let secret = bearer(headers).map_err(unauthorized)?;
                token::find(&**tokens, secret)
                    .ok_or_else(|| unauthorized("the token is unknown, expired or revoked"))
            }
            Self::Replicas => Err(HttpRejection::new(
                StatusCode::UNAUTHORIZED,
                "this address is for the replicas of a fleet",
            )),
            Self::Jwt(jwt) => {
                let profile = profile(path);
                match bearer(headers) {
                    Ok(token) => jwt.authenticate(token, profile).await,
                    Err(message) => Err(jwt.unauthorized(profile, None, message)),
                }
            }
        }
    }
}

/// The part of the path that names a resource of its own: a profile after `/mcp`, or the whole
/// path of a project, `/projects/<id>/mcp`, with or without a profile.
fn profile(path: &str) -> &str {
    let is_project = metadata::is_project(path);
    path.strip_prefix("/mcp")
        .filter(|rest| rest.starts_with('/') && !rest[1..].contains('/'))
        .or(is_project.then_some(path))
        .unwrap_or("")
}

fn bearer(headers: &HeaderMap) -> Result<&str, &'static str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (Some(value), None) => value,
        (None, _) => return Err("missing token; send `Authorization: Bearer TOKEN`"),
        (_, Some(_)) => return Err("duplicate `Authorization` header"),
    };
    let (scheme, token) =
        value.to_str().ok().and_then(|text| text.split_once(' ')).unwrap_or_default();
    if !scheme.eq_ignore_ascii_case("bearer") || token.trim().is_empty() {
        return Err("`Authorization` must be `Bearer TOKEN`");
    }
    Ok(token.trim())
}
