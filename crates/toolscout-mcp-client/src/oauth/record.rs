//! The saved login of one server, and its file.

use super::exchange::TokenGrant;
use super::identity::ClientIdentity;
use super::private_file::{FileLock, PrivateFile};
use super::secret::OAuthSecret;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use std::time::Duration;
use toolscout_core::{Moment, SourceId};

/// The version of the file format; a file of another version is left unchanged.
pub(super) const VERSION: u32 = 1;
/// A token that expires within this time is renewed before use, because a request takes a while.
const MARGIN: Duration = Duration::from_secs(30);

/// A login to one server: its tokens, and everything needed to renew them. This is the file format.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct LoginRecord {
    pub(super) version: u32,
    /// The server's id and address; the tokens are valid for no other server.
    pub(super) server: String,
    pub(super) url: String,
    /// The issuer of the tokens, the client identity there, and the endpoint that renews them.
    pub(super) issuer: String,
    pub(super) identity: ClientIdentity,
    pub(super) token_endpoint: String,
    pub(super) resource: String,
    /// The requested scopes.
    pub(super) scopes: Vec<String>,
    pub(super) access_token: OAuthSecret,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh_token: Option<OAuthSecret>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) expires: Option<Moment>,
    /// When the user logged in.
    pub(super) since: Moment,
}

impl LoginRecord {
    /// Whether the token lasts long enough for a request.
    pub(super) fn is_fresh(&self, now: Moment) -> bool {
        self.expires.is_none_or(|expires| expires > now.after(MARGIN))
    }

    /// Whether the token has not expired.
    pub(super) fn is_alive(&self, now: Moment) -> bool {
        self.expires.is_none_or(|expires| expires > now)
    }

    /// Stores new tokens; without a new refresh token the old one stays.
    pub(super) fn renew(&mut self, grant: TokenGrant) {
        self.access_token = grant.access;
        self.expires = grant.expires;
        if grant.refresh.is_some() {
            self.refresh_token = grant.refresh;
        }
    }
}

/// The file with the login to one server. A different address under the same id has a different
/// file.
#[derive(Debug, Clone)]
pub(super) struct TokenFile {
    pub(super) file: PrivateFile,
    server: String,
    url: String,
}

impl TokenFile {
    pub(super) fn new(folder: &Path, id: &SourceId, url: &Url) -> Self {
        let (server, url) = (id.to_string(), url.to_string());
        Self { file: PrivateFile::new(folder, "login", &[&server, &url]), server, url }
    }

    /// The login, if it exists and belongs to this server.
    pub(super) fn read(&self) -> io::Result<Option<LoginRecord>> {
        #[derive(Deserialize)]
        struct TokenFileVersion {
            version: u32,
        }
        let Some(bytes) = self.file.read()? else { return Ok(None) };
        // The parser's message is not used, because it may quote the file.
        let unreadable = |_| io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
        let TokenFileVersion { version } = serde_json::from_slice(&bytes).map_err(unreadable)?;
        if version != VERSION {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "it was written by another version of toolscout",
            ));
        }
        let record: LoginRecord = serde_json::from_slice(&bytes).map_err(unreadable)?;
        Ok((record.server == self.server && record.url == self.url).then_some(record))
    }

    pub(super) fn write(&self, record: &LoginRecord, lock: &FileLock) -> io::Result<()> {
        self.file.write(&serde_json::to_vec_pretty(record)?, lock)
    }
}
