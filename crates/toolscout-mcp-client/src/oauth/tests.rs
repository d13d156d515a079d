//! Logins against an authorization server on loopback that checks requests like a real one. The
//! head of each file lists the proven properties.

mod authority;
mod browser;
mod client_credentials;
mod device;
mod discovery;
mod reach;
mod renewal;
mod storage;

use super::super::tokens::TokenProvider as _;
use super::super::{ClientError, HttpEndpoint, ReferenceLookup};
use super::{DeviceLogin, Login, LoginRequest, SavedTokens};
use authority::{Authority, consent, get};
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use toolscout_core::SourceId;

/// One user's machine: a folder for logins, and a configured server.
struct Home {
    folder: TempDir,
    endpoint: HttpEndpoint,
    lookup: ReferenceLookup,
    id: SourceId,
}

impl Home {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            endpoint: HttpEndpoint::default(),
            lookup: ReferenceLookup::new(|_| None),
            id: SourceId::new("mail").expect("an id"),
        }
    }

    /// The folder for logins; it does not exist before the first login.
    fn logins(&self) -> std::path::PathBuf {
        self.folder.path().join("state").join("logins")
    }

    fn login_request<'a>(
        &'a self,
        url: &'a str,
        challenge: Option<&'a str>,
        folder: &'a Path,
    ) -> LoginRequest<'a> {
        LoginRequest {
            id: &self.id,
            url,
            challenge,
            endpoint: &self.endpoint,
            lookup: &self.lookup,
            folder,
            port: None,
        }
    }

    async fn start_with(&self, url: &str, challenge: Option<&str>) -> Result<Login, ClientError> {
        Login::start(&self.login_request(url, challenge, &self.logins())).await
    }

    async fn start(&self, url: &str) -> Result<Login, ClientError> {
        self.start_with(url, None).await
    }

    async fn start_device(&self, url: &str) -> Result<DeviceLogin, ClientError> {
        let mut login = DeviceLogin::start(&self.login_request(url, None, &self.logins())).await?;
        login.interval = Duration::from_millis(1);
        Ok(login)
    }

    /// A complete login by a user.
    async fn log_in(&self, authority: &Authority) {
        let login = self.start(&authority.mcp()).await.expect("the login starts");
        finish(&login).await.expect("the login succeeds");
    }

    fn tokens(&self, url: &str) -> SavedTokens {
        SavedTokens::open(&self.logins(), &self.id, url).expect("an address")
    }

    async fn current(&self, url: &str) -> Result<Option<String>, ClientError> {
        self.tokens(url).current().await
    }
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

/// The user agrees, and the browser is redirected.
async fn finish(login: &Login) -> Result<(), ClientError> {
    let callback = consent(login.browser_url()).await;
    let (result, _) = tokio::join!(login.wait(soon()), get(&callback));
    result
}
