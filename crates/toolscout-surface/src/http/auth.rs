//! Authentication: none, by one of our tokens, by the token of an issuer, or by a session of
//! the UI.

mod issuer;
mod jwt;
mod keys;
pub(super) mod metadata;
pub(super) mod sign_ins;
mod token;

#[cfg(test)]
mod tests;

pub use issuer::Fetch;
pub use jwt::{Jwt, JwtTerms};
pub use sign_ins::SignIns;
pub use token::{SHORTEST, Token};
pub use toolscout_core::cx::Role;

use super::{Error, HttpRejection};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use std::sync::Arc;

/// The authentication method of a listener.
pub enum Auth {
    /// Every request is accepted; on loopback only.
    None,
    /// By a token that toolscout issued.
    Tokens(Arc<dyn TokenSet>),
    /// By a token of an issuer.
    Jwt(Box<Jwt>),
}

/// An authenticated client.
#[derive(Debug, Clone)]
pub struct Principal {
    /// Its user; `None` if clients are not distinguished.
    pub name: Option<Arc<str>>,
    pub role: Role,
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
            Self::Tokens(tokens) if tokens.is_empty() => Err(Error::NoToken),
            _ => Ok(()),
        }
    }

    /// Authenticates a request for this path by its token.
    pub(super) async fn authenticate(
        &self,
        headers: &HeaderMap,
        path: &str,
    ) -> Result<Principal, HttpRejection> {
        match self {
            Self::None => Ok(Principal { name: None, role: Role::Agent }),
            Self::Tokens(tokens) => {
                let unauthorized = |message| {
                    HttpRejection::challenge(
                        StatusCode::UNAUTHORIZED,
                        r#"Bearer realm="toolscout""#,
                        message,
                    )
                };
                let secret = bearer(headers).map_err(unknown)?;
                token::find(tokens, secret).ok_or_else(|| unknown("this token is not known here"))
            }
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
    path.strip_prefix("/mcp")
        .filter(|rest| rest.starts_with('/') && !rest[1..].contains('/'))
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
