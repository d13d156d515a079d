//! An issuer of tokens: the address of its keys, and its cached keys.

use super::keys::KeySet;
use jsonwebtoken::{Algorithm, DecodingKey};
use parking_lot::Mutex;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};
use toolscout_core::BoxFuture;

/// Fetches the whole document at a URL; an error is a message. The implementation decides about
/// proxies and redirects.
pub type Fetch = Arc<dyn Fn(String) -> BoxFuture<'static, Result<Vec<u8>, String>> + Send + Sync>;

/// Keys older than this are fetched again before use.
const REFRESH_AFTER: Duration = Duration::from_secs(60 * 60);
/// Keys older than this are never used, even if the issuer cannot be reached.
const EXPIRE_AFTER: Duration = Duration::from_secs(24 * 60 * 60);
/// Minimum time between two fetches, so that forged tokens cannot make us flood the issuer.
const FETCH_INTERVAL: Duration = Duration::from_secs(30);
const FETCH_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum size of a document in bytes.
const MAX_DOCUMENT: usize = 256 << 10;

/// An issuer of tokens.
pub(super) struct Issuer {
    pub(super) url: String,
    fetch: Fetch,
    cached: Mutex<CachedKeys>,
    /// One request fetches; the others wait for its result.
    fetching: Semaphore,
}

#[derive(Default)]
struct CachedKeys {
    keys: KeySet,
    fetched: Option<Instant>,
    attempted: Option<Instant>,
    is_failing: bool,
}

#[derive(Deserialize)]
struct IssuerMetadata {
    issuer: String,
    jwks_uri: String,
}

/// Why there is no key.
pub(super) enum NoKey {
    /// The issuer has no such key.
    Unknown,
    /// The issuer's keys cannot be fetched.
    Unreachable,
}

impl Issuer {
    pub(super) fn new(url: String, fetch: Fetch) -> Self {
        Self { url, fetch, cached: Mutex::default(), fetching: Semaphore::new(1) }
    }

    /// The key that a token names. If it is not cached, the keys are fetched again, because the
    /// issuer may have published it since.
    pub(super) async fn key(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<DecodingKey, NoKey> {
        if let Some(key) = self.cached_key(id, algorithm, REFRESH_AFTER) {
            return Ok(key);
        }
        self.refresh().await;
        let key = self.cached_key(id, algorithm, EXPIRE_AFTER);
        let is_failing = self.cached.lock().is_failing;
        key.ok_or(if is_failing { NoKey::Unreachable } else { NoKey::Unknown })
    }

    fn cached_key(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
        max_age: Duration,
    ) -> Option<DecodingKey> {
        let cached = self.cached.lock();
        cached.fetched.filter(|fetched| fetched.elapsed() < max_age)?;
        cached.keys.find(id, algorithm)
    }

    async fn refresh(&self) {
        let Ok(_permit) = self.fetching.acquire().await else { return };
        let attempted = self.cached.lock().attempted;
        if attempted.is_some_and(|attempted| attempted.elapsed() < FETCH_INTERVAL) {
            return;
        }
        let fetched = timeout(FETCH_TIMEOUT, self.fetch_keys()).await;
        let fetched = fetched.unwrap_or_else(|_| Err("it did not answer in time".to_owned()));
        let now = Some(Instant::now());
        let mut cached = self.cached.lock();
        match fetched {
            Ok(keys) => {
                *cached = CachedKeys { keys, fetched: now, attempted: now, is_failing: false }
            }
            Err(message) => {
                tracing::warn!(issuer = self.url, "cannot fetch the issuer's keys: {message}");
                (cached.attempted, cached.is_failing) = (now, true);
            }
        }
    }

    async fn fetch_keys(&self) -> Result<KeySet, String> {
        let mut error = "it has no metadata".to_owned();
        for url in metadata_urls(&self.url) {
            match self.fetch_metadata(url).await {
                Ok(metadata) => {
                    let keys = self.fetch(metadata.jwks_uri).await?;
                    return KeySet::parse(&keys)
                        .map_err(|error| format!("its keys cannot be parsed: {error}"));
                }
                Err(message) => error = message,
            }
        }
        Err(error)
    }

    async fn fetch_metadata(&self, url: String) -> Result<IssuerMetadata, String> {
        let bytes = self.fetch(url).await?;
        let metadata: IssuerMetadata = serde_json::from_slice(&bytes)
            .map_err(|error| format!("its metadata cannot be parsed: {error}"))?;
        if metadata.issuer != self.url {
            Err("its metadata belongs to another issuer".to_owned())
        } else if !is_safe(&metadata.jwks_uri) {
            Err("its keys are not at an `https` URL".to_owned())
        } else {
            Ok(metadata)
        }
    }

    async fn fetch(&self, url: String) -> Result<Vec<u8>, String> {
        let bytes = (self.fetch)(url).await?;
        if bytes.len() > MAX_DOCUMENT {
            return Err(format!("it sent more than {MAX_DOCUMENT} bytes"));
        }
        Ok(bytes)
    }
}

/// The URLs at which an issuer may publish its metadata, in the order of RFC 8414.
fn metadata_urls(issuer: &str) -> Vec<String> {
    let issuer = issuer.trim_end_matches('/');
    let start = issuer.find("://").map_or(0, |index| index + 3);
    let (origin, path) =
        issuer.split_at(issuer[start..].find('/').map_or(issuer.len(), |index| start + index));
    let mut urls = vec![
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{origin}/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        urls.push(format!("{issuer}/.well-known/openid-configuration"));
    }
    urls
}

/// Whether the URL is `https` or on loopback, so that documents from there cannot be changed in
/// transit.
pub(super) fn is_safe(url: &str) -> bool {
    let is_loopback =
        ["http://127.0.0.1", "http://localhost", "http://[::1]"].iter().any(|prefix| {
            url.strip_prefix(prefix)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
        });
    let is_https = url.strip_prefix("https://").is_some_and(|rest| !rest.is_empty());
    !url.contains(['@', '#', ' ']) && (is_https || is_loopback)
}
