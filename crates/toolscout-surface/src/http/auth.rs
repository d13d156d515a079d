//! Who asks: nobody in particular, somebody with one of our tokens, or somebody whom an issuer vouches for.

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

use super::{Error, Refusal};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use std::sync::Arc;

/// How those who ask are recognised.
pub enum Auth {
    /// Everybody who reaches us is let in; on loopback only.
    None,
    /// By a token that we gave out.
    Tokens(Vec<Token>),
    /// By a token of an issuer that both sides trust.
    Jwt(Box<Jwt>),
}

/// Somebody we have recognised.
#[derive(Debug, Clone)]
pub struct Principal {
    /// Which of those we know; none where all are the same.
    pub name: Option<Arc<str>>,
    /// What they are here for.
    pub role: Role,
}

pub use toolscout_core::cx::Role;

impl Auth {
    /// Whether anybody could ever be let in.
    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Self::Tokens(tokens) if tokens.is_empty() => Err(Error::NoToken),
            _ => Ok(()),
        }
    }

    /// Recognises who asks for this path.
    pub(super) async fn recognise(&self, headers: &HeaderMap, path: &str) -> Result<Principal, Refusal> {
        match self {
            Self::None => Ok(Principal { name: None, role: Role::Agent }),
            Self::Tokens(tokens) => {
                let unknown = |words| Refusal::unknown(StatusCode::UNAUTHORIZED, r#"Bearer realm="toolscout""#, words);
                let secret = bearer(headers).map_err(unknown)?;
                token::find(tokens, secret).ok_or_else(|| unknown("this token is not known here"))
            }
            Self::Jwt(jwt) => {
                let profile = profile(path);
                match bearer(headers) {
                    Ok(token) => jwt.recognise(token, profile).await,
                    Err(words) => Err(jwt.unknown(profile, None, words)),
                }
            }
        }
    }
}

/// What follows `/mcp`: a profile is a resource of its own.
fn profile(path: &str) -> &str {
    path.strip_prefix("/mcp").filter(|it| it.starts_with('/') && !it[1..].contains('/')).unwrap_or("")
}

fn bearer(headers: &HeaderMap) -> Result<&str, &'static str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = match (values.next(), values.next()) {
        (Some(value), None) => value,
        (None, _) => return Err("a token is needed: `Authorization: Bearer …`"),
        (_, Some(_)) => return Err("`Authorization` is there twice"),
    };
    let (scheme, token) = value.to_str().ok().and_then(|it| it.split_once(' ')).unwrap_or_default();
    match scheme.eq_ignore_ascii_case("bearer") && !token.trim().is_empty() {
        true => Ok(token.trim()),
        false => Err("`Authorization` must be `Bearer`, and a token"),
    }
}
