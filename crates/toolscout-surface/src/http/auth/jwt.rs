//! Tokens that an issuer signed for us: OAuth, with us as the protected resource.

use super::issuer::{Fetch, Issuer, NoKey, is_safe};
use super::keys::Algorithm;
use super::token::hash;
use super::{Principal, Role};
use crate::http::{Error, Refusal};
use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use parking_lot::Mutex;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Bytes of a token.
const LONGEST: usize = 16 << 10;
/// Seconds that two clocks may be apart.
const LEEWAY: u64 = 30;
/// Tokens whose signature was found good, remembered so that it is not checked with every request.
const REMEMBERED: usize = 1_024;
/// For so many seconds: after that, a key that was withdrawn counts no more.
const REMEMBERED_FOR: u64 = 5 * 60;

/// What tokens are taken, and for what.
pub struct JwtTerms {
    /// Who signs them, exactly as it calls itself: `https://login.example.com`.
    pub issuer: String,
    /// Our own address, as clients know it; what tokens must be made for: `https://tools.example.com/mcp`.
    pub resource: String,
    /// What else tokens may be made for, where the issuer cannot say our address.
    pub audiences: Vec<String>,
    /// What a token must allow to be let in.
    pub scopes: Vec<String>,
    /// What makes an operator of somebody; without it nobody is.
    pub operator_scope: Option<String>,
    /// How to get the issuer's documents.
    pub fetch: Fetch,
}

/// Recognises people by tokens that an issuer signed for us.
pub struct Jwt {
    issuer: Issuer,
    resource: String,
    audiences: Vec<String>,
    scopes: Vec<String>,
    operator_scope: Option<String>,
    good: Mutex<HashMap<[u8; 32], Good>>,
    clock: fn() -> u64,
}

/// A token whose signature was found good.
struct Good {
    until: u64,
    claims: Arc<Claims>,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    typ: Option<String>,
    crit: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: OneOrMore,
    exp: f64,
    nbf: Option<f64>,
    /// One text with spaces in between, as the standard has it.
    scope: Option<OneOrMore>,
    /// As others write it.
    scp: Option<OneOrMore>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl Jwt {
    /// Checks the terms; asks the issuer nothing before the first token comes.
    pub fn new(terms: JwtTerms) -> Result<Self, Error> {
        let JwtTerms { issuer, resource, audiences, scopes, operator_scope, fetch } = terms;
        for (what, url) in [("issuer", &issuer), ("resource", &resource)] {
            if !is_safe(url) {
                return Err(Error::Issuer(format!("the {what} `{url}` must be an `https` address")));
            }
        }
        let is_scope =
            |it: &String| !it.is_empty() && it.bytes().all(|it| it.is_ascii_graphic() && !b"\"\\".contains(&it));
        if let Some(scope) = scopes.iter().chain(&operator_scope).find(|it| !is_scope(it)) {
            return Err(Error::Issuer(format!("`{scope}` is no scope: write letters, digits, `:` and `.`")));
        }
        let resource = resource.trim_end_matches('/').to_owned();
        let issuer = Issuer::new(issuer, fetch);
        Ok(Self { issuer, resource, audiences, scopes, operator_scope, good: Mutex::default(), clock: now })
    }

    #[cfg(test)]
    pub(super) fn at(mut self, clock: fn() -> u64) -> Self {
        self.clock = clock;
        self
    }

    pub(super) async fn recognise(&self, token: &str, profile: &str) -> Result<Principal, Refusal> {
        let claims = match self.good(token) {
            Some(claims) => claims,
            None => self.verify(token).await.map_err(|no| no.into_refusal(self, profile))?,
        };
        self.check(&claims, profile).map_err(|words| self.unknown(profile, Some("invalid_token"), words))?;
        let has = |scope: &String| [&claims.scope, &claims.scp].into_iter().flatten().any(|it| it.has(scope));
        if !self.scopes.iter().all(has) {
            return Err(self.challenge(
                StatusCode::FORBIDDEN,
                profile,
                Some("insufficient_scope"),
                "this token allows too little",
            ));
        }
        let role = if self.operator_scope.as_ref().is_some_and(has) { Role::Operator } else { Role::Agent };
        Ok(Principal { name: Some(claims.sub.as_str().into()), role })
    }

    /// Turns somebody away who is not known, and says where to become known.
    pub(super) fn unknown(&self, profile: &str, error: Option<&str>, words: &str) -> Refusal {
        self.challenge(StatusCode::UNAUTHORIZED, profile, error, words)
    }

    fn challenge(&self, status: StatusCode, profile: &str, error: Option<&str>, words: &str) -> Refusal {
        let mut challenge = format!(r#"Bearer resource_metadata="{}""#, self.metadata_url(profile));
        if !self.scopes.is_empty() {
            challenge += &format!(r#", scope="{}""#, self.scopes.join(" "));
        }
        if let Some(error) = error {
            challenge += &format!(r#", error="{error}""#);
        }
        Refusal::unknown(status, &challenge, words)
    }

    pub(super) fn issuer(&self) -> &str {
        &self.issuer.url
    }

    pub(super) fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Our address, or that of a profile.
    pub(super) fn resource(&self, profile: &str) -> String {
        format!("{}{profile}", self.resource)
    }

    /// The path of our address: what clients put behind the place of the metadata.
    pub(super) fn path(&self) -> &str {
        let rest = self.resource.split_once("://").map_or("", |(_, rest)| rest);
        rest.find('/').map_or("", |at| &rest[at..])
    }

    fn metadata_url(&self, profile: &str) -> String {
        let path = self.path();
        let origin = &self.resource[..self.resource.len() - path.len()];
        format!("{origin}{}{path}{profile}", super::metadata::PLACE)
    }

    fn good(&self, token: &str) -> Option<Arc<Claims>> {
        let good = self.good.lock();
        let good = good.get(&hash(token))?;
        ((self.clock)() < good.until).then(|| good.claims.clone())
    }

    async fn verify(&self, token: &str) -> Result<Arc<Claims>, No> {
        let unsigned = || No::Token("this is no token that could be checked");
        if token.len() > LONGEST {
            return Err(unsigned());
        }
        let (signed, by) = token.rsplit_once('.').ok_or_else(unsigned)?;
        let (header, claims) = signed.split_once('.').filter(|(_, it)| !it.contains('.')).ok_or_else(unsigned)?;
        let header: Header = part(header).ok_or_else(unsigned)?;
        let algorithm = header.algorithm().ok_or(No::Token("tokens that are signed this way are not taken"))?;
        let by = URL_SAFE_NO_PAD.decode(by).map_err(|_| unsigned())?;
        let key = self.issuer.key(header.kid.as_deref(), algorithm).await.map_err(No::Key)?;
        if !key.verify(signed.as_bytes(), &by) {
            return Err(No::Token("the signature of this token is wrong"));
        }
        let claims: Claims = part(claims).ok_or(No::Token("this token does not say what it must"))?;
        let claims = Arc::new(claims);
        self.remember(token, &claims);
        Ok(claims)
    }

    fn remember(&self, token: &str, claims: &Arc<Claims>) {
        let mut good = self.good.lock();
        if good.len() >= REMEMBERED {
            good.clear();
        }
        let until = (self.clock)() + REMEMBERED_FOR;
        good.insert(hash(token), Good { until, claims: claims.clone() });
    }

    /// Whether what it says holds, here and now.
    fn check(&self, claims: &Claims, profile: &str) -> Result<(), &'static str> {
        let now = (self.clock)();
        let is_for = |aud: &str| {
            let aud_plain = aud.trim_end_matches('/');
            aud_plain == self.resource
                || aud_plain == self.resource(profile)
                || self.audiences.iter().any(|it| it == aud)
        };
        if claims.iss != self.issuer.url {
            return Err("this token is of another issuer");
        }
        if !claims.aud.any(is_for) {
            return Err("this token was made for somebody else");
        }
        if claims.exp + LEEWAY as f64 <= now as f64 {
            return Err("this token has expired");
        }
        if claims.nbf.is_some_and(|it| it > (now + LEEWAY) as f64) {
            return Err("this token is not valid yet");
        }
        match claims.sub.is_empty() {
            true => Err("this token does not say whose it is"),
            false => Ok(()),
        }
    }
}

/// Why a token is not taken.
enum No {
    Token(&'static str),
    Key(NoKey),
}

impl No {
    fn into_refusal(self, jwt: &Jwt, profile: &str) -> Refusal {
        match self {
            Self::Token(words) => jwt.unknown(profile, Some("invalid_token"), words),
            Self::Key(NoKey::Unknown) => jwt.unknown(
                profile,
                Some("invalid_token"),
                "the issuer has no key that this token could be checked with",
            ),
            Self::Key(NoKey::Unreachable(_)) => {
                let words = "tokens cannot be checked right now: the issuer's keys cannot be had";
                Refusal::new(StatusCode::SERVICE_UNAVAILABLE, words)
            }
        }
    }
}

impl Header {
    /// None for what we would have to understand and do not.
    fn algorithm(&self) -> Option<Algorithm> {
        let typ = self.typ.as_deref().map(|it| it.to_ascii_lowercase());
        let is_access = matches!(typ.as_deref(), None | Some("jwt" | "at+jwt" | "application/at+jwt"));
        Algorithm::from_name(&self.alg).filter(|_| is_access && self.crit.is_none())
    }
}

impl OneOrMore {
    fn any(&self, is_it: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::One(one) => is_it(one),
            Self::More(more) => more.iter().any(|it| is_it(it)),
        }
    }

    fn has(&self, word: &str) -> bool {
        self.any(|it| it.split(' ').any(|it| it == word))
    }
}

fn part<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}
