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
const LONGEST_LIFE: f64 = 10.0 * 365.0 * 86_400.0;
/// The longest token, in bytes.
const TOKEN: usize = 64 << 10;

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
    let given: TokenResponseBody = send_form(web, endpoint, identity, pairs).await?;
    grant(given).map_err(|why| broken(format!("`{}` gave {why}", shown(endpoint))).into())
}

/// Sends a form with the client identity, and reads a response of any type.
pub(super) async fn send_form<T: serde::de::DeserializeOwned>(
    web: &OAuthHttp,
    endpoint: &Url,
    identity: &ClientIdentity,
    pairs: &[(&str, &str)],
) -> Result<T, TokenError> {
    let mut signed = pairs.to_vec();
    let header = identity.sign(&mut signed);
    let answer = web.post_form(endpoint, &signed, header).await?;
    if let Some(no) = answer.json::<OAuthErrorBody>() {
        return Err(refusal(no, identity, pairs));
    }
    let unreadable =
        || broken(format!("`{}` answered {} with nothing we know", shown(endpoint), answer.status));
    match answer.status {
        it if it.is_success() => answer.json().ok_or_else(|| unreadable().into()),
        it => Err(failure(endpoint, it, &answer).into()),
    }
}

fn failure(endpoint: &Url, status: StatusCode, answer: &OAuthResponse) -> ClientError {
    let what = format!("POST {} answered {status}", shown(endpoint));
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            ClientError::Busy { what, after: answer.after }
        }
        it if it.is_server_error() => ClientError::lost(what),
        it if it.is_redirection() => broken(format!("{what}; redirects are not followed here")),
        _ => broken(what),
    }
}

/// Creates the error for a refused request. A server may repeat our secrets in its message, so they
/// are redacted.
fn refusal(no: OAuthErrorBody, identity: &ClientIdentity, pairs: &[(&str, &str)]) -> TokenError {
    let mut text = no.text();
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
    TokenError::No { code: no.error, text: excerpt(&text) }
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

fn grant(given: TokenResponseBody) -> Result<TokenGrant, &'static str> {
    if given.token_type.is_some_and(|it| !it.eq_ignore_ascii_case("bearer")) {
        return Err("a token of a kind we do not know");
    }
    if !is_token(&given.access_token) {
        return Err("a token that cannot be sent");
    }
    let expires = given.expires_in.as_ref().and_then(seconds).map(|it| Moment::now().after(it));
    let refresh = given.refresh_token.filter(|it| !it.is_empty() && it.len() <= TOKEN);
    Ok(TokenGrant {
        access: OAuthSecret::new(given.access_token),
        refresh: refresh.map(OAuthSecret::new),
        expires,
    })
}

/// Whether the text is a valid token. A token becomes a header, so only visible ASCII is valid.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.len() <= TOKEN && text.bytes().all(|it| it.is_ascii_graphic())
}

/// A duration in seconds, as a number or a string.
pub(super) fn seconds(value: &Value) -> Option<Duration> {
    let seconds = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    seconds.is_finite().then(|| Duration::from_secs_f64(seconds.clamp(0.0, LONGEST_LIFE)))
}
