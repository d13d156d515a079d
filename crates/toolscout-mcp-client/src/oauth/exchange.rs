//! Requests to the token endpoint, for any grant.

#[cfg(test)]
mod tests;

use super::super::ClientError;
use super::identity::ClientIdentity;
use super::secret::OAuthSecret;
use super::web::{OAuthHttp, OAuthResponse};
use super::{broken, excerpt, shown};
use reqwest::{StatusCode, Url};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;
use toolscout_core::Moment;
use toolscout_core::redact::REDACTED;

/// The longest lifetime of a token; longer ones are cut.
const MAX_LIFETIME: f64 = 10.0 * 365.0 * 86_400.0;
/// The longest token, in bytes.
const MAX_TOKEN_BYTES: usize = 64 << 10;

/// The tokens that an authorization server issued.
#[derive(Debug)]
pub(super) struct TokenGrant {
    pub(super) access: OAuthSecret,
    pub(super) refresh: Option<OAuthSecret>,
    /// When the access token expires, if known.
    pub(super) expires: Option<Moment>,
}

/// The reason why no tokens were issued.
#[derive(Debug)]
pub(super) enum TokenError {
    /// The server refused the request; the code is from the standard, the text is for display.
    No { code: String, text: String },
    /// The request failed, or the response cannot be parsed.
    Failed(ClientError),
}

impl From<ClientError> for TokenError {
    fn from(err: ClientError) -> Self {
        Self::Failed(err)
    }
}

/// Sends a form with the client identity, and reads the tokens.
pub(super) async fn exchange(
    web: &OAuthHttp,
    endpoint: &Url,
    identity: &ClientIdentity,
    pairs: &[(&str, &str)],
) -> Result<TokenGrant, TokenError> {
    let body: TokenResponseBody = send_form(web, endpoint, identity, pairs).await?;
    grant(body).map_err(|reason| broken(format!("`{}` returned {reason}", shown(endpoint))).into())
}

/// Sends a form with the client identity, and reads a response of any type.
pub(super) async fn send_form<T: serde::de::DeserializeOwned>(
    web: &OAuthHttp,
    endpoint: &Url,
    identity: &ClientIdentity,
    pairs: &[(&str, &str)],
) -> Result<T, TokenError> {
    let mut form = pairs.to_vec();
    let header = identity.sign(&mut form);
    let response = web.post_form(endpoint, &form, header).await?;
    if let Some(error_body) = response.json::<OAuthErrorBody>() {
        return Err(token_error(error_body, identity, pairs));
    }
    let unreadable = || {
        broken(format!(
            "`{}` answered {} with an unknown response",
            shown(endpoint),
            response.status
        ))
    };
    match response.status {
        status if status.is_success() => response.json().ok_or_else(|| unreadable().into()),
        status => Err(http_error(endpoint, status, &response).into()),
    }
}

fn http_error(endpoint: &Url, status: StatusCode, response: &OAuthResponse) -> ClientError {
    let what = format!("POST {} answered {status}", shown(endpoint));
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            ClientError::Busy { what, after: response.after }
        }
        status if status.is_server_error() => ClientError::lost(what),
        status if status.is_redirection() => broken(format!("{what}; redirects are not followed")),
        _ => broken(what),
    }
}

/// Creates the error for a refused request. A server may repeat our secrets in its message, so they
/// are redacted.
fn token_error(
    error_body: OAuthErrorBody,
    identity: &ClientIdentity,
    pairs: &[(&str, &str)],
) -> TokenError {
    let mut text = error_body.text();
    let public = |name: &str| {
        matches!(name, "grant_type" | "redirect_uri" | "resource" | "scope" | "client_id")
    };
    let sent = pairs
        .iter()
        .filter(|(name, value)| !public(name) && !value.is_empty())
        .map(|(_, value)| *value);
    for secret in sent.chain(identity.client_secret.as_ref().map(OAuthSecret::reveal)) {
        text = text.replace(secret, REDACTED);
    }
    TokenError::No { code: error_body.error, text: excerpt(&text) }
}

/// The error response of RFC 6749 and RFC 7591.
#[derive(Deserialize)]
pub(super) struct OAuthErrorBody {
    error: String,
    error_description: Option<String>,
}

impl OAuthErrorBody {
    pub(super) fn text(&self) -> String {
        match &self.error_description {
            Some(description) => format!("{}: {description}", self.error),
            None => self.error.clone(),
        }
    }
}

#[derive(Deserialize)]
struct TokenResponseBody {
    access_token: String,
    token_type: Option<String>,
    /// Seconds; some servers send a number, some a string.
    expires_in: Option<Value>,
    refresh_token: Option<String>,
}

fn grant(body: TokenResponseBody) -> Result<TokenGrant, &'static str> {
    if body.token_type.is_some_and(|token_type| !token_type.eq_ignore_ascii_case("bearer")) {
        return Err("a token of an unknown type");
    }
    if !is_token(&body.access_token) {
        return Err("a token with invalid characters");
    }
    let expires =
        body.expires_in.as_ref().and_then(seconds).map(|seconds| Moment::now().after(seconds));
    let refresh = body.refresh_token.filter(|refresh_token| {
        !refresh_token.is_empty() && refresh_token.len() <= MAX_TOKEN_BYTES
    });
    Ok(TokenGrant {
        access: OAuthSecret::new(body.access_token),
        refresh: refresh.map(OAuthSecret::new),
        expires,
    })
}

/// Whether the text is a valid token. A token becomes a header, so only visible ASCII is valid.
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= MAX_TOKEN_BYTES
        && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// A duration in seconds, as a number or a string.
pub(super) fn seconds(value: &Value) -> Option<Duration> {
    let seconds = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    seconds.is_finite().then(|| Duration::from_secs_f64(seconds.clamp(0.0, MAX_LIFETIME)))
}
