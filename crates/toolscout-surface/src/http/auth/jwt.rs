//! Access tokens (JWT) that an issuer signed for this server: OAuth, with toolscout as the
//! protected resource.

use super::claims::ClaimNames;
use super::issuer::{Fetch, Issuer, NoKey, is_safe};
use super::token::hash;
use super::{ClientApprovals, Principal, keys};
use crate::http::{Error, HttpRejection};
use axum::http::StatusCode;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Header, Validation, decode, decode_header};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The maximum size of a token in bytes.
const MAX_TOKEN: usize = 16 << 10;
/// The allowed clock difference in seconds.
const LEEWAY: u64 = 30;
/// The maximum number of cached tokens; the cache avoids a signature check for every request.
const MAX_CACHED: usize = 1_024;
/// How long a verified token is cached, in seconds: after that, a token of a revoked key is
/// rejected.
const CACHED_FOR: u64 = 5 * 60;

/// The requirements for accepted tokens.
pub struct JwtTerms {
    /// The issuer, exactly as in its own metadata: `https://login.example.com`.
    pub issuer: String,
    /// The public address of this server, which is also the audience of tokens:
    /// `https://tools.example.com/mcp`.
    pub resource: String,
    /// Other accepted audiences, for issuers that cannot name our address.
    pub audiences: Vec<String>,
    /// Scopes that every token must have.
    pub scopes: Vec<String>,
    /// The claims that name the user, the tenant, the profile and the role.
    pub claims: ClaimNames,
    /// Whether the answers of its clients to elicitations approve calls.
    pub approvals: ClientApprovals,
    /// Fetches the issuer's documents.
    pub fetch: Fetch,
}

/// Authenticates requests by tokens that an issuer signed.
pub struct Jwt {
    issuer: Issuer,
    resource: String,
    audiences: Vec<String>,
    scopes: Vec<String>,
    names: ClaimNames,
    approvals: ClientApprovals,
    verified: Mutex<HashMap<[u8; 32], VerifiedToken>>,
    clock: fn() -> u64,
}

struct VerifiedToken {
    expires_at: u64,
    claims: Arc<Claims>,
}

struct Claims {
    standard: StandardClaims,
    /// All claims.
    all: Map<String, Value>,
}

#[derive(Deserialize)]
struct StandardClaims {
    iss: String,
    sub: String,
    aud: OneOrMore,
    exp: f64,
    nbf: Option<f64>,
    /// Scopes in one text, separated by spaces (RFC 9068).
    scope: Option<OneOrMore>,
    /// Scopes in the field that some other issuers use.
    scp: Option<OneOrMore>,
}

impl StandardClaims {
    /// When it is no longer accepted, in seconds since 1970.
    fn expires_at(&self) -> u64 {
        // A negative or too large number becomes the nearest time that exists.
        (self.exp.ceil() as u64).saturating_add(LEEWAY)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl Jwt {
    /// Checks the terms. The issuer is contacted when the first token arrives.
    pub fn new(terms: JwtTerms) -> Result<Self, Error> {
        let JwtTerms { issuer, resource, audiences, scopes, claims: names, approvals, fetch } =
            terms;
        for (what, url) in [("issuer", &issuer), ("resource", &resource)] {
            if !is_safe(url) {
                return Err(Error::Issuer(format!("the {what} `{url}` must be an `https` URL")));
            }
        }
        let is_scope = |scope: &&String| {
            !scope.is_empty()
                && scope.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte))
        };
        if let Some(scope) = scopes.iter().find(|scope| !is_scope(scope)) {
            return Err(Error::Issuer(format!(
                "`{scope}` is not a valid scope: use letters, digits, `:` and `.`"
            )));
        }
        // An error means that a provider is already installed.
        let _ = keys::PROVIDER.install_default();
        let resource = resource.trim_end_matches('/').to_owned();
        let issuer = Issuer::new(issuer, fetch);
        Ok(Self {
            issuer,
            resource,
            audiences,
            scopes,
            names,
            approvals,
            verified: Mutex::default(),
            clock: now,
        })
    }

    #[cfg(test)]
    pub(super) fn with_clock(mut self, clock: fn() -> u64) -> Self {
        self.clock = clock;
        self
    }

    pub(super) async fn authenticate(
        &self,
        token: &str,
        profile: &str,
    ) -> Result<Principal, HttpRejection> {
        let claims = match self.cached(token) {
            Some(claims) => claims,
            None => self.verify(token, profile).await?,
        };
        self.check(&claims, profile)
            .map_err(|message| self.unauthorized(profile, Some("invalid_token"), message))?;
        let StandardClaims { scope, scp, .. } = &claims.standard;
        let has = |wanted: &String| [scope, scp].into_iter().flatten().any(|item| item.has(wanted));
        if !self.scopes.iter().all(has) {
            let (error, message) = (Some("insufficient_scope"), "the token lacks a required scope");
            return Err(self.challenge(StatusCode::FORBIDDEN, profile, error, message));
        }
        let principal = self
            .names
            .principal(&claims.all, self.approvals)
            .map_err(|message| self.challenge(StatusCode::FORBIDDEN, profile, None, message))?;
        Ok(Principal { expires_at: Some(claims.standard.expires_at()), ..principal })
    }

    /// Whether this time, in seconds since 1970, is still to come.
    pub(super) fn is_future(&self, time: u64) -> bool {
        (self.clock)() < time
    }

    /// Rejects an unauthenticated request; the challenge names the URL of the resource
    /// metadata.
    pub(super) fn unauthorized(
        &self,
        profile: &str,
        error: Option<&str>,
        message: &str,
    ) -> HttpRejection {
        self.challenge(StatusCode::UNAUTHORIZED, profile, error, message)
    }

    fn challenge(
        &self,
        status: StatusCode,
        profile: &str,
        error: Option<&str>,
        message: &str,
    ) -> HttpRejection {
        let mut challenge = format!(r#"Bearer resource_metadata="{}""#, self.metadata_url(profile));
        if !self.scopes.is_empty() {
            challenge += &format!(r#", scope="{}""#, self.scopes.join(" "));
        }
        if let Some(error) = error {
            challenge += &format!(r#", error="{error}""#);
        }
        HttpRejection::challenge(status, &challenge, message)
    }

    pub(super) fn issuer(&self) -> &str {
        &self.issuer.url
    }

    pub(super) fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// The address of the server, of a profile, or of a project.
    pub(super) fn resource(&self, profile: &str) -> String {
        let path = self.path();
        let origin = &self.resource[..self.resource.len() - path.len()];
        format!("{origin}{}", self.path_of(profile))
    }

    /// The path of our public address, without `/mcp`.
    pub(super) fn base_path(&self) -> &str {
        self.path().strip_suffix("/mcp").unwrap_or(self.path())
    }

    fn path_of(&self, profile: &str) -> String {
        let base = if profile.starts_with("/projects/") { self.base_path() } else { self.path() };
        format!("{base}{profile}")
    }

    /// The path of our public address. Clients append it to the well-known path of the
    /// metadata.
    pub(super) fn path(&self) -> &str {
        let rest = self.resource.split_once("://").map_or("", |(_, rest)| rest);
        rest.find('/').map_or("", |index| &rest[index..])
    }

    fn metadata_url(&self, profile: &str) -> String {
        let path = self.path();
        let origin = &self.resource[..self.resource.len() - path.len()];
        format!("{origin}{}{}", super::metadata::WELL_KNOWN_PATH, self.path_of(profile))
    }

    fn cached(&self, token: &str) -> Option<Arc<Claims>> {
        let verified = self.verified.lock();
        let entry = verified.get(&hash(token))?;
        ((self.clock)() < entry.expires_at).then(|| entry.claims.clone())
    }

    /// Verifies the signature, and caches the claims.
    async fn verify(&self, token: &str, profile: &str) -> Result<Arc<Claims>, HttpRejection> {
        let invalid = |message| self.unauthorized(profile, Some("invalid_token"), message);
        let malformed = || invalid("malformed token");
        if token.len() > MAX_TOKEN {
            return Err(malformed());
        }
        let header = decode_header(token).map_err(|_| malformed())?;
        if !is_access_token(&header) {
            return Err(invalid("unsupported token type or signature algorithm"));
        }
        let key =
            self.issuer.key(header.kid.as_deref(), header.alg).await.map_err(
                |no_key| match no_key {
                    NoKey::Unknown => invalid("the issuer has no key for this token"),
                    NoKey::Unreachable => HttpRejection::new(
                        StatusCode::SERVICE_UNAVAILABLE,
                        "tokens cannot be verified now: the issuer's keys are unavailable",
                    ),
                },
            )?;
        // The claims are checked for every request, also for a cached token.
        let mut validation = Validation::new(header.alg);
        validation.required_spec_claims.clear();
        (validation.validate_exp, validation.validate_aud) = (false, false);
        let decoded =
            decode::<Map<String, Value>>(token, &key, &validation).map_err(|error| match error
                .kind()
            {
                ErrorKind::Base64(_) => malformed(),
                ErrorKind::Json(_) => invalid("the claims of the token cannot be parsed"),
                _ => invalid("the signature of the token is invalid"),
            })?;
        let all = decoded.claims;
        let standard = serde_json::from_value(Value::Object(all.clone()))
            .map_err(|_| invalid("the claims of the token cannot be parsed"))?;
        let claims = Arc::new(Claims { standard, all });
        let mut verified = self.verified.lock();
        if verified.len() >= MAX_CACHED {
            verified.clear();
        }
        let expires_at = (self.clock)() + CACHED_FOR;
        verified.insert(hash(token), VerifiedToken { expires_at, claims: claims.clone() });
        Ok(claims)
    }

    /// Whether the claims are valid now, for this server and profile.
    fn check(&self, claims: &Claims, profile: &str) -> Result<(), &'static str> {
        let (now, claims) = ((self.clock)(), &claims.standard);
        let is_for_us = |audience: &str| {
            let plain = audience.trim_end_matches('/');
            plain == self.resource
                || plain == self.resource(profile)
                || self.audiences.iter().any(|other| other == audience)
        };
        if claims.iss != self.issuer.url {
            Err("the token is from another issuer")
        } else if !claims.aud.any(is_for_us) {
            Err("the token is for another audience")
        } else if claims.expires_at() <= now {
            Err("the token has expired")
        } else if claims.nbf.is_some_and(|nbf| nbf > (now + LEEWAY) as f64) {
            Err("the token is not valid yet")
        } else if claims.sub.is_empty() {
            Err("the token has no subject")
        } else {
            Ok(())
        }
    }
}

/// Whether the header belongs to an access token, with a public-key algorithm and without
/// critical extensions.
fn is_access_token(header: &Header) -> bool {
    let kind = header.typ.as_deref().map(str::to_ascii_lowercase);
    header.crit.is_none()
        && matches!(header.alg, Algorithm::RS256 | Algorithm::ES256 | Algorithm::EdDSA)
        && matches!(kind.as_deref(), None | Some("jwt" | "at+jwt" | "application/at+jwt"))
}

impl OneOrMore {
    fn any(&self, predicate: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::One(one) => predicate(one),
            Self::More(more) => more.iter().any(|one| predicate(one)),
        }
    }

    fn has(&self, scope: &str) -> bool {
        self.any(|text| text.split(' ').any(|word| word == scope))
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}
