//! The client id at an authorization server, and client authentication.

#[cfg(test)]
mod tests;

use super::secret::OAuthSecret;
use super::web::form;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::HeaderValue;
use serde::{Deserialize, Serialize};

/// The client identity at one authorization server. It is never sent to another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ClientIdentity {
    pub(super) client_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client_secret: Option<OAuthSecret>,
    pub(super) method: ClientAuthMethod,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ClientAuthMethod {
    /// No authentication: an installed program cannot keep a secret.
    #[serde(rename = "none")]
    Unproven,
    /// Client id and secret in a header.
    #[serde(rename = "client_secret_basic")]
    Header,
    /// Client id and secret in the form.
    #[serde(rename = "client_secret_post")]
    Form,
}

impl ClientAuthMethod {
    pub(super) const ALL: [Self; 3] = [Self::Unproven, Self::Header, Self::Form];

    /// The name in the standard.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Unproven => "none",
            Self::Header => "client_secret_basic",
            Self::Form => "client_secret_post",
        }
    }

    /// Whether a server that lists these methods accepts this one; a server that lists none accepts
    /// all.
    pub(super) fn is_among(self, listed: Option<&[String]>) -> bool {
        listed.is_none_or(|listed| listed.iter().any(|word| word == self.word()))
    }
}

impl ClientIdentity {
    /// A client that was registered by hand. Its secret is sent in a header, unless the server
    /// accepts it only in the form.
    pub(super) fn configured(
        client_id: String,
        client_secret: Option<OAuthSecret>,
        methods: Option<&[String]>,
    ) -> Self {
        let is_form =
            ClientAuthMethod::Form.is_among(methods) && !ClientAuthMethod::Header.is_among(methods);
        let method = match client_secret {
            None => ClientAuthMethod::Unproven,
            Some(_) if is_form => ClientAuthMethod::Form,
            Some(_) => ClientAuthMethod::Header,
        };
        Self { client_id, client_secret, method }
    }

    /// Adds the client authentication to a form; the header method returns a header instead.
    pub(super) fn sign<'a>(&'a self, pairs: &mut Vec<(&'a str, &'a str)>) -> Option<HeaderValue> {
        match (&self.client_secret, self.method) {
            (Some(secret), ClientAuthMethod::Header) => return self.header(secret),
            (Some(secret), ClientAuthMethod::Form) => {
                pairs.push(("client_secret", secret.reveal()))
            }
            _ => {}
        }
        pairs.push(("client_id", &self.client_id));
        None
    }

    /// RFC 6749, 2.3.1: id and secret are form-encoded before they are joined.
    fn header(&self, secret: &OAuthSecret) -> Option<HeaderValue> {
        let joined = format!("{}:{}", encoded(&self.client_id), encoded(secret.reveal()));
        let mut value = HeaderValue::try_from(format!("Basic {}", STANDARD.encode(joined))).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

fn encoded(text: &str) -> String {
    let pair = form(&[(text, "")]);
    pair.strip_suffix('=').unwrap_or(&pair).to_owned()
}
