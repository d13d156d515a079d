//! Provides the token of a saved login, and renews it: one renewal at a time, across all threads
//! and processes.

use super::super::ClientError;
use super::super::tokens::TokenProvider;
use super::exchange::{TokenError, exchange};
use super::login_request::is_unknown_client;
use super::record::{LoginRecord, TokenFile};
use super::registration::Registrations;
use super::secret::OAuthSecret;
use super::web::OAuthHttp;
use super::{login_needed, server_url};
use futures_util::FutureExt as _;
use futures_util::future::Shared;
use parking_lot::Mutex;
use reqwest::Url;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use toolscout_core::{BoxFuture, Moment, SourceId};

/// If a token is rejected within this time after its renewal, another renewal would not help.
const RENEWAL_COOLDOWN: Duration = Duration::from_secs(30);

/// The tokens of one server, from its saved login. A login or logout by another process takes
/// effect at once.
pub struct SavedTokens {
    store: LoginStore,
    renewals: Mutex<Renewals>,
}

impl SavedTokens {
    /// The tokens for the server with this id at this address. The file is read when a token is
    /// needed.
    pub fn open(folder: &Path, id: &SourceId, url: &str) -> Result<Self, ClientError> {
        let server = server_url(url)?;
        let file = TokenFile::new(folder, id, &server);
        let store = LoginStore { id: id.clone(), server, folder: folder.to_owned(), file };
        Ok(Self { store, renewals: Mutex::default() })
    }

    /// A token other than this one. The renewal continues even if all its waiters are dropped: once
    /// a refresh token has been sent, it is lost unless the response is read.
    fn renewed(&self, stale: OAuthSecret) -> Renewal {
        let mut renewals = self.renewals.lock();
        while renewals.tasks.try_join_next().is_some() {}
        if let (false, Some(running)) = (renewals.tasks.is_empty(), &renewals.last) {
            return running.clone();
        }
        let (done, result) = oneshot::channel();
        let store = self.store.clone();
        renewals.tasks.spawn(async move { drop(done.send(store.renew(&stale).await)) });
        let interrupted = || ClientError::lost("renewing the login was interrupted");
        let renewal = result
            .map(move |result| result.unwrap_or_else(|_| Err(interrupted())))
            .boxed()
            .shared();
        renewals.last.insert(renewal).clone()
    }

    async fn current_token(&self) -> Result<Option<String>, ClientError> {
        let Some(record) = self.store.read()? else { return Ok(None) };
        if record.is_fresh(Moment::now()) {
            return Ok(Some(record.access_token.reveal().to_owned()));
        }
        match self.renewed(record.access_token.clone()).await {
            Ok(token) => Ok(Some(token.reveal().to_owned())),
            // The authorization server is unreachable, but the token is valid for a few more
            // seconds.
            Err(err)
                if !matches!(err, ClientError::Login { .. }) && record.is_alive(Moment::now()) =>
            {
                tracing::debug!(server = %self.store.id, %err, "login not renewed");
                Ok(Some(record.access_token.reveal().to_owned()))
            }
            Err(err) => Err(err),
        }
    }

    async fn renew_rejected(&self, token: &str) -> bool {
        match self.store.read() {
            Ok(Some(record)) if record.access_token.reveal() != token => return true,
            Ok(Some(record)) if record.refresh_token.is_some() => {}
            _ => return false,
        }
        if self.was_just_renewed(token) {
            return false;
        }
        let Ok(renewed) = self.renewed(OAuthSecret::new(token)).await else { return false };
        let mut renewals = self.renewals.lock();
        renewals.forced = Some((renewed, Instant::now()));
        true
    }

    fn was_just_renewed(&self, token: &str) -> bool {
        let renewals = self.renewals.lock();
        renewals
            .forced
            .as_ref()
            .is_some_and(|(value, at)| value.reveal() == token && at.elapsed() < RENEWAL_COOLDOWN)
    }
}

impl TokenProvider for SavedTokens {
    fn current(&self) -> BoxFuture<'_, Result<Option<String>, ClientError>> {
        Box::pin(self.current_token())
    }

    fn refused<'a>(&'a self, token: &'a str) -> BoxFuture<'a, bool> {
        Box::pin(self.renew_rejected(token))
    }
}

impl fmt::Debug for SavedTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SavedTokens").field("id", &self.store.id).finish_non_exhaustive()
    }
}

type Renewal = Shared<BoxFuture<'static, Result<OAuthSecret, ClientError>>>;

#[derive(Default)]
struct Renewals {
    /// At most one task.
    tasks: JoinSet<()>,
    last: Option<Renewal>,
    /// The token of the last renewal after a 401, and its time.
    forced: Option<(OAuthSecret, Instant)>,
}

/// Reads and renews the saved login of one server.
#[derive(Clone)]
struct LoginStore {
    id: SourceId,
    server: Url,
    folder: PathBuf,
    file: TokenFile,
}

impl LoginStore {
    fn read(&self) -> Result<Option<LoginRecord>, ClientError> {
        let reason = |err| {
            format!(
                "the saved login in `{}` cannot be read: {err}",
                self.file.file.path().display()
            )
        };
        self.file.read().map_err(|err| login_needed(&self.id, &reason(err)))
    }

    /// A token other than the stale one: one that another process has obtained in the meantime, or
    /// a new one.
    async fn renew(&self, stale: &OAuthSecret) -> Result<OAuthSecret, ClientError> {
        let renewal_error = |err| {
            ClientError::lost(format!(
                "the login in `{}` cannot be renewed: {err}",
                self.file.file.path().display()
            ))
        };
        let lock = self.file.file.lock().await.map_err(renewal_error)?;
        let Some(mut record) = self.read()? else {
            return Err(login_needed(&self.id, "you are no longer logged in"));
        };
        if record.access_token != *stale && record.is_fresh(Moment::now()) {
            return Ok(record.access_token);
        }
        match self.refresh(&record).await {
            Ok(grant) => record.renew(grant),
            Err(TokenError::Failed(err)) => return Err(err),
            Err(TokenError::No { code, .. })
                if matches!(&*code, "temporarily_unavailable" | "server_error") =>
            {
                let what = format!("`{}` cannot renew the login now: {code}", record.issuer);
                return Err(ClientError::lost(what));
            }
            Err(TokenError::No { code, text }) => {
                // Without the refresh token, no process tries to renew this login again.
                record.refresh_token = None;
                self.file.write(&record, &lock).map_err(renewal_error)?;
                if is_unknown_client(&code) {
                    for registrations in Registrations::all(&self.folder, &record.issuer) {
                        registrations.forget().await;
                    }
                }
                return Err(login_needed(
                    &self.id,
                    &format!("the login is no longer valid ({text})"),
                ));
            }
        }
        self.file.write(&record, &lock).map_err(renewal_error)?;
        tracing::debug!(server = %self.id, "login renewed");
        Ok(record.access_token)
    }

    async fn refresh(
        &self,
        record: &LoginRecord,
    ) -> Result<super::exchange::TokenGrant, TokenError> {
        let Some(refresh) = &record.refresh_token else {
            return Err(login_needed(&self.id, "the login is no longer valid").into());
        };
        let web = OAuthHttp::for_server(&self.server).await;
        let endpoint = web.url(&record.token_endpoint)?;
        let form = [
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.reveal()),
            ("resource", record.resource.as_str()),
        ];
        exchange(&web, &endpoint, &record.identity, &form).await
    }
}

/// The login status of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginStatus {
    /// No login, or no readable one.
    LoggedOut,
    /// A saved login.
    LoggedIn {
        /// When the user logged in.
        since: Moment,
        /// When its token expires, if known.
        expires: Option<Moment>,
        /// Whether it is renewed automatically; if not, the user has to log in again.
        renewable: bool,
        /// The issuer of its token.
        issuer: String,
    },
}

/// The saved login of the server with this id at this address.
pub fn status(folder: &Path, id: &SourceId, url: &str) -> LoginStatus {
    let saved =
        server_url(url).ok().and_then(|url| TokenFile::new(folder, id, &url).read().ok()?);
    match saved {
        Some(saved) if saved.refresh_token.is_some() || saved.is_alive(Moment::now()) => {
            LoginStatus::LoggedIn {
                since: saved.since,
                expires: saved.expires,
                renewable: saved.refresh_token.is_some(),
                issuer: saved.issuer,
            }
        }
        _ => LoginStatus::LoggedOut,
    }
}

/// Logs out: deletes the saved login and the registrations at its issuer. Returns whether there was
/// a login. Waits for a running renewal, which would restore the login.
pub fn forget(folder: &Path, id: &SourceId, url: &str) -> io::Result<bool> {
    let url = server_url(url)
        .map_err(|err| io::Error::new(io::ErrorKind::InvalidInput, err.to_string()))?;
    let file = TokenFile::new(folder, id, &url);
    if !file.file.path().exists() {
        return Ok(false);
    }
    let lock = file.file.lock_blocking()?;
    let record = file.read().ok().flatten();
    let is_removed = file.file.remove(&lock)?;
    if let Some(record) = record {
        Registrations::all(folder, &record.issuer).iter().for_each(Registrations::forget_blocking);
    }
    Ok(is_removed)
}
