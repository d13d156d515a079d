//! Tells whether anybody is logged in to a server, and ends it.

use super::file::TokenFile;
use super::registration::Registrations;
use super::server_url;
use std::io;
use std::path::Path;
use toolscout_core::{Moment, SourceId};

/// Whether anybody is logged in to a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginStatus {
    /// Nobody, or nobody any more whose login could be read.
    LoggedOut,
    /// Somebody.
    LoggedIn {
        /// Since when.
        since: Moment,
        /// When the token at hand ends, if that is known.
        expires: Option<Moment>,
        /// Whether it is renewed then; else somebody has to log in again.
        renewable: bool,
        /// Who gave it.
        issuer: String,
    },
}

/// Whether anybody is logged in to the server with this id at this address, as far as the saved login says.
pub fn status(folder: &Path, id: &SourceId, url: &str) -> LoginStatus {
    let saved = server_url(url).ok().and_then(|url| TokenFile::of(folder, id, &url).read().ok()?);
    match saved {
        Some(it) if it.refresh_token.is_some() || it.is_alive(Moment::now()) => LoginStatus::LoggedIn {
            since: it.since,
            expires: it.expires,
            renewable: it.refresh_token.is_some(),
            issuer: it.issuer,
        },
        _ => LoginStatus::LoggedOut,
    }
}

/// Logs out: deletes the saved login, and who we were to its issuer, so that the next login starts from nothing. Says
/// whether there was one. Waits for a renewal that is under way, so that it does not bring the login back.
pub fn forget(folder: &Path, id: &SourceId, url: &str) -> io::Result<bool> {
    let url = server_url(url).map_err(|err| io::Error::new(io::ErrorKind::InvalidInput, err.to_string()))?;
    let file = TokenFile::of(folder, id, &url);
    if !file.path().exists() {
        return Ok(false);
    }
    let lock = file.lock_blocking()?;
    let issuer = file.read().ok().flatten().map(|it| it.issuer);
    let removed = file.remove(&lock)?;
    for issuer in issuer.iter() {
        Registrations::in_browser(folder, issuer).forget_blocking();
        Registrations::on_device(folder, issuer).forget_blocking();
    }
    Ok(removed)
}
