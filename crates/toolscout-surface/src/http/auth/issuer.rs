//! An issuer of tokens: where its keys are, and those it has right now.

use super::keys::{Algorithm, Key, Keys};
use parking_lot::Mutex;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};
use toolscout_core::BoxFuture;

/// Fetches a document from a URL, whole; an error is in words. Whoever hands it in says how far it may go, and through what.
pub type Fetch = Arc<dyn Fn(String) -> BoxFuture<'static, Result<Vec<u8>, String>> + Send + Sync>;

/// Keys this old are fetched again before they are used.
const FRESH: Duration = Duration::from_secs(60 * 60);
/// Keys this old are not used any more, even if no others are to be had.
const STALE: Duration = Duration::from_secs(24 * 60 * 60);
/// Between two attempts: a stranger with made-up tokens must not make us knock at the issuer's door.
const PAUSE: Duration = Duration::from_secs(30);
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of a document.
const LONGEST: usize = 256 << 10;

/// An issuer of tokens.
pub(super) struct Issuer {
    pub(super) url: String,
    fetch: Fetch,
    known: Mutex<Known>,
    /// One fetches; the others wait for what it brings.
    fetching: Semaphore,
}

#[derive(Default)]
struct Known {
    keys: Arc<Keys>,
    since: Option<Instant>,
    tried: Option<Instant>,
    trouble: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    jwks_uri: String,
}

/// Why there is no key.
#[derive(Debug, PartialEq)]
pub(super) enum NoKey {
    /// The issuer has none of this name.
    Unknown,
    /// Nobody knows: the issuer cannot be asked.
    Unreachable(String),
}

impl Issuer {
    pub(super) fn new(url: String, fetch: Fetch) -> Self {
        Self { url, fetch, known: Mutex::default(), fetching: Semaphore::new(1) }
    }

    /// The key a token names. One we do not know yet may have come up since we last looked.
    pub(super) async fn key(&self, id: Option<&str>, algorithm: Algorithm) -> Result<Key, NoKey> {
        if let Some(key) = self.look(id, algorithm, FRESH) {
            return Ok(key);
        }
        self.refresh().await;
        match self.look(id, algorithm, STALE) {
            Some(key) => Ok(key),
            None => Err(self.why()),
        }
    }

    fn look(&self, id: Option<&str>, algorithm: Algorithm, age: Duration) -> Option<Key> {
        let known = self.known.lock();
        known.since.filter(|it| it.elapsed() < age)?;
        known.keys.find(id, algorithm).cloned()
    }

    fn why(&self) -> NoKey {
        let known = self.known.lock();
        match &known.trouble {
            Some(trouble) => NoKey::Unreachable(trouble.clone()),
            None => NoKey::Unknown,
        }
    }

    async fn refresh(&self) {
        let Ok(_turn) = self.fetching.acquire().await else { return };
        let tried = self.known.lock().tried;
        if tried.is_some_and(|it| it.elapsed() < PAUSE) {
            return;
        }
        let fetched =
            timeout(PATIENCE, self.fetch_keys()).await.unwrap_or_else(|_| Err("it does not answer".to_owned()));
        let mut known = self.known.lock();
        known.tried = Some(Instant::now());
        match fetched {
            Ok(keys) => {
                *known = Known { keys: Arc::new(keys), since: known.tried, tried: known.tried, trouble: None };
            }
            Err(trouble) => known.trouble = Some(trouble),
        }
    }

    async fn fetch_keys(&self) -> Result<Keys, String> {
        let mut trouble = "it has no metadata".to_owned();
        for url in metadata_urls(&self.url) {
            match self.fetch_metadata(url).await {
                Ok(metadata) => {
                    let keys = self.fetch(metadata.jwks_uri).await?;
                    return Keys::parse(&keys).map_err(|error| format!("its keys cannot be read: {error}"));
                }
                Err(error) => trouble = error,
            }
        }
        Err(trouble)
    }

    async fn fetch_metadata(&self, url: String) -> Result<Metadata, String> {
        let bytes = self.fetch(url).await?;
        let metadata: Metadata =
            serde_json::from_slice(&bytes).map_err(|error| format!("its metadata cannot be read: {error}"))?;
        if metadata.issuer != self.url {
            return Err("its metadata is that of another issuer".to_owned());
        }
        match is_safe(&metadata.jwks_uri) {
            true => Ok(metadata),
            false => Err("its keys are not at an `https` address".to_owned()),
        }
    }

    async fn fetch(&self, url: String) -> Result<Vec<u8>, String> {
        let bytes = (self.fetch)(url).await?;
        match bytes.len() <= LONGEST {
            true => Ok(bytes),
            false => Err(format!("it sends more than {LONGEST} bytes")),
        }
    }
}

/// Where an issuer may have its metadata, in the order to ask.
fn metadata_urls(issuer: &str) -> Vec<String> {
    let issuer = issuer.trim_end_matches('/');
    let start = issuer.find("://").map_or(0, |at| at + 3);
    let (origin, path) = issuer.split_at(issuer[start..].find('/').map_or(issuer.len(), |at| start + at));
    let mut urls = vec![
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{origin}/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        urls.push(format!("{issuer}/.well-known/openid-configuration"));
    }
    urls
}

/// Nobody in between can change what comes from there.
pub(super) fn is_safe(url: &str) -> bool {
    let loopback = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let is_loopback =
        |it: &&str| url.strip_prefix(*it).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']));
    let is_plain = !url.contains(['@', '#', ' ']);
    is_plain && (url.strip_prefix("https://").is_some_and(|it| !it.is_empty()) || loopback.iter().any(is_loopback))
}
