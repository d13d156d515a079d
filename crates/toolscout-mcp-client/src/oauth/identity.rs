//! Who we are to an authorization server, and how we prove it.

use super::secret::OAuthSecret;
use super::web::form;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::header::HeaderValue;
use serde::{Deserialize, Serialize};

/// Who we are to one authorization server. Never shown to another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ClientIdentity {
    pub(super) client_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client_secret: Option<OAuthSecret>,
    pub(super) method: ClientAuthMethod,
}

/// How a client proves who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ClientAuthMethod {
    /// Not at all: a program on somebody's machine keeps no secret of its own.
    #[serde(rename = "none")]
    Unproven,
    /// Name and secret in a header.
    #[serde(rename = "client_secret_basic")]
    Header,
    /// Name and secret in the form.
    #[serde(rename = "client_secret_post")]
    Form,
}

impl ClientAuthMethod {
    pub(super) const ALL: [Self; 3] = [Self::Unproven, Self::Header, Self::Form];

    /// As it is called in the standard.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Unproven => "none",
            Self::Header => "client_secret_basic",
            Self::Form => "client_secret_post",
        }
    }
}

impl ClientIdentity {
    /// A client that was registered by hand. Its secret, if it was given one, is shown in the usual way, or in one that the
    /// server takes.
    pub(super) fn configured(client_id: String, client_secret: Option<OAuthSecret>, taken: Option<&[String]>) -> Self {
        let is_taken = |it: &ClientAuthMethod| taken.is_none_or(|all| all.iter().any(|word| word == it.word()));
        let method = match client_secret {
            None => ClientAuthMethod::Unproven,
            Some(_) => [ClientAuthMethod::Header, ClientAuthMethod::Form]
                .into_iter()
                .find(is_taken)
                .unwrap_or(ClientAuthMethod::Header),
        };
        Self { client_id, client_secret, method }
    }

    /// Adds who we are to a form; the rest of it goes into a header.
    pub(super) fn sign<'a>(&'a self, pairs: &mut Vec<(&'a str, &'a str)>) -> Option<HeaderValue> {
        match (&self.client_secret, self.method) {
            (Some(secret), ClientAuthMethod::Header) => return self.header(secret),
            (Some(secret), ClientAuthMethod::Form) => pairs.push(("client_secret", secret.reveal())),
            _ => {}
        }
        pairs.push(("client_id", &self.client_id));
        None
    }

    /// RFC 6749, 2.3.1: both are encoded as in a form before they are joined.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(method: ClientAuthMethod) -> ClientIdentity {
        ClientIdentity { client_id: "a:b".to_owned(), client_secret: Some(OAuthSecret::new("s&=")), method }
    }

    #[test]
    fn each_method_puts_the_secret_in_its_own_place_only() {
        let (header, post, none) = (
            identity(ClientAuthMethod::Header),
            identity(ClientAuthMethod::Form),
            identity(ClientAuthMethod::Unproven),
        );
        let mut pairs = Vec::new();
        let value = header.sign(&mut pairs).expect("a header");
        assert_eq!(value.to_str().ok(), Some("Basic YSUzQWI6cyUyNiUzRA=="));
        assert!(value.is_sensitive() && pairs.is_empty());
        assert!(post.sign(&mut pairs).is_none());
        assert_eq!(pairs, [("client_secret", "s&="), ("client_id", "a:b")]);
        pairs.clear();
        assert!(none.sign(&mut pairs).is_none());
        assert_eq!(pairs, [("client_id", "a:b")]);
    }
}
