//! Tokens for a server that toolscout uses on its own behalf, without a user: the client
//! credentials grant (RFC 6749, section 4.4).

use super::super::tokens::TokenProvider;
use super::super::{ClientError, HttpEndpoint, ReferenceLookup};
use super::exchange::{TokenError, TokenGrant, exchange};
use super::login_request::LoginRequest;
use super::secret::OAuthSecret;
use super::{OFFLINE, server_url};
use parking_lot::Mutex;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use toolscout_core::{BoxFuture, Moment, SourceId};

/// A token that expires within this time is replaced before use.
const MARGIN: Duration = Duration::from_secs(30);
/// If a token is rejected within this time after it was issued, another one would not help.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// The tokens of one server, requested with the client id and secret of its entry. They are kept
/// in memory only.
pub struct ClientCredentials {
    id: SourceId,
    url: String,
    endpoint: HttpEndpoint,
    lookup: ReferenceLookup,
    folder: PathBuf,
    issued: Mutex<Option<IssuedToken>>,
    /// One request for a token at a time; the others use its result.
    turn: Semaphore,
}

#[derive(Clone)]
struct IssuedToken {
    access: OAuthSecret,
    expires: Option<Moment>,
    at: Instant,
}

impl ClientCredentials {
    /// The tokens for the server with this id at this address. Nothing is requested yet.
    pub fn new(
        id: &SourceId,
        url: &str,
        endpoint: &HttpEndpoint,
        lookup: &ReferenceLookup,
        folder: &Path,
    ) -> Result<Self, ClientError> {
        server_url(url)?;
        Ok(Self {
            id: id.clone(),
            url: url.to_owned(),
            endpoint: endpoint.clone(),
            lookup: lookup.clone(),
            folder: folder.to_owned(),
            issued: Mutex::default(),
            turn: Semaphore::new(1),
        })
    }

    fn cached(&self) -> Option<OAuthSecret> {
        let issued = self.issued.lock().clone()?;
        let is_fresh = issued.expires.is_none_or(|expires| expires > Moment::now().after(MARGIN));
        is_fresh.then_some(issued.access)
    }

    async fn token(&self) -> Result<OAuthSecret, ClientError> {
        if let Some(token) = self.cached() {
            return Ok(token);
        }
        let _turn = self.turn.acquire().await;
        if let Some(token) = self.cached() {
            return Ok(token);
        }
        let TokenGrant { access, expires, .. } = self.request().await?;
        let issued = IssuedToken { access: access.clone(), expires, at: Instant::now() };
        *self.issued.lock() = Some(issued);
        tracing::debug!(server = %self.id, "token issued for the client credentials");
        Ok(access)
    }

    async fn request(&self) -> Result<TokenGrant, ClientError> {
        let request = LoginRequest {
            id: &self.id,
            url: &self.url,
            challenge: None,
            endpoint: &self.endpoint,
            lookup: &self.lookup,
            folder: &self.folder,
            port: None,
        };
        let prepared = request.prepare().await?;
        let Some(identity) = prepared.configured.filter(|it| it.client_secret.is_some()) else {
            return Err(ClientError::invalid(format!(
                "`client_id` and `client_secret` of server `{}` must not be empty",
                self.id
            )));
        };
        let scopes: Vec<_> =
            prepared.scopes.iter().map(String::as_str).filter(|scope| *scope != OFFLINE).collect();
        let scope = scopes.join(" ");
        let mut form = vec![
            ("grant_type", "client_credentials"),
            ("resource", prepared.authority.resource.as_str()),
        ];
        if !scope.is_empty() {
            form.push(("scope", &scope));
        }
        let granted = exchange(&prepared.web, &prepared.authority.token, &identity, &form).await;
        granted.map_err(|error| match error {
            TokenError::Failed(error) => error,
            TokenError::No { text, .. } => ClientError::Login {
                what: format!(
                    "`{}` refused the client credentials ({text}); check `client_id`, `client_secret` and `scopes` of server `{}`",
                    prepared.authority.issuer, self.id
                ),
                challenge: None,
            },
        })
    }
}

impl TokenProvider for ClientCredentials {
    fn current(&self) -> BoxFuture<'_, Result<Option<String>, ClientError>> {
        Box::pin(async { Ok(Some(self.token().await?.reveal().to_owned())) })
    }

    fn refused<'a>(&'a self, token: &'a str) -> BoxFuture<'a, bool> {
        let mut issued = self.issued.lock();
        let is_current = |issued: &IssuedToken| issued.access.reveal() == token;
        let is_worth_repeating = match issued.as_ref().filter(|issued| is_current(issued)) {
            Some(current) => current.at.elapsed() >= RETRY_AFTER,
            None => true,
        };
        issued.take_if(|issued| is_current(issued));
        Box::pin(async move { is_worth_repeating })
    }
}

impl fmt::Debug for ClientCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientCredentials").field("id", &self.id).finish_non_exhaustive()
    }
}
