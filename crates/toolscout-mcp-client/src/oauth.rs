//! Logins to remote servers, and token renewal.
//!
//! A user's login ([`Login`] in a browser, [`DeviceLogin`] on another device) ends in one file per
//! server. From then on [`SavedTokens`] provides its token and renews it. A server without users
//! is used with [`ClientCredentials`].
//!
//! The login metadata of a server is not trusted: it is requested only from the server's own
//! origin, no redirect is followed, and no address nearer to this machine than the server itself is
//! contacted. Tokens belong to one server's id, address and issuer, and are sent nowhere else.

mod callback;
mod challenge;
mod client_credentials;
mod device;
mod discover;
mod exchange;
mod identity;
mod listener;
mod login;
mod login_request;
mod nearness;
mod private_file;
mod reach;
mod record;
mod registration;
mod saved;
mod secret;
mod web;

#[cfg(test)]
mod tests;

pub use client_credentials::ClientCredentials;
pub use device::DeviceLogin;
#[cfg(any(test, fuzzing))]
pub use discover::fuzz::metadata as fuzz_metadata;
pub use login::Login;
pub use login_request::LoginRequest;
pub use saved::{LoginStatus, SavedTokens, forget, status};
pub use web::document;

use super::ClientError;
use reqwest::Url;
use toolscout_core::SourceId;

/// The scope that some servers require for a refresh token.
const OFFLINE: &str = "offline_access";

/// The command to log in again.
fn hint(id: &SourceId) -> String {
    format!("log in with `toolscout server login {id}`")
}

/// The error for an expired or missing login.
fn login_needed(id: &SourceId, why: &str) -> ClientError {
    ClientError::Login { what: format!("{why}; {}", hint(id)), challenge: None }
}

/// The error for a response that violates OAuth.
fn broken(reason: impl Into<String>) -> ClientError {
    ClientError::protocol(reason.into())
}

/// A server's address in the form that is compared, stored and sent: without a fragment, which is
/// never sent to a server, and without user name and password, which the login replaces.
fn server_url(text: &str) -> Result<Url, ClientError> {
    let invalid = |why: &str| ClientError::invalid(format!("the server URL cannot be used: {why}"));
    let mut url = Url::parse(text).map_err(|err| invalid(&err.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("only `http` and `https` are supported"));
    }
    url.set_fragment(None);
    // Both fail only for addresses without a host, and these have one.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    Ok(url)
}

/// An address without its private parts.
fn shown(url: &Url) -> String {
    match url.origin() {
        origin if origin.is_tuple() => toolscout_http_client::display_url(url),
        _ => format!("{}:…", url.scheme()),
    }
}

/// The beginning of untrusted text: enough to understand it, too little to flood a terminal.
fn excerpt(text: &str) -> String {
    const SHOWN: usize = 200;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
