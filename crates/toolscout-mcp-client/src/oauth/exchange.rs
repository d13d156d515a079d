//! Asks an authorization server for tokens, whatever they are given for.

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

/// Longer than any token lives; what is said to live longer is not believed.
const LONGEST_LIFE: f64 = 10.0 * 365.0 * 86_400.0;
/// Bytes of a token.
const TOKEN: usize = 64 << 10;

/// What an authorization server gave.
#[derive(Debug)]
pub(super) struct TokenGrant {
    pub(super) access: OAuthSecret,
    pub(super) refresh: Option<OAuthSecret>,
    /// When the first one ends, if it said so.
    pub(super) expires: Option<Moment>,
}

/// Why it gave nothing.
#[derive(Debug)]
pub(super) enum TokenError {
    /// It said no; the code is one of the standard, the text is for people.
    No { code: String, text: String },
    /// It could not be asked, or not be understood.
    Failed(ClientError),
}

impl From<ClientError> for TokenError {
    fn from(err: ClientError) -> Self {
        Self::Failed(err)
    }
}

/// Sends a form with who we are, and reads what is given.
pub(super) async fn exchange(
    web: &OAuthHttp,
    endpoint: &Url,
    identity: &ClientIdentity,
    pairs: &[(&str, &str)],
) -> Result<TokenGrant, TokenError> {
    let given: TokenResponseBody = ask(web, endpoint, identity, pairs).await?;
    grant(given).map_err(|why| broken(format!("`{}` gave {why}", shown(endpoint))).into())
}

/// Sends a form with who we are, and reads an answer of any form.
pub(super) async fn ask<T: serde::de::DeserializeOwned>(
    web: &OAuthHttp,
    endpoint: &Url,
    identity: &ClientIdentity,
    pairs: &[(&str, &str)],
) -> Result<T, TokenError> {
    let mut signed = pairs.to_vec();
    let header = identity.sign(&mut signed);
    let answer = web.post_form(endpoint, &signed, header).await?;
    if let Some(no) = answer.json::<TokenErrorBody>() {
        return Err(refusal(no, identity, pairs));
    }
    let unreadable = || broken(format!("`{}` answered {} with nothing we know", shown(endpoint), answer.status));
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
        it if it.is_server_error() => ClientError::Lost { what },
        it if it.is_redirection() => broken(format!("{what}; redirects are not followed here")),
        _ => broken(what),
    }
}

/// A server may repeat what it was sent; our secrets are not for a screen.
fn refusal(no: TokenErrorBody, identity: &ClientIdentity, pairs: &[(&str, &str)]) -> TokenError {
    let mut text = match &no.error_description {
        Some(description) => format!("{}: {description}", no.error),
        None => no.error.clone(),
    };
    let public = |name: &str| matches!(name, "grant_type" | "redirect_uri" | "resource" | "scope" | "client_id");
    let sent = pairs.iter().filter(|(name, value)| !public(name) && !value.is_empty()).map(|(_, value)| *value);
    for secret in sent.chain(identity.client_secret.as_ref().map(OAuthSecret::reveal)) {
        text = text.replace(secret, REDACTED);
    }
    TokenError::No { code: no.error, text: excerpt(&text) }
}

#[derive(Deserialize)]
struct TokenErrorBody {
    error: String,
    error_description: Option<String>,
}

#[derive(Deserialize)]
struct TokenResponseBody {
    access_token: String,
    token_type: Option<String>,
    /// Seconds; some write a number, some a text.
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
    Ok(TokenGrant { access: OAuthSecret::new(given.access_token), refresh: refresh.map(OAuthSecret::new), expires })
}

/// A token becomes a header: visible ASCII only.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.len() <= TOKEN && text.bytes().all(|it| it.is_ascii_graphic())
}

/// A length of time as servers write it.
pub(super) fn seconds(value: &Value) -> Option<Duration> {
    let seconds = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    seconds.is_finite().then(|| Duration::from_secs_f64(seconds.clamp(0.0, LONGEST_LIFE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lives_of_tokens_are_read_in_all_their_spellings() {
        let read = |value: Value| seconds(&value).map(|it| it.as_secs());
        assert_eq!(read(json!(3600)), Some(3600));
        assert_eq!(read(json!("3600")), Some(3600));
        assert_eq!(read(json!(59.9)), Some(59));
        assert_eq!(read(json!(-5)), Some(0));
        assert_eq!(read(json!(1e300)), Some(LONGEST_LIFE as u64));
        assert_eq!(read(json!(null)), None);
        assert_eq!(read(json!("soon")), None);
        assert_eq!(read(json!("inf")), None);
    }

    #[test]
    fn tokens_that_would_break_a_header_are_not_taken() {
        for text in ["", "a b", "a\r\nX: y", "tökén", "a\0"] {
            assert!(!is_token(text), "{text:?}");
        }
        assert!(is_token("abc.DEF-123_~+/="));
    }

    #[test]
    fn what_a_server_repeats_of_our_secrets_is_not_shown() {
        let identity = ClientIdentity::configured("us".to_owned(), Some(OAuthSecret::new("hunter2")), None);
        let no = TokenErrorBody {
            error: "invalid_grant".to_owned(),
            error_description: Some("refresh-1 of us with hunter2 is over".to_owned()),
        };
        let TokenError::No { text, .. } =
            refusal(no, &identity, &[("refresh_token", "refresh-1"), ("client_id", "us")])
        else {
            panic!("a refusal")
        };
        assert_eq!(text, "invalid_grant: [REDACTED] of us with [REDACTED] is over");
    }
}
